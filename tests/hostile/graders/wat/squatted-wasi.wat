;; Imports a name of WASI with another type.
(component
  (import "wasi:cli/environment@0.2.12" (instance $environment
    (export "get-environment" (func (result u32)))))
  (core func $get (canon lower (func $environment "get-environment")))
  (core module $m
    (import "" "get" (func $get (result i32)))
    (func (export "grade") (result i32) (call $get)))
  (core instance $i (instantiate $m (with "" (instance (export "get" (func $get))))))
  (func (export "grade") (result u32) (canon lift (core func $i "grade"))))
