package vars

// Declared returns a variable that exists and has no value: what `declare x`
// makes, and what is left of a local after unset.
func Declared(a Attr) *Var { return &Var{attrs: a} }

// SetAssigned notes that an array was given a list, be it an empty one: declare
// -p shows the list then.
func (v *Var) SetAssigned() { v.writable(); v.state |= stSet }

// Assigned reports whether v was given a value, an empty list included.
func (v *Var) Assigned() bool { return v != nil && (v.state&stSet != 0 || v.Len() > 0) }
