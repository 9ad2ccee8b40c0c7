package program

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A line is identified by its text, and by its number among equal ones of its function.
func TestDescribe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte("package x\n\nfunc f() {\n\tg()\n\tg( )\n\tg()\n}\n\nfunc h() {\n\tg()\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range []int{4, 5, 6, 10, 2, 99} {
		got = append(got, DescribeLine(file, line))
	}
	if want := []string{"`g()`", "`g( )`", "`g()` (2)", "`g()`", "x.go:2", "x.go:99"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The cases of a select are counted separately for sends and receives.
func TestCaseOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.go")
	text := `package x

func f() {
	select {
	case p.queue <- task{1}: // the first one that sends
		switch x {
		case <-y:
		}
	case v, ok := <-p.jobs[i]:
		select {
		case <-inner:
		}
	case (<-ctx.Done()):
	default:
	case out <- "<-":
	case <-time.After(1): <-z
	}
	select {
	case <-a:
	case b <- <-c:
	}
	select { case <-a: }
}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line  int
		sends bool
		nth   int
		want  string
	}{
		{4, true, 0, "p.queue"}, {4, true, 1, "out"}, {4, true, 2, ""}, {4, false, 0, "p.jobs[i]"}, {4, false, 1, "ctx.Done()"}, {4, false, 2, "time.After(1)"}, {4, false, 3, ""},
		{10, false, 0, "inner"}, {18, false, 0, "a"}, {18, true, 0, ""}, {18, false, 1, ""}, {22, false, 0, ""}, {3, true, 0, ""}, {0, true, 0, ""}, {99, true, 0, ""},
	} {
		if got := CaseOf(file, c.line, c.sends, c.nth); got != c.want {
			t.Errorf("line %d, sends %v, number %d: %q, want %q", c.line, c.sends, c.nth, got, c.want)
		}
	}
}
