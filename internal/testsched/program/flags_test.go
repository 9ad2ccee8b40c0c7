package program

import (
	"regexp"
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

// Each name selects its specs, whose texts begin with the description of the suite.
func TestFocus(t *testing.T) {
	for _, x := range []struct {
		text    string
		ordered bool
		other   string // is not selected
	}{
		{"S a+ b/c", false, "S a+ b/c d"}, {"S two\nlines \x01", false, "two\nlines"}, {"S list", true, "S lists"}, {"S bad\xff_", false, "S bad"},
		{"S ./...", false, "S ."}, {"S cmd/...", true, "S cmd"}, {"S ", true, "T"}, {"S a_", true, "S a begins"},
	} {
		name := Spec("TestX", x.text, x.ordered)
		if err := CheckTest(name); err != nil {
			t.Error(err)
		}
		if focus := regexp.MustCompile(Focus(name)); !focus.MatchString(x.text) || focus.MatchString(x.other) ||
			focus.MatchString(strings.TrimSpace(x.text)+" begins") != x.ordered {
			t.Errorf("%q: %s", name, focus)
		}
	}
}

func TestFlags_Selects(t *testing.T) {
	f := Flags{Run: "TestX/a/b|Y", Skip: "X/a/b/c"}
	for name, want := range map[string]bool{"TestX": true, "TestX/a": true, "TestX/b": false, "TestX/a/b": true, "TestX/a/b/c": false,
		"TestX/a/b/c/d": false, "TestY/a": true, "TestZ": false} {
		if got := f.Selects(name); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
}
