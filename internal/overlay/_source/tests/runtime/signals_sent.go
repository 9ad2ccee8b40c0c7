//go:build unix

// The effect of a signal that the test of a run sends to its own process.

package runtime

import "internal/stringslite"

// macemcRaise has the effect of a signal on the process, as sighandler describes it, and reports whether the caller is a test that is
// explored.
func macemcRaise(s uint32) bool {
	if !macemcTested() {
		return false
	}
	if s >= uint32(len(sigtable)) {
		macemcRefuse("it sends itself an unknown signal")
		return true
	}
	t := &sigtable[s]
	name := t.name
	if end := stringslite.IndexByte(name, ':'); end >= 0 {
		name = name[:end]
	}
	switch queue := macemcQueueSignal; {
	case name == "SIGKILL":
		macemcEnds(0, name+" ended the process")
	case t.flags == 0, t.flags&_SigSetStack != 0:
		macemcRefuse("it sends itself " + name)
	case queue != nil && queue(s), macemcIgnores(s):
	case t.flags&(_SigKill|_SigThrow|_SigPanic) != 0:
		macemcEnds(0, name+" ended the process, which does not handle it")
	case t.flags&_SigDefault != 0 && name != "SIGCONT":
		macemcRefuse("it stops its process with " + name)
	}
	return true
}
