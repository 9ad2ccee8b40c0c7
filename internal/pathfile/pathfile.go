// Package pathfile reads and writes path files, which hold a path in a form for people.
package pathfile

import (
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/testflags"
)

// Version is the version of the path file format that this package writes. Parse reads every version from 1 on,
// and refuses newer ones. A change that an older program would misread raises the version.
const Version = 1

// File is a path in its form on disk, with stable event keys instead of bare numbers. People can read it, and it can be
// checked against the system and executed under other fault limits. It is a text file:
//
//	macemc path 1
//	system pingack
//	nodes 2
//	package example.org/mysvc
//	test TestPingAck
//	param retries=3
//	bug MT3
//	limit loss=1
//	timing ByDeadline
//	interleave random
//	crash-cut subset
//	live-network
//	instant 2026-03-14T15:09:26.123456789Z
//	seed 1
//	schedule phases
//	finding safety
//	property every ping is acknowledged
//	known https://example.org/issues/12
//	round 2
//	note found by walk 12
//	boot draw:1(first peer)
//	0 action n0 ping
//	1 deliver n1<-n0 Ping{Seq:1} | draw:1(peer) compare:0 fault:1 outcome:0 seed:5 reseed:7 # n1 Seen 0->1
//	4 crash n1
//	end 3
//
// The header's lines come first, then the choices of the first boots, if any, then one line for each step: index, event
// key, picks behind "|", comment behind "#". The last line holds the number of steps. Ambiguous text is quoted like a
// Go string. Blank lines and lines that begin with "#" are skipped.
//
// The number of alternatives of a choice is not stored. A pick that no longer fits is a mismatch, which ends ReadFile of
// package replay; FollowFile takes the first alternative and continues. A pick that still fits is taken.
type File struct {
	Header Header
	Boot   []Pick // choices of the first boots, before step 1
	Steps  []Step
	// Lines maps the entries that Parse found to their lines: "system", "nodes", "package", "test", "timing",
	// "interleave", "crash-cut", "live-network", "instant", "seed", "schedule", "finding", "property", "known", "round", "note", "boot",
	// and with their keys "param K", "bug ID", "limit K". WriteTo ignores it.
	Lines map[string]int
}

// Header identifies the system and settings of a path. This package does not interpret its fields. Params, Bugs and
// Limits keep their order; none may occur twice.
type Header struct {
	System  string
	Nodes   int    // at least 1
	Package string // import path of the package whose test describes the system; empty if unknown
	Test    string // name of that test; empty if unknown
	Params  []Param
	Bugs    []string
	Limits  []Limit
	Timing  string // empty if unknown
	// Interleave is the schedule of a node's goroutines; empty means one of several, chosen when a node boots.
	Interleave string
	// CrashCut selects the effects that survive of a step in which its node crashes or halts; empty means a prefix.
	CrashCut string
	Surroundings
	Seed     uint64
	Schedule string // order of the random walk that found the run; empty if none or unknown
	Finding  string // the kind of violation that the run shows; empty if none or unknown
	Property string // the violated property; empty if unknown
	Known    string // why the violation is accepted; empty if it is not
	// Endless means that the run repeats its last Round steps forever, which lead back to where they began. If Round is
	// 0, it stays in its last state.
	Endless bool
	Round   int
	Note    string // for people; may be empty
	Program string // version that wrote the file, as a comment that Parse ignores; empty if unknown
}

// Surroundings are those of the system's nodes.
type Surroundings struct {
	// AsLive means that the network behaves as between live nodes, beyond the model.
	AsLive bool
	// Instant is the instant at which the clocks of programs begin, in nanoseconds since 1970; 0 means the beginning of the year 2000.
	Instant uint64
}

// Param is a parameter of the system.
type Param struct{ Key, Value string }

// Limit is a fault limit.
type Limit struct {
	Key   string
	Value int // not negative
}

// mostFaults is the maximum of a limit in package sim, which checks it.
const mostFaults = 1_000_000

// Step is one step.
type Step struct {
	Index   int    // of the event among the enabled ones; not negative; used only as a check
	Key     string // the event's stable key
	Picks   []Pick
	Comment string // for people
	Line    int    // line of the file, set by Parse; WriteTo ignores it
}

// Pick is one answer inside a step. When a file is executed, picks are matched to points by kind, in order, see
// [Source]. Answers that are implied ([choose.Kind.Implied]) are left out by File.WriteTo and refused by [Parse],
// because the fault points depend on the limits.
type Pick struct {
	Kind  choose.Kind // not Event
	Pick  int         // not negative
	Label string
}

// ParseError describes an error in a path file.
type ParseError struct {
	Line   int // counted from 1
	Reason string
}

func (e *ParseError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// importPath parses the name of a package. A file may come from a stranger, and a build names the package in its command line.
func importPath(s string) (string, error) {
	path, err := unquoteRest(s)
	if err == nil {
		err = testflags.CheckPackage(path)
	}
	return path, err
}
