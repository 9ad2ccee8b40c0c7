package testsched

import (
	"slices"
	"strings"
	"testing"
)

// New processes execute the subtests of this one, with its flags.
func TestTestFlags_Pattern(t *testing.T) {
	for _, c := range []struct{ run, test, want string }{
		{"", "TestX", "^TestX$"},
		{"X", "TestX", "^TestX$"},
		{"TestX/b", "TestX", "^TestX$/b"},
		{"TestX/b/c|TestX/d", "TestX", "^TestX$/b/c|^TestX$/d"},
		{"TestX/b|X", "TestX", "^TestX$"},
		{"TestX/b|TestY", "TestX", "^TestX$/b"},
		{"Test(X/a|Y)/b|[/|]", "TestX", "^TestX$"},
		{"Test(X|Y)/[b/]|TestY", "TestX", "^TestX$/[b/]"},
		{"Test\\|X|/a", "TestX", "^TestX$/a"},
		{"FuzzX/seed", "FuzzX/seed#0", "^FuzzX$/^seed#0$"},
		{"FuzzX/seed/a", "FuzzX/seed#0", "^FuzzX$/^seed#0$/a"},
	} {
		if got := (testFlags{run: c.run}).pattern(c.test); got != c.want {
			t.Errorf("-run %s: got %s for %s, want %s", c.run, got, c.test, c.want)
		}
	}
	f := parseFlags([]string{"-test.paniconexit0", "-test.run=X/a", "-test.skip=X/b", "-test.short=true", "-test.timeout=1m", "-slow"})
	if got, want := strings.Join(f.process("TestX"), " "), "-test.run=^TestX$/a -test.skip=X/b -test.short=true -slow"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A file holds flags as they stand in a command line.
func TestTestFlags_Words(t *testing.T) {
	f := testFlags{tags: "x,y", short: true, run: "TestX/a b", skip: "X/c'd", args: []string{"-slow", "$HOME"}}
	const line = `-tags=x,y -short '-run=^TestX$/a b' '-skip=X/c'"'"'d' -args -slow '$HOME'`
	s := &Stored{Flags: f.of("TestX")}
	flags, args := s.Words()
	if s.Flags != line || !slices.Equal(flags, []string{"-tags=x,y", "-short", "-run=^TestX$/a b", "-skip=X/c'd"}) ||
		!slices.Equal(args, []string{"-args", "-slow", "$HOME"}) {
		t.Errorf("line %s, flags %q, arguments %q", s.Flags, flags, args)
	}
	if flags, args := (&Stored{}).Words(); len(flags)+len(args) > 0 {
		t.Errorf("flags %q, arguments %q of an empty line", flags, args)
	}
	c := &Settings{flags: f}
	before, after := c.command(&Config{Test: "TestX", Race: true})
	if want := `-race -run '^TestX$/a b' -tags=x,y -short '-skip=X/c'"'"'d'`; before != want || after != " -args -slow '$HOME'" {
		t.Errorf("got %s and %s, want %s", before, after, want)
	}
}
