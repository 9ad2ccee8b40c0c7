package choose

import "fmt"

// FormatVersion is the version of the path file format that this package writes. Parse reads every version from 1 on, and
// refuses a newer one by number. A change that an older program would misread raises the version.
const FormatVersion = 1

// File is a path in the form in which it is kept on disk: with stable event keys instead of bare
// numbers, so that it can be read by people, checked against the system, and followed under other
// fault limits. It is a text file:
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
//	seed 1
//	schedule phases
//	finding safety
//	property every ping is acknowledged
//	round 2
//	note found by walk 12
//	boot draw:1(first peer)
//	0 action n0 ping
//	1 deliver n1<-n0 Ping{Seq:1} | draw:1(peer) compare:0 # n1 Seen 0->1
//	4 crash n1
//	end 3
//
// The header's lines come first, then the choices of the first boots, when there were any, then one
// line for each step: index, event key, picks behind "|", comment behind "#". The last line says how
// many steps there are. Text that could be misunderstood is quoted like a Go string. Blank lines and
// lines that begin with "#" are skipped.
type File struct {
	Header Header
	Boot   []FilePick // choices of the first boots, before step 1
	Steps  []FileStep
	// Lines tells where Parse found what: "system", "nodes", "package", "test", "timing", "interleave", "crash-cut", "live-network", "seed", "schedule", "finding", "property", "round", "note",
	// "boot", and with their keys "param K", "bug ID", "limit K". WriteTo does not look at it.
	Lines map[string]int
}

// Header says what the path belongs to. This package gives its fields no meaning. Params, Bugs and
// Limits keep their order; none may occur twice.
type Header struct {
	System  string
	Nodes   int    // at least 1
	Package string // import path of the package whose test describes the system; "": not said
	Test    string // name of that test; "": not said
	Params  []Param
	Bugs    []string
	Limits  []Limit
	Timing  string // "": not said
	// Interleave is how the goroutines of a node take turns; "": one of several ways, chosen when a node boots.
	Interleave string
	// CrashCut is what happens of a step inside which its node crashes or halts; "": a prefix of its effects.
	CrashCut string
	// AsLive: the network does what that of live nodes does, beyond the model.
	AsLive   bool
	Seed     uint64
	Schedule string // by which the random walk that found the run was ordered; "": none, or not said
	Finding  string // the kind of violation that the run shows; an empty string means that it shows none, or that the file does not say
	Property string // the one that is violated; "": not said
	// Endless: the run goes on for ever by its last Round steps, which lead back to where they began; 0: it stays in its last state.
	Endless bool
	Round   int
	Note    string // for people; "": none
	Program string // which version wrote the file, as a comment that is not read again; "": not said
}

// Param is a parameter of the system.
type Param struct{ Key, Value string }

// Limit is a fault limit.
type Limit struct {
	Key   string
	Value int // not negative
}

// FileStep is one step.
type FileStep struct {
	Index   int    // of the event among the enabled ones; not negative; only a check
	Key     string // the event's stable key
	Picks   []FilePick
	Comment string // for people
	Line    int    // where Parse found it; WriteTo does not look at it
}

// FilePick is one answer inside a step. When a file is followed, picks are matched to the points by
// kind, in order, see [PickSource]. Faults that did not strike (kind [Fault], pick 0) are left out
// by File.WriteTo and refused by [Parse], because other limits ask for other faults.
type FilePick struct {
	Kind  Kind // not Event
	Pick  int  // not negative
	Label string
}

// ParseError tells what is wrong with a path file.
type ParseError struct {
	Line   int // counted from 1
	Reason string
}

func (e *ParseError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }
