package document_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

// A stack begins at the user's frame: frames of the checker are left out, and those of the standard library before the
// user's first one.
func TestUserFrames(t *testing.T) {
	checker, library := path.Dir(stacks.Dir(sim.ParseFault)), path.Dir(stacks.Dir(strings.Cut))
	for _, c := range []struct {
		name   string
		frames [][2]string // function and place
		want   []string
	}{
		{"a call that the checker refuses", [][2]string{
			{"panic", library + "/runtime/panic.go:7"},
			{"github.com/macemc/macemc/bubble/internal/filesystem.(*File).Call", checker + "/bubble/internal/filesystem/descriptor.go:83"},
			{"github.com/macemc/macemc/bubble/internal/filetree.Find", checker + "/bubble/internal/filetree/tree.go:3"},
			{"syscall.Syscall6", "/home/me/.cache/macemc/overlay/src/syscall/syscall_linux.go:95"},
			{"syscall.Mmap", library + "/syscall/syscall_linux.go:1279"},
			{"example.com/kv.mapFile", "/home/me/kv/map.go:7"},
			{"sync.(*Once).Do", library + "/sync/once.go:7"},
			{"example.com/kv.TestMap.func1", "/home/me/kv/map_test.go:9"},
			{"github.com/macemc/macemc/bubble.(*node).perform.(*node).begin.func6.1", checker + "/bubble/node.go:105"},
		}, []string{"kv/map.go:7  kv.mapFile", "sync/once.go:7  sync.(*Once).Do", "kv/map_test.go:9  kv.TestMap.func1"}},
		{"an action, whose function literal is inlined into the test", [][2]string{
			{"example.com/kv.(*Store).Compact", "/home/me/kv/kv.go:7"},
			{"example.com/kv.TestStop.Call[...].func2.1", checker + "/bubble/action.go:20"},
		}, []string{"kv/kv.go:7  kv.(*Store).Compact"}},
		{"an effect of a program, without a frame of it", [][2]string{
			{"github.com/macemc/macemc/internal/kernel.(*env).Send", checker + "/internal/kernel/handler.go:7"},
			{"github.com/macemc/macemc/bubble.(*effect).applyTo", checker + "/bubble/service.go:248"},
			{"github.com/macemc/macemc/internal/shrink.(*Player).Play", checker + "/internal/shrink/play.go:56"},
		}, nil},
		{"the standard library alone", [][2]string{
			{"net/http.(*conn).serve", library + "/net/http/server.go:7"},
		}, []string{"http/server.go:7  http.(*conn).serve"}},
		{"tests and examples of the checker", [][2]string{
			{"github.com/macemc/macemc/bubble_test.init.func1", checker + "/bubble/endings_test.go:5"},
			{"github.com/macemc/macemc/internal/test/toys.(*Counter).Receive", checker + "/internal/test/toys/counter.go:5"},
			{"github.com/macemc/macemc/internal/kernel.(*Machine).call", checker + "/internal/kernel/execute.go:5"},
		}, []string{"bubble/endings_test.go:5  bubble_test.init.func1", "toys/counter.go:5  toys.(*Counter).Receive"}},
	} {
		text := "goroutine 1 [running]:\n"
		for _, f := range c.frames {
			text += f[0] + "(...)\n\t" + f[1] + " +0x1\n"
		}
		got := document.UserFrames(text)
		for i, g := range got { // places in this module are relative to this folder
			got[i] = strings.TrimPrefix(g, "../../../")
			got[i] = strings.TrimPrefix(got[i], "../../test/")
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A panic that a deferred function raised after it had recovered another one is described, and not the other one.
func TestUserFrames_RaisedAgain(t *testing.T) {
	const stack = "panic: first [recovered]\n\tpanic: again\n\ngoroutine 7 [running]:\nexample.org/p.f.func1()\n\t/src/p/p.go:6 +0x66\n" +
		"panic({0x4a84a0?, 0x4cdf60?})\n\t/go/src/runtime/panic.go:860 +0x13a\nexample.org/p.f()\n\t/src/p/p.go:7 +0x3e\n"
	if value, ok := stacks.RaisedAgain(stack); !ok || value != "again" {
		t.Errorf("value %q, %v", value, ok)
	}
	if got := document.UserFrames(stack); len(got) != 1 || !strings.Contains(got[0], "p.go:6 ") {
		t.Errorf("got %q, want the frame of the last panic", got)
	}
	repanicked := strings.Replace(stack, "[recovered]\n\tpanic: again", "[recovered, repanicked]", 1)
	if _, ok := stacks.RaisedAgain(repanicked); ok {
		t.Error("the same value counts as another one")
	}
	if got := document.UserFrames(repanicked); len(got) != 1 || !strings.Contains(got[0], "p.go:7 ") {
		t.Errorf("got %q, want the frame of the first panic", got)
	}
}

// A goroutine that has only frames of the standard library is described by its go statement.
func TestUserFrames_Creator(t *testing.T) {
	exit := "goroutine 7 [running]:\nos.Exit(0x5)\n\t" + path.Dir(stacks.Dir(strings.Cut)) + "/os/proc.go:62 +0x66\ncreated by example.org/p.f in goroutine 1\n\t/src/p/p.go:9 +0x3e\n"
	if got := document.UserFrames(exit); len(got) != 1 || !strings.Contains(got[0], "p.go:9 ") {
		t.Errorf("got %q, want the go statement", got)
	}
}
