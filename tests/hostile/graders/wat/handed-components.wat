;; Hands a component to a component, which instantiates it as often as it likes:
;; how often cannot be seen by looking.
(component $beside
  (component $small)
  (component $twice
    (import "what" (component $what))
    (instance (instantiate $what))
    (instance (instantiate $what)))
  (instance (instantiate $twice (with "what" (component $small)))))
