package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
)

// Fault is a class of injected faults with its own limit.
type Fault uint8

const (
	Crashes    Fault = iota // nodes that lose all state but their disk
	Halts                   // nodes that crash and never come back
	NetErrors               // connections that break
	Loss                    // datagrams lost
	Dup                     // datagrams duplicated
	Partitions              // sets of links that go down
	ClockJumps              // wall clocks of programs that jump
	DiskErrors              // operations of programs on files that fail
	HalfOpens               // connections of programs that break at one end
	LostSyncs               // syncs of programs that make nothing durable

	FaultCount // number of fault classes
)

// faults describes each fault. A new fault needs an entry here, and what CONTRIBUTING.md lists under "A fault".
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
		eventkind.JumpClock, func(s *System) *int { return &s.ClockJumps }},
	DiskErrors: {"disk-errors", "disk error", "disk errors", "at most `N` errors of programs' files in a run", "no operation on a file fails",
		eventkind.FailDisk, func(s *System) *int { return &s.DiskErrors }},
	HalfOpens: {"half-opens", "half-open connection", "half-open connections (half-opens)",
		"at most `N` connections of programs that break at one end in a run", "no connection breaks at one end",
		eventkind.BreakEnd, func(s *System) *int { return &s.HalfOpens }},
	LostSyncs: {"lost-syncs", "lost sync", "lost syncs",
		"at most `N` syncs of programs' disks in a run that make nothing durable", "no sync is lost",
		eventkind.LoseSync, func(s *System) *int { return &s.LostSyncs }},
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

// Limits holds the maximum number of faults of each class in a run, over the whole system: 0 to [MaxFaults]. In JSON it
// is an object with a number for each fault.
type Limits [FaultCount]int

// MaxFaults is the maximum for each of the [Limits].
const MaxFaults = 1_000_000

// Validate returns an error for the first limit that is negative or above [MaxFaults].
func (l Limits) Validate() error {
	for f := range FaultCount {
		if l[f] < 0 || l[f] > MaxFaults {
			return fmt.Errorf("the limit of %s is %d, must be 0 to %d", faults[f].limited, l[f], MaxFaults)
		}
	}
	return nil
}

// Total returns the sum of all limits.
func (l Limits) Total() int {
	n := 0
	for _, limit := range l {
		n += limit
	}
	return n
}

// Max returns the greater of l and m for each fault.
func (l Limits) Max(m Limits) Limits {
	for f := range l {
		l[f] = max(l[f], m[f])
	}
	return l
}

// String lists the limits that are not 0: "crashes=1 loss=2".
func (l Limits) String() string {
	var parts []string
	for f := range FaultCount {
		if l[f] != 0 {
			parts = append(parts, fmt.Sprintf("%v=%d", f, l[f]))
		}
	}
	return strings.Join(parts, " ")
}

// MarshalJSON writes an object with all limits, in the order of the faults.
func (l Limits) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for f := range FaultCount {
		sep := byte(',')
		if f == 0 {
			sep = '{'
		}
		b.WriteByte(sep)
		fmt.Fprintf(&b, "%q:%d", f.key(), l[f])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON is the inverse of MarshalJSON. Missing limits become 0; an unknown name is an error.
func (l *Limits) UnmarshalJSON(text []byte) error {
	var read map[string]int
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*l = Limits{}
	for _, key := range slices.Sorted(maps.Keys(read)) {
		f, err := ParseFault(strings.ReplaceAll(key, "_", "-"))
		if err != nil {
			return err
		}
		l[f] = read[key]
	}
	return nil
}
