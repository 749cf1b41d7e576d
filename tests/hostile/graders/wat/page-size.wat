;; Wants pages of one byte, so that it can have four billion.
(component
  (core module $m
    (memory 1 (pagesize 1))
    (func (export "grade") (result i32) (i32.const 7)))
  (core instance $i (instantiate $m))
  (func (export "grade") (result u32) (canon lift (core func $i "grade"))))
