// Package locale says which locale a program is in, by the names of POSIX: LC_ALL
// goes before the variable of a category, and that before LANG.
//
// There are two locales, as in a fresh Debian: C, also called POSIX, in which a
// byte is a character and only ASCII can be printed, and C.UTF-8. They differ in
// LC_CTYPE alone: both sort by code point and write numbers, dates and messages
// alike. So all a program must know is whether characters are bytes.
package locale

import "strings"

// categories are the variables that setlocale(LC_ALL, "") reads when LC_ALL is empty.
var categories = [...]string{"LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", "LC_PAPER",
	"LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"}

// A Getenv gives a variable of the environment and whether it is there.
type Getenv func(name string) (string, bool)

// Known reports whether there is a locale of that name, and whether its characters are bytes.
// As in glibc, case and punctuation of the codeset do not count, and a modifier is passed over.
func Known(name string) (bytes, ok bool) {
	if name == "C.UTF-8" {
		return false, true
	}
	if name == "C" || name == "POSIX" {
		return true, true
	}
	codeset, ok := strings.CutPrefix(name, "C.")
	codeset, _, _ = strings.Cut(codeset, "@")
	return false, ok && normal(codeset) == "utf8"
}

// normal is a codeset's name as glibc looks for it.
func normal(codeset string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, codeset)
}

// Bytes reports whether characters are bytes to a program that calls setlocale(LC_ALL, ""):
// so it is, too, where one category names a locale that is not there.
func Bytes(env Getenv) bool {
	if all, _ := env("LC_ALL"); all != "" {
		bytes, ok := Known(all)
		return bytes || !ok
	}
	lang, _ := env("LANG")
	bytes := false
	for i, category := range categories {
		name, _ := env(category)
		if name == "" {
			name = lang
		}
		if name == "" {
			name = "C"
		}
		b, ok := Known(name)
		if !ok {
			return true
		}
		if i == 0 {
			bytes = b
		}
	}
	return bytes
}

// BytesByCategory is Bytes for a program that sets each category by itself, as gawk does.
func BytesByCategory(env Getenv) bool {
	bytes, ok := Known(Name(env, "LC_CTYPE"))
	return bytes || !ok
}

// Name is the locale's name that the environment gives for a category; "C" if it says nothing.
func Name(env Getenv, category string) string {
	for _, variable := range [...]string{"LC_ALL", category, "LANG"} {
		if name, _ := env(variable); name != "" {
			return name
		}
	}
	return "C"
}
