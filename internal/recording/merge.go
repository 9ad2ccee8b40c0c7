package recording

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/sim"
)

// Merged is the run made of the recordings of all nodes.
type Merged struct {
	System sim.System // with the exact fault limits of the run
	Header pathfile.Header
	Path   choose.Path // on System
	// Bare is the run as a path file without comments.
	Bare    *pathfile.File
	Origins []Origin // by step
	// Compared is the number of recorded state fingerprints that matched.
	Compared int
	// Disagreement is the first difference between the recordings and the code (compare) or model (repair.go), or nil.
	// The run ends before it.
	Disagreement *Disagreement
	// Left is the number of events of each node that are not part of the run.
	Left []int
	// Notes describe omissions: damaged recordings, and events with unobserved effects.
	Notes []string
}

// File returns the run as a path file with comments. It executes the run again to describe each step, which takes
// much longer than merging if states are large.
func (m *Merged) File() (*pathfile.File, error) { return replay.WriteFile(&m.System, m.Header, m.Path) }

// Missing returns the number of events that are not part of the run.
func (m *Merged) Missing() (events int) {
	for _, n := range m.Left {
		events += n
	}
	return events
}

// Whole reports whether the run agrees with the recordings and contains all their events.
func (m *Merged) Whole() bool { return m.Disagreement == nil && m.Missing() == 0 }

// Origin is the recorded event of a step of the run.
type Origin struct {
	Node  sim.NodeID // -1 for a fault that follows from the recordings
	Start int
	Event int
	// Clock is the vector clock of the event: the number of events of each node, over all its starts, that it
	// depends on.
	Clock []int
}

// Disagreement is a difference between execution and recording.
type Disagreement struct {
	Origin
	Step   int // of the run, from 1
	What   string
	Reason string
}

func (d *Disagreement) Error() string {
	return fmt.Sprintf("step %d, event %d of start %d of n%d (%s): %s", d.Step, d.Event, d.Start, d.Node, d.What, d.Reason)
}

// Merge merges the recordings of all nodes into one run of sys: a path that its network model allows, with every
// event after its causes, and otherwise in the order of the nodes' clocks. It includes the faults that must have
// happened: a crash before each further start, and the break of a connection that a node was notified of. Fault
// limits of sys are ignored. Codec must be that of the nodes.
//
// Every step is compared with its record: questions, effects, sent messages, and states with recorded fingerprints.
// The run ends at a difference. The error is about sys.
func Merge(sys sim.System, set *Set, codec wire.Codec, header pathfile.Header) (*Merged, error) {
	m, err := follow(sys, set, codec)
	if err != nil {
		return nil, err
	}
	return m.result(sys, header)
}

// Reached is the state of the system after the recorded events.
type Reached struct {
	World        kernel.World  // for inspection
	Disagreement *Disagreement // as in Merged
	Finding      error         // a panic, a failed assertion, or the violation of a monitor, or nil
}

// Reach executes everything that all nodes have recorded so far, like Merge, but does not build a path. It may be
// called while nodes are recording. The state that it reaches is one in which the system was, or may have been.
func Reach(sys sim.System, set *Set, codec wire.Codec) (*Reached, error) {
	m, err := follow(sys, set, codec)
	if err != nil {
		return nil, err
	}
	return &Reached{m.world, m.out.Disagreement, m.finding}, nil
}

func follow(sys sim.System, set *Set, codec wire.Codec) (*merger, error) {
	if set.Header.System != sys.Name || set.Header.Nodes != sys.Nodes {
		return nil, fmt.Errorf("%s: the recordings are of system %q with %d nodes, not of %q with %d",
			set.Dir, set.Header.System, set.Header.Nodes, sys.Name, sys.Nodes)
	}
	if set.Header.Codec != codec.ID() {
		return nil, fmt.Errorf("%s: the messages of system %q have changed since the recording", set.Dir, sys.Name)
	}
	m := newMerger(set, codec)
	loose, err := m.widenLimits(sys)
	if err != nil {
		return nil, err
	}
	compared := loose // with the nodes of another program
	compared.State = append(slices.Clone(loose.State), sim.StateRule(rule.AcrossPrograms()))
	w, err := kernel.NewWorld(&compared, kernel.Options{})
	if err != nil {
		return nil, err
	}
	r, err := runner.NewRunner(&loose, kernel.Options{})
	if err != nil {
		return nil, err
	}
	m.run, m.world, m.capacity = replay.NewRun(w), w, r.Capacity()
	m.execute()
	return m, nil
}

