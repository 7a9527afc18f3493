// Package signals names Linux signals.
package signals

import (
	"strconv"
	"strings"
)

const names = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH POLL PWR SYS"

// Signals that the utilities send or catch.
const (
	HUP  = 1
	INT  = 2
	QUIT = 3
	KILL = 9
	USR1 = 10
	USR2 = 12
	ALRM = 14
	TERM = 15
	CONT = 18
	TTIN = 21
	TTOU = 22
)

// Name is the name of a signal without "SIG"; "" if there is none.
func Name(n int) string {
	l := strings.Fields(names)
	switch {
	case n == 0:
		return "EXIT"
	case n >= 1 && n <= len(l):
		return l[n-1]
	case n == 34:
		return "RTMIN"
	case n > 34 && n < 50:
		return "RTMIN+" + strconv.Itoa(n-34)
	case n >= 50 && n < 64:
		return "RTMAX-" + strconv.Itoa(64-n)
	case n == 64:
		return "RTMAX"
	}
	return ""
}

// Parse reads a signal name, with or without "SIG" and in any case, or a number.
func Parse(s string) (int, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, n >= 0 && n <= 64
	}
	s = strings.TrimPrefix(strings.ToUpper(s), "SIG")
	for n := 0; n <= 64; n++ {
		if name := Name(n); name != "" && name == s {
			return n, true
		}
	}
	switch s {
	case "IOT":
		return 6, true
	case "CLD":
		return 17, true
	case "IO":
		return 29, true
	}
	return 0, false
}
