package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/macemc/macemc/internal/eventkind"
)

// System is a system to be checked. It is a plain value: variants are copies with other fields.
type System struct {
	// Name is the name of the system in reports, in UTF-8. In a test, an empty string means the name of the test.
	Name string
	// Nodes is the number of nodes, at least 1. Their [NodeID]s are 0 to Nodes-1.
	Nodes int
	// NodeName returns the name of a node that reports show beside its [NodeID], such as its ID in the numbering of the
	// system: "raft 1". Nil means the types of the services if these differ, and else no names.
	NodeName func(NodeID) string
	// New returns the service of a node, at every start. It must depend on id alone.
	New func(id NodeID) Service
	// Network is the network between the nodes. Nil means no network: sending is a violation.
	Network Network
	// Crashes is the maximum number of crashes in a run, over the whole system.
	Crashes int
	// MayCrash reports whether a node may crash. Nil means that all may.
	MayCrash func(NodeID) bool
	// Halts is the maximum number of nodes that halt in a run: they crash and never boot again, so the system must
	// recover without them.
	Halts int
	// MayHalt reports whether a node may halt. Nil means the nodes that MayCrash allows.
	MayHalt func(NodeID) bool
	// Containers are sets of nodes that share a process. If one of them crashes or halts, the others do so in the same
	// step, which counts as one crash. A crash inside a step of one node cuts off the effects of that node only. Each
	// node boots in a step of its own. Until then a crash takes down the nodes that are up. A halt takes down all nodes
	// of the set, including those already down. A set has at least two nodes. Either all of them may crash or none, and
	// the same holds for halts. A node is in at most one set. Nil means that each node has its own process.
	Containers [][]NodeID
	// CrashCut selects the effects that happen of a step in which the node crashes or halts. The zero value is
	// [CutPrefix].
	CrashCut CrashCut
	// ClockJumps is the maximum number of jumps of wall clocks in a run, over all nodes that are programs of package
	// bubble. A jump is a choice from a second to an hour, forward or backward, and lasts until the node boots again.
	// Timers and the monotonic readings of package time do not jump.
	ClockJumps int
	// DiskErrors is the maximum number of errors of files in a run, over all nodes that are programs with a data
	// directory. The next change or Sync of a file or a directory fails with EIO, or the next change that takes space
	// with ENOSPC. That change does not happen, and a later Sync makes earlier ones durable.
	DiskErrors int
	// HalfOpens is the maximum number of connections that break at one end in a run, over all nodes that are programs.
	// That end gets the error ETIMEDOUT. The other end is reset when it sends data. It notices nothing otherwise, as the probes of keep-alive
	// are not simulated. Package net enables them by default, so on a real network a connection that is only read fails after some time.
	HalfOpens int
	// LostSyncs is the maximum number of syncs in a run that report success and make nothing durable, over all nodes that
	// are programs. Drives with volatile caches lose such syncs. The next Sync that has something to make durable is lost:
	// of a file, a directory, or the disk of Host.Disk. A later Sync makes the same changes durable.
	LostSyncs int
	// BitFlips is the maximum number of bits in a run that flip in files of nodes that are programs with a data directory.
	// A flip is a choice of a non-empty file and of its first, middle or last byte, and inverts the lowest bit. The program
	// reads the changed byte, and a crash does not undo the flip, whether the file was synced or not.
	BitFlips int
	// AcceptErrors is the maximum number of errors of Accept in a run, over all nodes that are programs. The next Accept of
	// an open listener, or one that waits there, fails with EMFILE, as in a process without free file descriptors. With
	// several listeners, a choice selects one. Connections stay in the backlog, and the Accept after that returns them.
	AcceptErrors int
	// Late reports whether a node is down at first and boots later. Nil means that all nodes boot first.
	Late func(NodeID) bool
	// Roles returns the role of a node. An empty string means a role of its own. Nodes with the same role are declared
	// interchangeable: in any state, exchanging their local states and the messages in flight to and from them does not
	// change the behavior of the system. A symmetric search verifies this wherever it relies on it. Nil means that no
	// node has a role.
	Roles func(NodeID) string
	// Timing selects the armed timers that may fire. The zero value is [ByDeadline]. A check by random runs replaces it, with
	// a delay of 100 ms: by [SometimesBounded] if the system has Eventually properties and no Quorums, and by
	// [BoundedLiveness] if it has nodes of package bubble, and Eventually properties or Clocks.
	Timing Timing
	// Clocks bounds the differences between the clocks of nodes of package bubble. Nil means that they are independent.
	Clocks *Clocks
	// Interleave selects how the goroutines of a node are scheduled, see package bubble.
	Interleave Interleave
	// State has rules for types that cannot be encoded field by field, or need not be. Nil means that all types are.
	State []StateRule
	// Actions are the operations of applications above the services. An enabled action may happen at any time.
	Actions []AnyAction
	// Quorums are transitions that take sets of messages at once. Their names must differ.
	Quorums []AnyQuorum
	// Disturbing selects events that are excluded from recovery, in addition to actions with Disturbs set.
	Disturbing []Disturbance
	// Monitors return the monitors of a run. Each function must return a new value at every call.
	Monitors []func() Monitor
	// Properties are the properties to check. Their names must differ.
	Properties []Property
	// Abstractions are simpler replacements for parts of the system, used in this system or in variants of it.
	Abstractions []Abstraction
	_            struct{}

	set struct {
		noAsserts bool  // by Only
		instant   int64 // by At; 0 means that of the command
	}
}