// widenLimits sets the fault limits to the maximum that the recordings may need.
func (m *merger) widenLimits(sys sim.System) (sim.System, error) {
	limits := sim.Limits{}
	for _, c := range m.cursors {
		limits[sim.Crashes] += len(c.starts)
		for _, r := range c.starts {
			for i := range r.Events {
				if r.Events[i].Kind == eventkind.DeliverError {
					limits[sim.NetErrors]++
				}
			}
		}
	}
	for _, n := range m.index.copies {
		limits[sim.Dup] += max(n-1, 0) // 0 if the only delivery was omitted
	}
	own := sys.Limits()
	sys = simext.AsLive(sys) // as the nodes ran
	sys.Timing = sim.AnyOrder
	sys.MayCrash = nil
	own[sim.Crashes] = limits[sim.Crashes]
	errs, dup := own, own
	errs[sim.NetErrors], dup[sim.Dup] = limits[sim.NetErrors], limits[sim.Dup]
	if _, err := sys.WithLimits(errs); err != nil {
		limits[sim.NetErrors] = 0 // the network has no such fault
	}
	if _, err := sys.WithLimits(dup); err != nil {
		limits[sim.Dup] = 0
	}
	return sys.WithLimits(limits)
}

// result converts the run to a path file.
func (m *merger) result(sys sim.System, header pathfile.Header) (*Merged, error) {
	file := &m.file
	file.Header.System, file.Header.Nodes = sys.Name, sys.Nodes
	out := &m.out
	for _, c := range m.cursors {
		left := 0
		for i := c.start; i < len(c.starts); i++ {
			left += len(c.starts[i].Events)
		}
		out.Left = append(out.Left, left-c.pos)
	}
	exact, err := sys.WithLimits(m.used)
	if err != nil {
		return nil, err
	}
	if m.over.waits > 0 || m.attempts {
		exact = simext.AsLive(exact)
	}
	if m.over.waits > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("up to %d messages from n%d to n%d waited, more than the %d that the buffer of "+
			"the model's streams holds, since live nodes queue what machines send without a bound: in this run the model does so, too",
			m.over.waits, m.over.from, m.over.to, m.capacity))
	}
	// Timers in real time may fire in an order that the system's timing forbids, and nodes that may not crash can
	// be killed.
	for _, as := range []struct {
		timing   sim.Timing
		mayCrash func(sim.NodeID) bool
	}{{sys.Timing, sys.MayCrash}, {sim.AnyOrder, sys.MayCrash}, {sys.Timing, nil}, {sim.AnyOrder, nil}} {
		exact.Timing, exact.MayCrash = as.timing, as.mayCrash
		var reading *replay.Reading
		if reading, err = replay.ReadFile(&exact, file); err != nil {
			continue
		}
		if sys.MayCrash != nil && as.mayCrash == nil {
			out.Notes = append(out.Notes, "a node was killed that may not crash: replay, mdb and search --from do not know how")
		}
		out.System, out.Path, out.Header = exact, reading.Path, replay.HeaderOf(&exact, header)
		for _, moved := range reading.Moved { // since the remaining faults differ from the maximum
			file.Steps[moved.Step-1].Index = moved.To
		}
		file.Header = out.Header
		out.Bare = file
		return out, nil
	}
	return nil, fmt.Errorf("the merged run cannot be followed: %w", err)
}

// merger executes the recorded events of all nodes in one world.
type merger struct {
	codec   wire.Codec
	run     *replay.Run
	world   kernel.World
	cursors []*cursor

	index index

	capacity int // of send buffers
	over     overflow
	attempts bool                  // connection attempts were refused by a socket error
	queued   map[[2]sim.NodeID]int // approximate number of messages in streams, by sender and receiver

	sums      map[sim.MessageID]uint64
	envelopes []sim.Envelope
	buf       []byte

	file    pathfile.File // the run so far, without comments
	used    sim.Limits
	out     Merged
	finding error
}

// overflow is the maximum number of messages that waited for a node beyond the buffer; 0 if all fit.
type overflow struct {
	from, to sim.NodeID
	waits    int
}

func newMerger(set *Set, codec wire.Codec) *merger {
	m := &merger{codec: codec, index: newIndex(), queued: map[[2]sim.NodeID]int{}, sums: map[sim.MessageID]uint64{}}
	m.out.Notes = append(m.out.Notes, set.Damage()...)
	for node, starts := range set.Starts {
		c := &cursor{node: sim.NodeID(node), sent: make([]uint64, len(starts)), clock: make([]int, len(set.Starts))}
		for _, r := range starts {
			own := *r
			c.starts = append(c.starts, &own)
		}
		m.cursors = append(m.cursors, c)
	}
	for _, c := range m.cursors {
		m.index.add(c)
	}
	for _, c := range m.cursors {
		for i := range len(c.starts) - 1 {
			if dropped := m.index.trim(c, i); dropped > 0 {
				m.out.Notes = append(m.out.Notes, fmt.Sprintf("n%d was killed in start %d before %d events had any effect; they are omitted",
					c.node, i+1, dropped))
			}
		}
	}
	for _, c := range m.cursors {
		m.index.findRefused(c, m.cursors)
	}
	return m
}
