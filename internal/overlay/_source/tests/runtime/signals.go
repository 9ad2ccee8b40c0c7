// Signals that the test of a run ignores or sends to its own process. The process itself handles signals as before the run.

package runtime

// macemcQueueSignal delivers a signal to the channels of os/signal.Notify, and reports whether there are any. nil means that the program
// does not contain that package.
var macemcQueueSignal func(s uint32) bool

func macemcOnSignal(f func(s uint32) bool) { macemcQueueSignal = f }

// macemcIgnored are the signals that the run ignores, as bits.
var macemcIgnored [len(sig.ignored)]uint32

func macemcIgnore(s uint32, on bool) {
	if s < uint32(32*len(macemcIgnored)) {
		macemcIgnored[s/32] &^= 1 << (s % 32)
		if on {
			macemcIgnored[s/32] |= 1 << (s % 32)
		}
	}
}

func macemcIgnores(s uint32) bool {
	return s < uint32(32*len(macemcIgnored)) && macemcIgnored[s/32]>>(s%32)&1 != 0
}
