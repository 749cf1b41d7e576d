;; Answers with text that lies outside of its memory.
(module
  (memory (export "memory") 1)
  (data (i32.const 0) "\01\00\00\00\00\00\00\00\f0\ff\ff\ff\64\00\00\00")
  (func (export "grade") (result i32) (i32.const 0)))
