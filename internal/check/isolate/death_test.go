package isolate

import (
	"strings"
	"testing"
)

// Output of Go programs without memory, and similar output.
func TestOutOfMemory(t *testing.T) {
	for said, want := range map[string]bool{
		"fatal error: runtime: out of memory\n": true,
		"SIGSEGV: segmentation violation\nPC=0x43751d m=2 sigcode=1 addr=0x0\n\ngoroutine 0 gp=0x41fbea7cf00 m=2 mp=0x41fbeab4808 [idle]:\n" +
			"runtime.(*spanQueue).tryDrain(0x400?, 0x0?, 0x0?)\n": true,
		"SIGSEGV: segmentation violation\nPC=0x7f m=2 sigcode=1 addr=0x0\nsignal arrived during cgo execution\n\ngoroutine 1 gp=0x1 [syscall]:\nruntime.cgocall(0x1)\n": false,
		"panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4a]\n\n" +
			"goroutine 7 [running]:\nmain.f()\n": false,
	} {
		if outOfMemory.MatchString(said) != want {
			t.Errorf("%v, want %v: %s", !want, want, said)
		}
	}
}

// A handler that exceeds its time limit in a deep recursion may be about to overflow the stack. Many goroutines have large
// stacks together, too.
func TestReadStuck(t *testing.T) {
	frames := func(n int) string {
		return "goroutine 7 [running]:\n" + strings.Repeat("p.down(0x1)\n\t/p/p.go:7 +0x1d\n", n) + "created by p.up in goroutine 1\n\t/p/p.go:3 +0x2\n"
	}
	const size = "macemc: stacks of 512 MB, 40 goroutines\n"
	for _, c := range []struct{ name, said, stack, remark string }{
		{"deep", size + stuckHeader + frames(50), frames(50), "; it is in a deep recursion, which may be one that overflows the stack"},
		{"killed before its stack was printed", size, "", "; with stacks of 512 MB, it may be in a recursion that overflows the stack"},
		{"many goroutines, and killed", "macemc: stacks of 512 MB, 190000 goroutines\n", "",
			"; with 190000 goroutines, it may be in a loop that starts goroutines"},
		{"some goroutines", size + stuckHeader + frames(5), frames(5), ""},
		{"without a stack", "macemc: stacks of 3 MB, 40 goroutines\n" + stuckHeader, "", ""},
		{"did not answer", "", "", ""},
	} {
		stack, remark, deep := readStuck(c.said)
		if stack != c.stack || remark != c.remark || deep != (c.remark != "" && c.stack == "") {
			t.Errorf("%s: %q, deep %v, and stack\n%s", c.name, remark, deep, stack)
		}
	}
}
