;; An honest grader, and beside it a module that nobody calls. Its start
;; function does not end.
(component $beside
  (core module $m
    (func $begin (loop $forever (br $forever)))
    (start $begin))
  (core instance (instantiate $m)))
