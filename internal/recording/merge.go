package recording

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/sim"
)

// Merged is the run that the recordings of all nodes are.
type Merged struct {
	System sim.System // with the fault limits that the run uses up, and no more
	Header choose.Header
	Path   choose.Path // on System
	// Bare is the run as a path file, without what only people read.
	Bare    *choose.File
	Origins []Origin // by step
	// Compared is how many recorded fingerprints of states were found again.
	Compared int
	// Disagreement is the first thing in which code or model do not do what was recorded; nil: all of it
	// was found again. The run ends before it.
	Disagreement *Disagreement
	// Left are how many events of each node are not part of the run.
	Left []int
	// Notes tell of what is left out: recordings that are damaged, events whose effects nobody has seen.
	Notes []string
}

// File is the run as a path file for people. It executes the run once more and describes each step, which takes far longer than merging where states are large.
func (m *Merged) File() (*choose.File, error) { return replay.WriteFile(&m.System, m.Header, m.Path) }

// Origin is the event that a step of the run was recorded as.
type Origin struct {
	Node  sim.NodeID // -1: none, the step is a fault that follows from the recordings
	Start int
	Event int
	// Clock is the vector clock of the event: how many events of each node, over all its starts, it
	// depends on.
	Clock []int
}

// Disagreement is where the checker and the recording part.
type Disagreement struct {
	Origin
	Step   int // of the run, counted from 1
	What   string
	Reason string
}

func (d *Disagreement) Error() string {
	return fmt.Sprintf("step %d, event %d of start %d of n%d (%s): %s", d.Step, d.Event, d.Start, d.Node, d.What, d.Reason)
}

// Merge orders what all nodes have recorded into one run of sys: a path that the model of its network
// allows, in which every event comes after its causes, and otherwise in the order of the nodes' clocks. The
// faults that must have happened are part of it: a crash before each further start, a connection that
// breaks where a node was told so. Fault limits of sys do not matter. Codec must be that of the nodes.
//
// Every step is compared with what was recorded: questions, effects, what was sent, and states where
// their fingerprints were recorded. The run ends where they differ. The error is about sys.
func Merge(sys sim.System, set *Set, codec wire.Codec, header choose.Header) (*Merged, error) {
	m, err := follow(sys, set, codec)
	if err != nil {
		return nil, err
	}
	return m.result(sys, header)
}

// Reached is the state in which the recordings leave the system.
type Reached struct {
	World        kernel.World  // good for looking at
	Disagreement *Disagreement // as in Merged
	Finding      error         // a panic, a failed assertion, or what a monitor has found; nil: none
}

// Reach executes what all nodes have recorded so far, like Merge, but makes no path of it. It may be
// called while nodes are still recording; what it reaches is a state that the system was or may have
// been in.
func Reach(sys sim.System, set *Set, codec wire.Codec) (*Reached, error) {
	m, err := follow(sys, set, codec)
	if err != nil {
		return nil, err
	}
	return &Reached{m.world, m.disagreement, m.finding}, nil
}

func follow(sys sim.System, set *Set, codec wire.Codec) (*merger, error) {
	if set.Header.System != sys.Name || set.Header.Nodes != sys.Nodes {
		return nil, fmt.Errorf("%s: the recordings are of system %q with %d nodes, not of %q with %d",
			set.Dir, set.Header.System, set.Header.Nodes, sys.Name, sys.Nodes)
	}
	if set.Header.Codec != codec.ID() {
		return nil, fmt.Errorf("%s: the messages of system %q are not what they were when it was recorded", set.Dir, sys.Name)
	}
	m := newMerger(set, codec)
	loose, err := m.loosen(sys)
	if err != nil {
		return nil, err
	}
	compared := loose // with what another program recorded
	compared.State = append(slices.Clone(loose.State), sim.AcrossPrograms())
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

// loosen allows as many faults as there could be.
func (m *merger) loosen(sys sim.System) (sim.System, error) {
	limits := sim.Limits{}
	for _, c := range m.cursors {
		limits[sim.Crashes] += len(c.starts)
		for _, r := range c.starts {
			for i := range r.Events {
				if r.Events[i].Kind == sim.DeliverError {
					limits[sim.NetErrors]++
				}
			}
		}
	}
	for _, n := range m.copies {
		limits[sim.Dup] += max(n-1, 0) // 0: the only delivery is left out
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

// result turns the run into a path file.
func (m *merger) result(sys sim.System, header choose.Header) (*Merged, error) {
	file := &m.file
	file.Header.System, file.Header.Nodes = sys.Name, sys.Nodes
	out := &Merged{Origins: m.origins, Compared: m.compared, Disagreement: m.disagreement, Notes: m.notes}
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
		out.Notes = append(out.Notes, fmt.Sprintf("up to %d messages from n%d to n%d waited, more than the %d that the buffer of the model's streams holds, since live nodes queue what machines send without a bound: in this run the model does so, too",
			m.over.waits, m.over.from, m.over.to, m.capacity))
	}
	// Real time lets timers fire in an order that the system's own timing may not know, and nodes are killed that may not crash.
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
		for _, moved := range reading.Moved { // as the faults that are left do not include all that might have been
			file.Steps[moved.Step-1].Index = moved.To
		}
		file.Header = out.Header
		out.Bare = file
		return out, nil
	}
	return nil, fmt.Errorf("the merged run cannot be followed: %w", err)
}

type merger struct {
	codec   wire.Codec
	run     *replay.Run
	world   kernel.World
	cursors []*cursor

	incarnations map[uint64]place
	arrives      map[Ref]place  // where a message is delivered first
	copies       map[Ref]int    // how often it is
	coming       map[uint64]int // stream messages of an incarnation that are yet to be delivered
	refused      map[*Event][]place
	awaited      map[place]int // events that must come while the node is down before that start
	clocks       map[Ref][]int // of the sending events, as long as they are needed

	capacity int // of send buffers
	over     crowd
	attempts bool                  // to connect were refused by a socket error
	queued   map[[2]sim.NodeID]int // messages in streams, from and to; about

	sums      map[sim.MessageID]uint64
	envelopes []sim.Envelope
	buf       []byte

	file         choose.File // the run so far, without what only people read
	used         sim.Limits
	origins      []Origin
	compared     int
	disagreement *Disagreement
	notes        []string
	finding      error
}

// crowd is the most messages that waited for a node at a time, of those for which there was no room; 0: there always was.
type crowd struct {
	from, to sim.NodeID
	waits    int
}

func newMerger(set *Set, codec wire.Codec) *merger {
	m := &merger{
		codec:        codec,
		incarnations: map[uint64]place{}, arrives: map[Ref]place{}, copies: map[Ref]int{}, coming: map[uint64]int{},
		refused: map[*Event][]place{}, awaited: map[place]int{}, clocks: map[Ref][]int{}, queued: map[[2]sim.NodeID]int{},
		sums: map[sim.MessageID]uint64{},
	}
	m.notes = append(m.notes, set.Damage()...)
	for node, starts := range set.Starts {
		c := &cursor{node: sim.NodeID(node), sent: make([]uint64, len(starts)), clock: make([]int, len(set.Starts))}
		for i, r := range starts {
			own := *r
			c.starts = append(c.starts, &own)
			m.incarnations[r.Header.Incarnation] = place{sim.NodeID(node), i}
		}
		m.cursors = append(m.cursors, c)
	}
	m.index()
	for _, c := range m.cursors {
		for i := range len(c.starts) - 1 {
			m.trim(c, i)
		}
	}
	for _, c := range m.cursors {
		m.findRefused(c)
	}
	return m
}
