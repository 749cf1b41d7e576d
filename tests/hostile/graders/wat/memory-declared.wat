;; Cannot start without four gigabytes of memory.
(module
  (memory (export "memory") 65536)
  (func (export "grade") (result i32) (i32.const 0)))
