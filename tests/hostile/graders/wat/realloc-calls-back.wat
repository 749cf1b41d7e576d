;; Calls the host while the host calls it.
(module
  (import "proctor:grader/evidence@1.0.0" "journal" (func $journal (param i32)))
  (memory (export "memory") 16)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (call $journal (i32.const 64))
    (i32.const 1024))
  (func (export "grade") (result i32)
    (call $journal (i32.const 64))
    (i32.const 0)))
