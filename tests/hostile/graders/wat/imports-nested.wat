;; Hides the import of a component inside in the import of a component around.
(component
  (import "proctor:grader/log@1.0.0" (instance $log))
  (import "hidden" (component $inside (import "wasi:http/outgoing-handler@0.2.0" (instance))))
  (core module $m (func (export "grade") (result i32) (i32.const 7)))
  (core instance $i (instantiate $m))
  (func (export "grade") (result u32) (canon lift (core func $i "grade"))))
