;; Makes garbage, for a collector that would be the host'\''s.
(component
  (core module $m
    (type $node (struct (field (ref null $node))))
    (func (drop (struct.new $node (ref.null $node))))
    (func (export "grade") (result i32) (i32.const 7)))
  (core instance $i (instantiate $m))
  (func (export "grade") (result u32) (canon lift (core func $i "grade"))))
