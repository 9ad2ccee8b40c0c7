package cmdline_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/mdb/internal/cmdline"
)

func TestSplit_Quotes(t *testing.T) {
	for line, want := range map[string][]string{
		`goto 3; find event /a b;c/ # no comment`:   {"goto 3", "find event /a b;c/ '#' no comment"},
		`save 'a b.path'; ; run x"y z"`:             {"save 'a b.path'", "run 'xy z'"},
		`# comment`:                                 nil,
		`find Name ~ "it's"`:                        {`find Name ~ "it's"`},
		`print m["a; \"b"]; when a/b == 'c' && d/b`: {`print m["a; \"b"]`, `when a/b == 'c' && d/b`},
		"watch s == `a;`; n":                        {"watch s == `a;`", "n"},
	} {
		commands, err := cmdline.Split(line)
		if err != nil {
			t.Errorf("Split(%q): %v", line, err)
		}
		var got []string
		for _, words := range commands {
			got = append(got, cmdline.Join(words))
		}
		if !slices.Equal(got, want) {
			t.Errorf("Split(%q) joined is %q, want %q", line, got, want)
		}
	}
}

func TestSplit_UnclosedQuote(t *testing.T) {
	if got, err := cmdline.Split(`goto 1; find 'x`); err == nil {
		t.Errorf("Split accepts an unclosed quote: %q", got)
	}
}

func TestSettings_Count(t *testing.T) {
	set, rest, err := cmdline.ReadSettings([]string{"live", "steps=20", "seed=0"}, "steps", "seed")
	if err != nil || !slices.Equal(rest, []string{"live"}) {
		t.Fatalf("got rest %q and error %v", rest, err)
	}
	if n, err := set.Count("steps", 5); n != 20 || err != nil {
		t.Errorf("steps is %d, %v; want 20", n, err)
	}
	if n, err := set.Count("walks", 5); n != 5 || err != nil {
		t.Errorf("walks is %d, %v; want the default 5", n, err)
	}
	if _, err := set.Count("seed", 1); !cmdline.IsUsage(err) {
		t.Errorf("seed=0 gives %v, want a usage error", err)
	}
	if _, _, err := cmdline.ReadSettings([]string{"setps=1"}, "steps"); !cmdline.IsUsage(err) {
		t.Errorf("an unknown key gives %v, want a usage error", err)
	}
}
