// Package format is the engine behind printf, echo and dates: the shell's
// builtins and the utilities of the same names use it, so that both say the same.
//
// Everything here is a pure function of its arguments: times and zones are
// given, widths count bytes as bash 5.2 counts them, and floating point has
// the 64-bit mantissa that bash and the GNU tools compute with.
package format

// MaxWidth is the largest field width and precision: more is an error, not a gigabyte of blanks.
const MaxWidth = 1 << 24
