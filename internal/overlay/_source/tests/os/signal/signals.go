// Signals that the test of a run sends to its own process. A goroutine of the test delivers them, as loop delivers those of the system.

package signal

import (
	"internal/synctest"
	"sync"
	"syscall"
)

func macemcTested() bool
func macemcIgnore(sig uint32, on bool)
func macemcIgnores(sig uint32) bool
func macemcOnSignal(f func(sig uint32) bool)

// macemcSent are the signals of a run that macemcDeliver has not taken, as bits. idle is closed when macemcDeliver ends; nil means that it
// does not run.
var macemcSent struct {
	pending [(numSig + 31) / 32]uint32
	idle    chan struct{}
}

func init() {
	macemcOnSignal(raise)
	synctest.OnMacemcReset(func() {
		clear(macemcSent.pending[:])
		macemcSent.idle = nil
	})
}

// raise queues a signal for delivery, and reports whether a channel receives it. A signal that is already queued is not added.
//
//go:norace
func raise(sig uint32) bool {
	if sig >= numSig || handlers.ref[sig] == 0 {
		return false
	}
	macemcSent.pending[sig/32] |= 1 << (sig % 32)
	if macemcSent.idle == nil {
		macemcSent.idle = make(chan struct{})
		go loop()
	}
	return true
}

// macemcDeliver is the loop of a run: it delivers queued signals, those that are queued together by their numbers.
//
//go:norace
func macemcDeliver() {
	for macemcSent.pending != [len(macemcSent.pending)]uint32{} {
		taken := macemcSent.pending
		clear(macemcSent.pending[:])
		for sig := range numSig {
			if taken[sig/32]>>(sig%32)&1 != 0 {
				process(syscall.Signal(sig))
			}
		}
	}
	idle := macemcSent.idle
	macemcSent.idle = nil
	close(idle)
}

// macemcWaitUntilIdle waits until no signal is queued.
//
//go:norace
func macemcWaitUntilIdle() {
	if !macemcTested() {
		signalWaitUntilIdle()
	} else if idle := macemcSent.idle; idle != nil {
		<-idle
	}
}

// macemcWatch starts the delivery of the system's signals. A run receives none of them.
func macemcWatch(once *sync.Once, start func()) {
	if !macemcTested() {
		once.Do(start)
	}
}
