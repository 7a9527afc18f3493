package numbers

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Mark begins the part of FORMAT.md that is generated; its last line is End.
const (
	Mark = "<!-- From here on generated from the source by `go generate ./state/internal/codec`. -->\n"
	End  = "<!-- The end of what is generated. -->\n"
)

// Format gives FORMAT.md with its generated part as it should be. root is the folder of the module.
func Format(old []byte, root string) ([]byte, error) {
	before, rest, ok := bytes.Cut(old, []byte(Mark))
	_, after, closed := bytes.Cut(rest, []byte(End))
	if !ok || !closed {
		return nil, fmt.Errorf("FORMAT.md has no marks around what is generated")
	}
	text, err := tables(root)
	return slices.Concat(before, []byte(Mark), []byte(text), []byte(End), after), err
}

// tables describes the states of utilities and the constants.
func tables(root string) (string, error) {
	var b strings.Builder
	src := newSources(root)
	seen := map[reflect.Type]bool{}
	for _, t := range append(Records(), Stored()...) {
		Structs(t, seen) // they are described by hand
	}
	b.WriteString("\n## States of utilities\n")
	users := map[reflect.Type][]string{}
	programs := Programs()
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		users[programs[name]] = append(users[programs[name]], name)
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		for _, t := range Structs(programs[name], seen) {
			if err := structTable(&b, src, t, users[t]); err != nil {
				return "", err
			}
		}
	}
	b.WriteString("\n## Constants among the values\n")
	for _, g := range Groups {
		all, comments, err := src.constants(g)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n#### %s (`%s`)\n\n| value | name | meaning |\n|---|---|---|\n", strings.ToUpper(g.Name[:1])+g.Name[1:], g.Of)
		for i, c := range all {
			fmt.Fprintf(&b, "| %d | %s | %s |\n", c.Value, c.Name, comments[i])
		}
	}
	return b.String() + "\n", nil
}

func structTable(b *strings.Builder, src *sources, t reflect.Type, users []string) error {
	fmt.Fprintf(b, "\n#### `%s`", short(FullName(t)))
	if len(users) > 0 {
		fmt.Fprintf(b, ": %s", strings.Join(users, ", "))
	}
	fields, wrong := Fields(t)
	if len(wrong) > 0 {
		return fmt.Errorf("%s", wrong)
	}
	if len(fields) == 0 {
		b.WriteString("\n\nNothing.\n")
		return nil
	}
	b.WriteString("\n\n| number | field | kind | meaning |\n|---|---|---|---|\n")
	for _, f := range fields {
		comment, err := src.comment(t, f.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "| %d | %s | `%s` | %s |\n", f.Num, f.Name, shortKind(Kind(f.Type, FullName)), comment)
	}
	return nil
}

// comment is what the source says of a field, which may be an embedded struct's.
func (s *sources) comment(t reflect.Type, field string) (string, error) {
	src, err := s.of(strings.TrimPrefix(t.PkgPath(), "eryxsh/"))
	if err != nil {
		return "", err
	}
	if c, ok := src.fields[t.Name()+"."+field]; ok {
		return c, nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			if _, ok := f.Type.FieldByName(field); ok {
				return s.comment(f.Type, field)
			}
		}
	}
	return "", nil
}