// Fault is a class of injected faults with its own limit.
type Fault uint8

const (
	Crashes      Fault = iota // nodes that lose all state but their disk
	Halts                     // nodes that crash and never come back
	NetErrors                 // connections that break
	Loss                      // datagrams lost
	Dup                       // datagrams duplicated
	Partitions                // sets of links that go down
	ClockJumps                // wall clocks of programs that jump
	DiskErrors                // operations of programs on files that fail
	HalfOpens                 // connections of programs that break at one end
	LostSyncs                 // syncs of programs that make nothing durable
	BitFlips                  // bits of programs' files that flip
	AcceptErrors              // calls of Accept by programs that fail

	FaultCount // number of fault classes
)

// faults describes each fault. A new fault needs a constant above, at the end, and an entry here. Its flag, limit, JSON, report lines,
// weights and shrinking follow from it, and golden texts with -update. It also needs:
//
//   - if it strikes programs, a field of System, an event by eventkind.NewStrike, an entry of machineFaults in bubble/faults.go, and a row
//     in docs/goroutines.md;
//   - if it strikes a datagram, a kind of event before Break in internal/eventkind/kinds.go, a field and its limit in netsim/network.go,
//     its effect in netsim/faults.go, and the rules a second time in internal/test/oracle. Systems that have it are not reduced unless
//     reducibleFaults in internal/table/por/reduction.go permits it;
//   - if it strikes something else of a network, the same with a kind of event from Break on, and its state in fingerprint.go
//     and describe.go of netsim. In internal/table, its events in world/enabled.go and statespace/populate.go and its effect in
//     world/step.go, or a refusal in store/tables.go;
//   - if it takes nodes down, a field of System, a kind of event, an entry in internal/kernel/crashfaults.go, its effect in crash.go there,
//     its question in choose/kind.go, its effect in world/failure.go of internal/table, and the rules a second time in the oracle.
var faults = [FaultCount]struct {
	name    string             // name of the limit: as a flag, and in path files, reports and checkpoints
	one     string             // names a single fault
	limited string             // names the limited faults in errors
	doc     string             // help text of the flag
	absence string             // what runs lack without it
	event   eventkind.Kind     // kind of event that injects it
	limit   func(*System) *int // field of the system; nil if networks limit the fault
}{
	Crashes: {"crashes", "crash", "crashes", "at most `N` crashes in a run", "no node crashes",
		eventkind.Crash, func(s *System) *int { return &s.Crashes }},
	Halts: {"halts", "halt", "halts", "at most `N` nodes that halt in a run: they crash and never come back", "no node halts",
		eventkind.Halt, func(s *System) *int { return &s.Halts }},
	NetErrors: {"net-errors", "connection error", "socket errors (net-errors)", "at most `N` socket errors in a run", "no connection breaks",
		eventkind.Break, nil},
	Loss: {"loss", "loss", "lost datagrams (loss)", "at most `N` datagrams lost in a run", "no message is lost",
		eventkind.Lose, nil},
	Dup: {"dup", "duplication", "duplicated datagrams (dup)", "at most `N` datagrams duplicated in a run", "no message is duplicated",
		eventkind.Duplicate, nil},
	Partitions: {"partitions", "partition", "partitions", "at most `N` partitions in a run", "no link goes down",
		eventkind.Partition, nil},
	ClockJumps: {"clock-jumps", "clock jump", "clock jumps", "at most `N` jumps of wall clocks of programs in a run", "no wall clock jumps",
		eventkind.NewStrike("jump-clock", "clock jumps"), func(s *System) *int { return &s.ClockJumps }},
	DiskErrors: {"disk-errors", "disk error", "disk errors", "at most `N` errors of programs' files in a run", "no operation on a file fails",
		eventkind.NewStrike("fail-disk", "disk fails once"), func(s *System) *int { return &s.DiskErrors }},
	HalfOpens: {"half-opens", "half-open connection", "half-open connections (half-opens)",
		"at most `N` connections of programs that break at one end in a run", "no connection breaks at one end",
		eventkind.NewStrike("break-end", "connection breaks at this end"), func(s *System) *int { return &s.HalfOpens }},
	LostSyncs: {"lost-syncs", "lost sync", "lost syncs",
		"at most `N` syncs of programs' disks in a run that make nothing durable", "no sync is lost",
		eventkind.NewStrike("lose-sync", "disk loses the next sync"), func(s *System) *int { return &s.LostSyncs }},
	BitFlips: {"bit-flips", "bit flip", "bit flips", "at most `N` bits of programs' files in a run that flip", "no bit of a file flips",
		eventkind.NewStrike("flip-bit", "disk flips a bit"), func(s *System) *int { return &s.BitFlips }},
	AcceptErrors: {"accept-errors", "accept error", "accept errors",
		"at most `N` calls of Accept by programs in a run that fail", "no call of Accept fails",
		eventkind.NewStrike("fail-accept", "next accept fails"), func(s *System) *int { return &s.AcceptErrors }},
}

