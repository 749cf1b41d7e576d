;; Imports a name of the contract with another type.
(component
  (import "proctor:grader/log@1.0.0" (instance $log
    (export "log" (func (result u32)))))
  (core func $log (canon lower (func $log "log")))
  (core module $m
    (import "" "log" (func $log (result i32)))
    (func (export "grade") (result i32) (call $log)))
  (core instance $i (instantiate $m (with "" (instance (export "log" (func $log))))))
  (func (export "grade") (result u32) (canon lift (core func $i "grade"))))
