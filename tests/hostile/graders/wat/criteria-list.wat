;; Answers with a million criteria, all of them empty and in one place.
(module
  (memory (export "memory") 1700)
  ;; ok, criteria at 65536
  (data (i32.const 8) "\00\00\01\00\40\42\0f\00")
  (func (export "grade") (result i32) (i32.const 0)))
