;; Has the host write everything to the same place, over the result itself. It
;; harms nobody but itself: the memory is its own.
(module
  (import "proctor:grader/evidence@1.0.0" "list" (func $list (param i32 i32 i32)))
  (memory (export "memory") 16)
  (data (i32.const 0) "\01\00\00\00\00\00\00\00\10\00\00\00\0a\00\00\00still here")
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
  (func (export "grade") (result i32)
    (call $list (i32.const 0) (i32.const 0) (i32.const 1024))
    (i32.const 0)))
