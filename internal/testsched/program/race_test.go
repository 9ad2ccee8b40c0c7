package program

import "testing"

func TestAccesses(t *testing.T) {
	text := "WARNING: DATA RACE\nWrite at 0x00c0 by goroutine 7:\n  sync.(*Mutex).Lock()\n      " + Root + "sync/mutex.go:46 +0x1\n" +
		"  example.org/p.f()\n      /src/p/p.go:12 +0x2\n\nPrevious read at 0x00c0 by main goroutine:\n  command-line-arguments.g()\n      /src/p/q.go:3 +0x2\n\n"
	got := Accesses(text, func(function string) string {
		if function == "command-line-arguments.g" {
			return "example.org/p.g"
		}
		return function
	})
	want := []Access{{"Write", "p.go:12 in p.f", "example.org/p.f p.go:12"}, {"Previous read", "q.go:3 in p.g", "example.org/p.g q.go:3"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %q, want %q", got, want)
	}
}
