// The end of the process is the end of a run, signals to itself are its events, and only one run prints. Its sockets are simulated.

package os

import "internal/stringslite"

//go:noescape
func macemcPrinted(text []byte, logged bool) (discarded bool)

func macemcExit(code int)
func macemcTested() bool
func macemcRefuse(reason string)

// macemcOpensProc ends a run that looks for its sockets among those of the process, or reads the time since the machine has started.
func macemcOpensProc(name string) {
	own, ok := stringslite.CutPrefix(name, "/proc/")
	if !ok {
		return
	}
	if own == "uptime" {
		macemcRefuse("it reads a clock of the system")
	}
	if process, rest, ok := stringslite.Cut(own, "/"); ok &&
		(process == "self" || process == "thread-self" || "0" < process && process < ":") {
		own = rest
	}
	if own == "fd" || stringslite.HasPrefix(own, "net/") {
		macemcRefuse("it lists the sockets of its process")
	}
}

// macemcOnExit is called by Exit, and returns the status of the process. nil means that nothing is called.
var macemcOnExit func(code int) int

func macemc_testOnExit(f func(code int) int) { macemcOnExit = f }

func macemcRaise(sig uint32) bool
