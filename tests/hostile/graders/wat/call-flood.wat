;; Reads the same large file again and again: work that fuel does not count.
(module
  (import "proctor:grader/evidence@1.0.0" "read" (func $read (param i32 i32 i32)))
  (memory (export "memory") 100)
  (data (i32.const 0) "workspace/large.txt")
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
  (func (export "grade") (result i32)
    (loop $forever
      (call $read (i32.const 0) (i32.const 19) (i32.const 64))
      (br $forever))
    (i32.const 0)))
