package vars

// Declared returns a variable that exists and has no value: what `declare x`
// makes, and what is left of a local after unset.
func Declared(a Attr) *Var { return &Var{attrs: a} }

// Assigned reports whether v was given a value, an empty list included.
func (v *Var) Assigned() bool { return v != nil && (v.state&stSet != 0 || v.Len() > 0) }
