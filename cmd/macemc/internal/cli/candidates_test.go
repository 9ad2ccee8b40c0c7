package cli

import (
	"os"
	"testing"
)

// A test in place of a system leads to the command for that test.
func TestSearch_NamesTest(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const code = `package a

import (
	"testing"

	"github.com/macemc/macemc/mctest"
)

func TestPlain(t *testing.T) {}
func TestLease(t *testing.T) { mctest.Check(t, system) }
`
	if err := os.WriteFile("a_test.go", []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	const flag = "macemc: unknown flag --run; --test NAME selects the system of a test, and macemc test -run NAME explores the schedules of a test; " +
		"see macemc search --help\n"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"search", "TestPlain"}, `macemc: unknown system "TestPlain"; TestPlain checks no system; ` +
			`explore its schedules with: macemc test -run '^TestPlain$' .` + "\n"},
		{[]string{"search", "TestLease"}, `macemc: unknown system "TestLease"; did you mean .:TestLease?` + "\n"},
		{[]string{"search", ".", "--run", "TestPlain"}, flag},
		{[]string{"search", ".", "-run", "TestPlain"}, flag},
	} {
		if out, status := runHere(t, dir, c.args...); out != c.want || status != 2 {
			t.Errorf("macemc %q: exit status %d, want 2, got\n%s\nwant\n%s", c.args, status, out, c.want)
		}
	}
}
