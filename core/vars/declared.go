package vars

// Declared returns a variable that exists and has no value: what `declare x`
// makes, and what is left of a local after unset.
func Declared(a Attr) *Var {
	v := &Var{attrs: a}
	switch {
	case a&Assoc != 0:
		v.attrs &^= Indexed
		v.hash = &hash{}
	case a&Indexed != 0:
		v.list = &list{}
	}
	return v
}

// SetAssigned notes that an array was given a list, be it an empty one: declare
// -p shows the list then.
func (v *Var) SetAssigned() { v.writable(); v.state |= stSet }

// Assigned reports whether v was ever given a value, an empty list or an
// element removed since included.
func (v *Var) Assigned() bool { return v != nil && v.state&stSet != 0 }
