package simext

import (
	"strings"
	"sync/atomic"
)

// BetweenGoroutines separates the goroutines of a program in the description of its state.
const BetweenGoroutines = "; "

// Parts of such a description.
const (
	InLibrary    = "in the standard library" // ends that of a goroutine without frames of the program
	NoGoroutines = "no goroutines"
	Outlined     = "not described here" // is the whole description, see [Outliner]
	Pauses       = " pauses before "    // in that of a goroutine that the schedule holds back
)

// Scheduled begins a line of a node's log in which the schedule of a program's goroutines is described.
const Scheduled = "schedule: "

// Survived begins a line of a node's log that describes what a crash has left of the files of a program.
const Survived = "files: "

// Restores reports whether a label is that of a choice of what a crash leaves of a program's files, see [Survived].
func Restores(label string) bool {
	for _, first := range []string{"unsynced changes of ", "unsynced pages of ", "writes to ",
		"halves of the next write to ", "bytes of the next write to "} {
		if strings.HasPrefix(label, first) {
			return strings.Contains(label, " that survive") || strings.HasSuffix(label, " that a later one overtakes")
		}
	}
	return false
}

// GoroutinesField is the private field of a [Carrier] with that description.
const GoroutinesField = "goroutines"

// ProgramExits is the line that precedes the stack of a program that ends the checker's process, as os.Exit does. The
// stack shows the call.
const ProgramExits = "macemc: a program ends the process\n\n"

// HostProgram calls f, which runs the goroutines of a hosted program and is not one of them. Readers of stacks
// recognize its goroutine by this call.
//
//go:noinline
func HostProgram(f func()) { f() }

// AwaitProgram calls wait, in which a handler waits until the goroutines of such a program are blocked. Readers of
// stacks conclude from this call that it waits for no other handler.
//
//go:noinline
func AwaitProgram(wait func()) { wait() }

// Suspected changes whenever checked code is suspected not to return.
//
//lint:state it affects only steps that are aborted
var Suspected atomic.Uint32

// Hosted is implemented by services that run a program.
type Hosted interface {
	// Running returns the number of the synctest bubble with the goroutines of the program, 0 if it is not running, and the last lines
	// that it has printed or logged since its boot.
	Running() (bubble uint64, lastLines []string)
}

// Control is implemented by messages that may only open, close or pace a connection.
type Control interface {
	// Control reports whether the message does so, and carries no data.
	Control() bool
}

// Storing is implemented by services that keep files on the disk of their node.
type Storing interface {
	// Storage returns the settings of the data directory of the node; nil means that it has none.
	Storage() *Storage
	// Booted returns the files that the node found at its last boot, by path below its data directory, and the directories as well,
	// whose paths end in a slash. It returns nil if there is no data directory. lost describes what the crash before the boot changed, file
	// by file, and is empty if it changed nothing.
	Booted() (files map[string][]byte, lost string, err error)
}

// Storage are settings of a node with a data directory.
type Storage struct {
	StopsAtBoot bool // a boot ends before the program begins
}

// Reproducer is implemented by monitors that write a test in plain Go, which fails as the run did.
type Reproducer interface {
	// PlainTest returns the source of the test. files and lost are those of [Storing]. stopped reports whether the last boot ended before
	// the program began, see [Storage].
	PlainTest(finding, lost string, files map[string][]byte, stopped bool) ([]byte, error)
}
