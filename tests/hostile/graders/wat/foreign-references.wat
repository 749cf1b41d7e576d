;; Holds references to things of the host.
(component
  (core module $m
    (table 1 externref)
    (func (export "grade") (result i32) (i32.const 7)))
  (core instance $i (instantiate $m))
  (func (export "grade") (result u32) (canon lift (core func $i "grade"))))
