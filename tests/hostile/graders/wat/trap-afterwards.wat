;; Answers, and breaks while its answer is released.
(module
  (memory (export "memory") 1)
  (data (i32.const 0) "\01\00\00\00\00\00\00\00\10\00\00\00\09\00\00\00an answer")
  (func (export "cabi_post_grade") (param i32) (unreachable))
  (func (export "grade") (result i32) (i32.const 0)))
