package testflags

import (
	"slices"
	"strings"
	"testing"
)

// New processes execute the subtests of this one, with its flags.
func TestFlags_Selection(t *testing.T) {
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
		if got := (Flags{Run: c.run}).Selection(c.test); got != c.want {
			t.Errorf("-run %s: got %s for %s, want %s", c.run, got, c.test, c.want)
		}
	}
	f := ParseFlags("", []string{"-test.paniconexit0", "-test.run=X/a", "-test.skip=X/b", "-test.short=true", "-test.timeout=1m", "-slow"})
	if got, want := strings.Join(f.Process("TestX"), " "), "-test.run=^TestX$/a -test.skip=X/b -test.short=true -slow"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A file holds flags as they stand in a command line.
func TestFlags_Of(t *testing.T) {
	f := Flags{Tags: "x,y", Short: true, Run: "TestX/a b", Skip: "X/c'd", Args: []string{"-slow", "$HOME"}}
	const line = `-tags=x,y -short '-run=^TestX$/a b' '-skip=X/c'"'"'d' -args -slow '$HOME'`
	got := f.Of("TestX")
	flags, args := SplitFlags(got)
	if got != line || !slices.Equal(flags, []string{"-tags=x,y", "-short", "-run=^TestX$/a b", "-skip=X/c'd"}) ||
		!slices.Equal(args, []string{"-args", "-slow", "$HOME"}) {
		t.Errorf("line %s, flags %q, arguments %q", got, flags, args)
	}
	if flags, args := SplitFlags(""); len(flags)+len(args) > 0 {
		t.Errorf("flags %q, arguments %q of an empty line", flags, args)
	}
}

func TestFlags_Selects(t *testing.T) {
	for _, c := range []struct {
		run, skip, test string
		want            bool
	}{
		{"", "", "TestX", true},
		{"^TestX$", "", "TestX", true},
		{"^TestX$", "", "TestXY", false},
		{"Test(X|Y)$", "", "TestY", true},
		{"TestX/sub|TestZ", "", "TestX", true},
		{"TestX/sub|TestZ", "", "TestY", false},
		{"", "TestX", "TestX", false},
		{"", "TestX/sub", "TestX", true},
		{"TestX/a/b|Y", "X/a/b/c", "TestX", true},
		{"TestX/a/b|Y", "X/a/b/c", "TestX/a", true},
		{"TestX/a/b|Y", "X/a/b/c", "TestX/b", false},
		{"TestX/a/b|Y", "X/a/b/c", "TestX/a/b", true},
		{"TestX/a/b|Y", "X/a/b/c", "TestX/a/b/c", false},
		{"TestX/a/b|Y", "X/a/b/c", "TestX/a/b/c/d", false},
		{"TestX/a/b|Y", "X/a/b/c", "TestY/a", true},
		{"TestX/a/b|Y", "X/a/b/c", "TestZ", false},
	} {
		if got := (Flags{Run: c.run, Skip: c.skip}).Selects(c.test); got != c.want {
			t.Errorf("-run %q -skip %q, %s: got %t, want %t", c.run, c.skip, c.test, got, c.want)
		}
	}
}
