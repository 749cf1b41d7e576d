;; Wants a memory with addresses of 64 bits.
(component
  (core module $m
    (memory i64 1)
    (func (export "grade") (result i32) (i32.const 7)))
  (core instance $i (instantiate $m))
  (func (export "grade") (result u32) (canon lift (core func $i "grade"))))
