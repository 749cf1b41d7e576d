;; Loops without a loop and without a stack: every call is in tail position.
(module
  (memory (export "memory") 1)
  (func $again (return_call $again))
  (func (export "grade") (result i32) (call $again) (i32.const 0)))
