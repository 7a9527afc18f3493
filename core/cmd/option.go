package cmd

// ArgKind says whether an option takes an argument.
type ArgKind uint8

// Kinds of option arguments, as in getopt_long(3).
const (
	NoArg ArgKind = iota
	Required
	Optional
)

// Option is one row of a utility's option table.
type Option struct {
	Short byte   // 0 if none
	Long  string // "" if none
	Arg   ArgKind
	Meta  string // the argument's name in help: "NUM"
	Help  string
	// Missing marks an option GNU has and we do not: using it fails loudly.
	Missing bool
}

// Name is what Flags call the option: the short letter, else the long name.
func (o Option) Name() string {
	if o.Short != 0 {
		return string(o.Short)
	}
	return o.Long
}

// Flag is one option as given.
type Flag struct {
	Name  string // Option.Name
	Value string
	Has   bool   // a value was given (Optional)
	Given string // as typed, for messages: "-n" or "--lines"
	Cut   bool   // a long name was abbreviated
	After int    // operands that stand before it
}

// Flags are the options given, in order.
type Flags []Flag

// Has reports whether an option was given.
func (f Flags) Has(name string) bool { _, ok := f.Last(name); return ok }

// Last is the last occurrence of an option.
func (f Flags) Last(name string) (Flag, bool) {
	for i := len(f) - 1; i >= 0; i-- {
		if f[i].Name == name {
			return f[i], true
		}
	}
	return Flag{}, false
}

// Value is the value of the last occurrence of an option, or "".
func (f Flags) Value(name string) string { x, _ := f.Last(name); return x.Value }
