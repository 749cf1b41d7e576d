;; Starts threads.
(component
  (core type $start (func (param i32)))
  (core module $t (table (export "t") 1 funcref))
  (core instance $t (instantiate $t))
  (alias core export $t "t" (core table $t))
  (core func $index (canon thread.index))
  (core module $m
    (import "" "index" (func $index (result i32)))
    (func (export "grade") (result i32) (call $index)))
  (core instance $i (instantiate $m (with "" (instance (export "index" (func $index))))))
  (func (export "grade") (result u32) (canon lift (core func $i "grade"))))
