package state

import (
	"bytes"
	"testing"

	"eryxsh/core"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

// A World out of a template is the one that New makes, byte for byte.
func TestTemplates(t *testing.T) {
	hard := limit.Hardened()
	var templates core.Templates
	for round := range 2 { // the second from templates that have been used
		for name, c := range map[string]core.Config{
			"plain":    {},
			"who":      {User: "ann", Hostname: "box", Cwd: "/srv/deep/er"},
			"env":      {Env: map[string]string{"A": "1", "PATH": "/opt", "HOME": "/x", "EMPTY": ""}},
			"special":  {Env: map[string]string{"SHLVL": "3", "IFS": ":", "OLDPWD": "/tmp", "RANDOM": "1", "PS4": "> "}},
			"files":    {Files: map[string][]byte{"a": []byte("1"), "/deep/b": bytes.Repeat([]byte("x"), 40_000), "/etc/hosts": nil}},
			"tools":    {Tools: []shell.Tool{{Name: "ask"}, {Name: "held", Held: true, Help: "h"}}},
			"hardened": {Limits: hard, Files: map[string][]byte{"/tmp/x": []byte("y")}},
			"later":    {Start: 1_900_000_000e9},
		} {
			if c.Limits == (limit.Limits{}) {
				c.Limits = limit.Default()
			}
			c.Virtual, c.Seed = true, 7
			want, err := core.New(c)
			if err != nil {
				t.Fatal(err)
			}
			got, origin, err := templates.New(c)
			if err != nil {
				t.Fatal(err)
			}
			if round == 1 {
				for _, w := range []*core.World{want, got} {
					if _, err := w.Begin(core.Start{Script: "echo $RANDOM > f; x=1; cat f $HOME/f 2>&1; date"}); err != nil {
						t.Fatal(err)
					}
					(&player{}).run(t, w)
				}
				if origin.Files.Usage() == got.M.FS.Usage() {
					t.Errorf("%s: what it began with has changed with it", name)
				}
			}
			if a, b := export(t, want), export(t, got); !bytes.Equal(a, b) {
				t.Errorf("%s, round %d: the states differ (%d and %d bytes)", name, round, len(a), len(b))
			}
		}
	}
}

func TestTemplatesReportBadFiles(t *testing.T) {
	var templates core.Templates
	c := core.Config{Limits: limit.Default(), Files: map[string][]byte{"/a": nil, "/a/b": nil}}
	_, want := core.New(c)
	if _, _, err := templates.New(c); err == nil || want == nil || err.Error() != want.Error() {
		t.Errorf("%v, not %v", err, want)
	}
}
