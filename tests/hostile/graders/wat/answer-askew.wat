;; Says that its answer lies where no answer may begin.
(module
  (memory (export "memory") 1)
  (func (export "grade") (result i32) (i32.const 3)))
