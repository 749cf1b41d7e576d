;; Has the host write a document outside of its memory.
(module
  (import "proctor:grader/evidence@1.0.0" "journal" (func $journal (param i32)))
  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0xfffffff0))
  (func (export "grade") (result i32)
    (call $journal (i32.const 64))
    (i32.const 0)))
