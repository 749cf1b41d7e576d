;; Logs at a level that does not exist.
(module
  (import "proctor:grader/log@1.0.0" "log" (func $log (param i32 i32 i32)))
  (memory (export "memory") 1)
  (func (export "grade") (result i32)
    (call $log (i32.const 77) (i32.const 0) (i32.const 0))
    (i32.const 0)))
