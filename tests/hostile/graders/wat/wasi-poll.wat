;; Waits for nothing at all.
(module
  (import "wasi:io/poll@0.2.12" "poll" (func $poll (param i32 i32 i32)))
  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
  (func (export "grade") (result i32)
    (call $poll (i32.const 0) (i32.const 0) (i32.const 64))
    (i32.const 0)))
