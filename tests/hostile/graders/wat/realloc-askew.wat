;; Has the host write a list where no list may begin.
(module
  (import "proctor:grader/evidence@1.0.0" "list" (func $list (param i32 i32 i32)))
  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1025))
  (func (export "grade") (result i32)
    (call $list (i32.const 0) (i32.const 0) (i32.const 64))
    (i32.const 0)))
