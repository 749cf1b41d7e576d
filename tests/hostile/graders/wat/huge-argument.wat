;; Asks for a file whose name is twelve megabytes long.
(module
  (import "proctor:grader/evidence@1.0.0" "stat" (func $stat (param i32 i32 i32)))
  (memory (export "memory") 200)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
  (func (export "grade") (result i32)
    (memory.fill (i32.const 65536) (i32.const 120) (i32.const 12000000))
    (call $stat (i32.const 65536) (i32.const 12000000) (i32.const 64))
    (i32.const 0)))
