package defect

import (
	"strings"
	"testing"
)

// A panic of the checker is recognized and not attributed to checked code.
func TestFaultIn(t *testing.T) {
	const shrinker = "github.com/macemc/macemc/shrink.(*player).next(0xc000012345)\n\t/src/shrink/dead.go:139 +0x5\n"
	const user = "example.org/mysvc.(*Raft).Receive(0xc000012345)\n\t/home/u/raft.go:7 +0x5\n"
	for _, c := range []struct {
		name, frames, want string
	}{
		{"checker", "panic({0x1, 0x2})\n\t/go/src/runtime/panic.go:1 +0x1\n" + shrinker, "index out of range"},
		{"checker in a goroutine of the library", "slices.SortFunc[...](...)\n\t/go/src/slices/sort.go:1\n" + shrinker, "index out of range"},
		{"checked code", user + shrinker, ""},
		{"checked code without a domain", "mysvc.loop()\n\t/home/u/x.go:7 +0x5\n" + shrinker, ""},
		{"bundled system", "github.com/macemc/macemc/systems/raft.f()\n\t/src/systems/raft/x.go:7 +0x5\n" + shrinker, ""},
	} {
		said := "panic: index out of range [597] with length 596\n\ngoroutine 41 [running]:\n" + c.frames + "\ngoroutine 1 [select]:\n" + shrinker
		got := ""
		if f := Died(said); f != nil {
			got = f.Error()
		}
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if c.want != "" && !strings.Contains(got, "please report it") {
			t.Errorf("%s: %q does not ask for a report", c.name, got)
		}
	}
	if f := Died("fatal error: out of memory\n\ngoroutine 1 [running]:\n" + shrinker); f != nil {
		t.Errorf("no panic: %v", f)
	}
}
