;; Never gives the host the memory that the host asks it for: the host is in
;; the middle of handing over a document when the loop begins.
(module
  (import "proctor:grader/evidence@1.0.0" "journal" (func $journal (param i32)))
  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (loop $forever (br $forever))
    (i32.const 0))
  (func (export "grade") (result i32)
    (call $journal (i32.const 64))
    (i32.const 0)))
