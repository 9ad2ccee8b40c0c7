package isolate

import "testing"

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
