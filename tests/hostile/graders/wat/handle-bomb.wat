;; Makes handles of a resource of its own, and drops none. The host keeps the
;; table of them.
(component $beside
  (type $thing (resource (rep i32)))
  (core func $new (canon resource.new $thing))
  (core module $m
    (import "" "new" (func $new (param i32) (result i32)))
    (func $begin (loop $more (drop (call $new (i32.const 7))) (br $more)))
    (start $begin))
  (core instance (instantiate $m (with "" (instance (export "new" (func $new)))))))
