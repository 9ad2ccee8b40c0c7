// Arguments of system calls that are simulated.

package syscall

func macemcStackBounds() (lo, hi uintptr)

// macemcArguments are the arguments of a system call. One with a bit in onStack points to the stack, which may move: it is the distance from
// the end of the stack.
type macemcArguments struct {
	a       [6]uintptr
	onStack uint8
}

//go:nosplit
//go:norace
func macemcHold(a1, a2, a3, a4, a5, a6 uintptr) (p macemcArguments) {
	lo, hi := macemcStackBounds()
	p.a = [6]uintptr{a1, a2, a3, a4, a5, a6}
	for i := range p.a {
		if a := p.a[i]; a >= lo && a < hi {
			p.a[i] = hi - a
			p.onStack |= 1 << i
		}
	}
	return p
}