// String returns the name of f's limit in flags, path files and checkpoints.
func (f Fault) String() string { return faults[f].name }

// ParseFault is the inverse of String. The error lists all known faults.
func ParseFault(name string) (Fault, error) {
	var names []string
	for f := range FaultCount {
		if f.String() == name {
			return f, nil
		}
		names = append(names, f.String())
	}
	return 0, fmt.Errorf("unknown limit %q; known limits are %s", name, strings.Join(names, ", "))
}

// Singular returns the name of a single fault of this class.
func (f Fault) Singular() string { return faults[f].one }

// Doc describes the limit in the help of its flag, with the value in backquotes.
func (f Fault) Doc() string { return faults[f].doc }

// Absence describes runs without f: "no node crashes".
func (f Fault) Absence() string { return faults[f].absence }

// Event returns the kind of event that injects f.
func (f Fault) Event() eventkind.Kind { return faults[f].event }

// key returns the name of f in JSON.
func (f Fault) key() string { return strings.ReplaceAll(f.String(), "-", "_") }

// Limits returns the effective limits.
func (s *System) Limits() Limits {
	var l Limits
	if s.Network != nil {
		l = s.Network.Limits()
	}
	for f := range faults {
		if limit := faults[f].limit; limit != nil {
			l[f] = *limit(s)
		}
	}
	return l
}

