;; Makes stacks of its own.
(component
  (core module $m
    (type $ft (func)) (type $ct (cont $ft))
    (func $f) (elem declare func $f)
    (func (drop (cont.new $ct (ref.func $f))))
    (func (export "grade") (result i32) (i32.const 7)))
  (core instance $i (instantiate $m))
  (func (export "grade") (result u32) (canon lift (core func $i "grade"))))
