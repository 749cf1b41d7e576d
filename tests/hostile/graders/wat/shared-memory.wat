;; Wants a memory that several threads share.
(component
  (core module $m
    (memory 1 1 shared)
    (func (export "grade") (result i32) (i32.const 7)))
  (core instance $i (instantiate $m))
  (func (export "grade") (result u32) (canon lift (core func $i "grade"))))