// WithLimits returns a copy of s with other limits. It fails if the network lacks a limited fault.
func (s System) WithLimits(l Limits) (System, error) {
	for f := range faults {
		if limit := faults[f].limit; limit != nil {
			*limit(&s), l[f] = l[f], 0
		}
	}
	if s.Network == nil {
		if l != (Limits{}) {
			return s, errors.New("the system has no network, so it has no network faults")
		}
		return s, nil
	}
	n, err := s.Network.WithLimits(l)
	s.Network = n
	return s, err
}

// ActionNames returns the names of all actions, in order. The caller owns the slice.
func (s *System) ActionNames() []string {
	names := make([]string, len(s.Actions))
	for i, a := range s.Actions {
		e, _ := a.Erased()
		names[i] = e.Name
	}
	return names
}

// Only returns a copy of s that checks only the named properties and monitors, and assertions only if
// [AssertionProperty] is among the names. It fails if a name is unknown.
func (s System) Only(names ...string) (System, error) {
	all, monitors := s.Properties, s.Monitors
	monitorNames := sync.OnceValue((&System{Monitors: monitors}).MonitorNames) // it makes the monitors
	s.Properties, s.Monitors, s.set.noAsserts = nil, nil, !slices.Contains(names, AssertionProperty)
	for _, name := range names {
		if i := slices.IndexFunc(all, func(p Property) bool { return p.Name == name }); i >= 0 {
			s.Properties = append(s.Properties, all[i])
			continue
		}
		if name == AssertionProperty {
			continue
		}
		m := slices.IndexFunc(monitorNames(), func(n string) bool { return n == name || n == "monitor "+name })
		if m < 0 {
			return s, fmt.Errorf("system %q has no property or monitor %q", s.Name, name)
		}
		s.Monitors = append(s.Monitors, monitors[m])
	}
	return s, nil
}

// Asserts reports whether failed assertions are violations. Only may have excluded them.
func (s *System) Asserts() bool { return !s.set.noAsserts }

// At returns a copy of s in which the wall clocks of nodes that are programs of package bubble begin at an instant. The zero time means the
// instant of the command, which path files record.
func (s System) At(instant time.Time) System {
	s.set.instant = 0
	if !instant.IsZero() {
		s.set.instant = instant.UnixNano()
	}
	return s
}

// Instant returns the instant that At has set, or the zero time.
func (s *System) Instant() time.Time {
	if s.set.instant == 0 {
		return time.Time{}
	}
	return time.Unix(0, s.set.instant).UTC()
}

// Validate returns an error for the first invalid field of s.
func (s *System) Validate() error {
	if !utf8.ValidString(s.Name) {
		return fmt.Errorf("system %q: Name is not UTF-8", s.Name)
	}
	if s.Nodes < 1 {
		return fmt.Errorf("system %q: Nodes is %d, must be at least 1", s.Name, s.Nodes)
	}
	if s.New == nil {
		return fmt.Errorf("system %q: New is nil", s.Name)
	}
	if err := s.Limits().Validate(); err != nil {
		return fmt.Errorf("system %q: %w", s.Name, err)
	}
	if err := s.Clocks.validate(); err != nil {
		return fmt.Errorf("system %q: %w", s.Name, err)
	}
	for i, erased := range s.Actions {
		if a, _ := erased.Erased(); a.validate() != nil {
			return fmt.Errorf("system %q: action %d: %w", s.Name, i, a.validate())
		}
	}
	for i, d := range s.Disturbing {
		if err := d.validate(); err != nil {
			return fmt.Errorf("system %q: Disturbing %d: %w", s.Name, i, err)
		}
	}
	if err := s.validateQuorums(); err != nil {
		return err
	}
	if err := s.validateContainers(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, p := range s.Properties {
		if err := p.validate(); err != nil {
			return fmt.Errorf("system %q: property %d: %w", s.Name, i, err)
		}
		if seen[p.Name] {
			return fmt.Errorf("system %q: two properties are named %q", s.Name, p.Name)
		}
		seen[p.Name] = true
	}
	if s.Network != nil {
		if err := s.Network.Validate(s.Nodes); err != nil {
			return fmt.Errorf("system %q: network: %w", s.Name, err)
		}
	}
	return nil
}
