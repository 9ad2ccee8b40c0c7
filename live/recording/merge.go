package recording

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/live/wire"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/sim"
)

// Merged is the run that the recordings of all nodes are.
type Merged struct {
	System  sim.System // with the fault limits that the run uses up, and no more
	File    *choose.File
	Path    choose.Path // on System
	Origins []Origin    // by step
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
	m, loose, err := follow(sys, set, codec)
	if err != nil {
		return nil, err
	}
	return m.result(sys, loose, header)
}

// Reached is the state in which the recordings leave the system.
type Reached struct {
	World        sim.World // good for looking at
	Steps        int
	Compared     int
	Disagreement *Disagreement // as in Merged
	Finding      error         // a panic or a failed assertion; nil: none
}

// Reach executes what all nodes have recorded so far, like Merge, but makes no path of it. It may be
// called while nodes are still recording; what it reaches is a state that the system was or may have
// been in.
func Reach(sys sim.System, set *Set, codec wire.Codec) (*Reached, error) {
	m, _, err := follow(sys, set, codec)
	if err != nil {
		return nil, err
	}
	return &Reached{m.world, len(m.file.Steps), m.compared, m.disagreement, m.finding}, nil
}

func follow(sys sim.System, set *Set, codec wire.Codec) (m *merger, loose sim.System, err error) {
	if set.Header.System != sys.Name || set.Header.Nodes != sys.Nodes {
		return nil, loose, fmt.Errorf("%s: the recordings are of system %q with %d nodes, not of %q with %d",
			set.Dir, set.Header.System, set.Header.Nodes, sys.Name, sys.Nodes)
	}
	if set.Header.Codec != codec.ID() {
		return nil, loose, fmt.Errorf("%s: the messages of system %q are not what they were when it was recorded", set.Dir, sys.Name)
	}
	m = newMerger(set, codec)
	if loose, err = m.loosen(sys); err != nil {
		return nil, loose, err
	}
	w, err := sim.NewWorld(&loose, sim.Options{})
	if err != nil {
		return nil, loose, err
	}
	r, err := sim.NewRunner(&loose, sim.Options{})
	if err != nil {
		return nil, loose, err
	}
	m.run, m.world, m.capacity = replay.NewRun(w), w, r.Capacity()
	m.execute()
	return m, loose, nil
}

// loosen allows as many faults as there could be.
func (m *merger) loosen(sys sim.System) (sim.System, error) {
	limits := sim.Limits{}
	for _, c := range m.cursors {
		limits.Crashes += len(c.starts)
		for _, r := range c.starts {
			for i := range r.Events {
				if r.Events[i].Kind == sim.DeliverError {
					limits.NetErrors++
				}
			}
		}
	}
	for _, n := range m.copies {
		limits.Dup += max(n-1, 0) // 0: the only delivery is left out
	}
	own := sys.Limits()
	sys.Timing = sim.AnyOrder
	sys.MayCrash = nil
	for _, f := range []*int{&limits.NetErrors, &limits.Dup} {
		with := own
		with.Crashes = limits.Crashes
		switch f {
		case &limits.NetErrors:
			with.NetErrors = limits.NetErrors
		default:
			with.Dup = limits.Dup
		}
		if _, err := sys.WithLimits(with); err != nil {
			*f = 0 // the network has no such fault
		}
	}
	limits.Loss, limits.Partitions = 0, 0
	return sys.WithLimits(limits)
}

// result turns the run into a path file.
func (m *merger) result(sys, loose sim.System, header choose.Header) (*Merged, error) {
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
	exact.MayCrash = loose.MayCrash
	// Real time lets timers fire in an order that the system's own timing may not know.
	for _, t := range []sim.Timing{sys.Timing, sim.AnyOrder} {
		exact.Timing = t
		var reading *replay.Reading
		if reading, err = replay.ReadFile(&exact, file); err != nil {
			continue
		}
		out.System, out.Path = exact, reading.Path
		out.File, err = replay.WriteFile(&out.System, header, out.Path)
		return out, err
	}
	return nil, fmt.Errorf("the merged run cannot be followed: %w", err)
}

// cursor is a node's place in its recordings.
type cursor struct {
	node   sim.NodeID
	starts []*Recording
	start  int // the current start, or the next one when the node is down
	pos    int // the next event of it
	sent   []uint64
	clock  []int
	dead   bool // its next event cannot happen, or it is gone for good
}

// next is the node's next event, nil when its recordings are used up.
func (c *cursor) next() *Event {
	for i, pos := c.start, c.pos; i < len(c.starts); i, pos = i+1, 0 {
		if pos < len(c.starts[i].Events) {
			return &c.starts[i].Events[pos]
		}
	}
	return nil
}

// nextStart is the next start of which anything is recorded; len(c.starts): there is none.
func (c *cursor) nextStart() int {
	i := c.start + 1
	for i < len(c.starts) && len(c.starts[i].Events) == 0 {
		i++
	}
	return i
}

// atEnd reports whether the recording of the current start is used up.
func (c *cursor) atEnd() bool { return c.pos == len(c.starts[c.start].Events) }

// place is a start of a node.
type place struct {
	node  sim.NodeID
	start int
}

type merger struct {
	set     *Set
	codec   wire.Codec
	run     *replay.Run
	world   sim.World
	cursors []*cursor

	incarnations map[uint64]place
	arrives      map[Ref]place  // where a message is delivered first
	copies       map[Ref]int    // how often it is
	coming       map[uint64]int // stream messages of an incarnation that are yet to be delivered
	refused      map[*Event]place
	awaited      map[place]int // events that must come while the node is down before that start
	clocks       map[Ref][]int // of the sending events, as long as they are needed

	capacity int                   // of send buffers
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

func newMerger(set *Set, codec wire.Codec) *merger {
	m := &merger{
		set: set, codec: codec,
		incarnations: map[uint64]place{}, arrives: map[Ref]place{}, copies: map[Ref]int{}, coming: map[uint64]int{},
		refused: map[*Event]place{}, awaited: map[place]int{}, clocks: map[Ref][]int{}, queued: map[[2]sim.NodeID]int{},
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

// index notes which messages arrive where.
func (m *merger) index() {
	for _, c := range m.cursors {
		for i, r := range c.starts {
			for k := range r.Events {
				e := &r.Events[k]
				if e.Kind != sim.Deliver {
					continue
				}
				if m.copies[e.From]++; m.copies[e.From] == 1 {
					m.arrives[e.From] = place{c.node, i}
				}
				if e.Stream {
					m.coming[e.From.Incarnation]++
				}
			}
		}
	}
}

// trim drops the last events of a start that was killed before they had any effect: neither did
// anything that they sent arrive, nor did the next start find what they left on the disk.
func (m *merger) trim(c *cursor, start int) {
	r := c.starts[start]
	if len(c.starts[start+1].Events) == 0 {
		return
	}
	found := c.starts[start+1].Events[0].Found
	sent := uint64(0)
	for i := range r.Events {
		sent += r.Events[i].numbered()
	}
	done := 0
	for _, n := range found.Counts {
		done += n
	}
	if start > 0 {
		for _, n := range r.Events[0].Found.Counts {
			done -= n
		}
	}
	for i := range r.Events {
		if r.Events[i].Kind == sim.DoAction && !r.Events[i].Call {
			done--
		}
	}
	dropped := 0
	for len(r.Events) > 1 {
		e := &r.Events[len(r.Events)-1]
		action := e.Kind == sim.DoAction && !e.Call
		if e.Ticks <= found.Ticks && e.Writes <= found.Writes && (!action || done >= 0) {
			break
		}
		seen := false
		for n := range e.numbered() {
			seen = seen || m.copies[Ref{r.Header.Incarnation, sent - n}] > 0
		}
		if seen {
			break
		}
		if e.Kind == sim.Deliver { // it never arrived
			if m.copies[e.From]--; e.Stream {
				m.coming[e.From.Incarnation]--
			}
			if m.copies[e.From] == 0 {
				delete(m.arrives, e.From)
			}
		}
		if action {
			done++
		}
		sent -= e.numbered()
		r.Events = r.Events[:len(r.Events)-1]
		dropped++
	}
	if dropped > 0 {
		m.notes = append(m.notes, fmt.Sprintf("n%d was killed in start %d before %d events had any effect; they are left out", c.node, start+1, dropped))
	}
}

func (e *Event) numbered() uint64 {
	n := uint64(0)
	for _, f := range e.Effects {
		if f.numbered() && !e.Failed {
			n++
		}
	}
	return n
}

// findRefused notes which sends must have met a node that was down: those that an event says were
// refused.
func (m *merger) findRefused(c *cursor) {
	for _, r := range c.starts {
		last := make([]*Event, len(m.cursors)) // by peer: the last event that sent to it
		for i := range r.Events {
			e := &r.Events[i]
			if e.Kind == sim.DeliverError && int(e.Peer) < len(last) && e.Peer >= 0 {
				if s := last[e.Peer]; s != nil && e.Err == sim.ErrRefused.Error() {
					p := place{e.Peer, m.startAfter(e.Peer, s.Time)}
					m.refused[s] = p
					m.awaited[p]++
				}
				last[e.Peer] = nil
			}
			for _, f := range e.Effects {
				if f.Kind == sim.StreamEffect && f.Peer >= 0 && int(f.Peer) < len(last) {
					last[f.Peer] = e
				}
			}
		}
	}
}

// startAfter is the first start of a node that was not yet booted at that time, and not its first.
func (m *merger) startAfter(node sim.NodeID, time int64) int {
	starts := m.cursors[node].starts
	for i := 1; i < len(starts); i++ {
		if len(starts[i].Events) > 0 && starts[i].Events[0].Time > time {
			return i
		}
	}
	return len(starts)
}

// answers answers the questions of a step from the recording.
type answers struct {
	list []Answer
	lost int // unsynced writes that do not survive a crash, the last ones
	err  error

	picks []choose.FilePick
}

// Choose implements [choose.Source].
func (a *answers) Choose(p choose.Point) int {
	pick := a.pick(p)
	if p.Arity > 1 && (p.Kind != choose.Fault || pick != 0) {
		a.picks = append(a.picks, choose.FilePick{Kind: p.Kind, Pick: pick, Label: p.Label})
	}
	return pick
}

func (a *answers) pick(p choose.Point) int {
	switch {
	case p.Kind == choose.Fault:
		return 0
	case p.Kind == choose.Outcome:
		return min(max(p.Arity-1-a.lost, 0), p.Arity-1)
	case len(a.list) == 0:
		a.fail("it asks %q, which was not asked", p.Label)
		return 0
	}
	next := a.list[0]
	a.list = a.list[1:]
	if next.Kind != p.Kind || next.Arity != p.Arity || uint(next.Pick) >= uint(p.Arity) {
		a.fail("it asks %q of %d alternatives, where %v of %d was asked", p.Label, p.Arity, next.Kind, next.Arity)
		return 0
	}
	return next.Pick
}

// take executes the event with that index.
func (m *merger) take(index int, src *answers) error {
	ev, _ := m.run.Event(index)
	key := m.world.Key(ev)
	err := m.run.Step(index, src)
	m.file.Steps = append(m.file.Steps, choose.FileStep{Index: index, Key: key, Picks: src.picks})
	return err
}

func (a *answers) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

func (a *answers) done() error {
	if a.err == nil && len(a.list) > 0 {
		a.fail("it does not ask %d of the recorded questions", len(a.list))
	}
	return a.err
}

// execute runs what was recorded.
func (m *merger) execute() {
	var src answers
	var effects []Effect
	for _, c := range m.cursors {
		late := m.world.System().Late != nil && m.world.System().Late(c.node)
		if e := c.next(); e != nil && e.Kind == sim.Boot && !late {
			src.list = append(src.list, e.Answers...)
			effects = append(effects, e.Effects...)
		}
	}
	err := m.run.Start(&src)
	m.file.Boot = src.picks
	for _, c := range m.cursors {
		late := m.world.System().Late != nil && m.world.System().Late(c.node)
		if e := c.next(); e != nil && e.Kind == sim.Boot && !late {
			m.passed(c, e)
		}
	}
	m.origins = nil // first boots are no steps
	if err := errors.Join(src.done(), m.compareEffects(effects, 0)); err != nil {
		m.disagreement = &Disagreement{Origin: Origin{Node: 0, Start: 1, Event: 1}, What: "first boots", Reason: err.Error()}
		return
	}
	if err != nil {
		m.finding = err
		return
	}
	for m.disagreement == nil && m.finding == nil && m.step() {
	}
}

// passed notes that an event has been executed.
func (m *merger) passed(c *cursor, e *Event) {
	if c.pos == len(c.starts[c.start].Events) {
		c.start, c.pos = c.nextStart(), 0
	}
	m.count(c.node, e)
	c.clock[c.node]++
	if e.Kind == sim.Deliver {
		for i, n := range m.clocks[e.From] {
			c.clock[i] = max(c.clock[i], n)
		}
		if m.copies[e.From]--; m.copies[e.From] == 0 {
			delete(m.clocks, e.From)
		}
		if e.Stream {
			m.coming[e.From.Incarnation]--
		}
	}
	incarnation := c.starts[c.start].Header.Incarnation
	clock := slices.Clone(c.clock)
	for range e.numbered() {
		c.sent[c.start]++
		if ref := (Ref{incarnation, c.sent[c.start]}); m.copies[ref] > 0 {
			m.clocks[ref] = clock
		}
	}
	m.origins = append(m.origins, Origin{c.node, c.start + 1, e.Number, clock})
	if p, ok := m.refused[e]; ok {
		m.awaited[p]--
	}
	c.pos++
}

// compareEffects compares what the last step asked for, from effect first on.
func (m *merger) compareEffects(want []Effect, first int) error {
	got := m.world.Last().Effects[first:]
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("it does not ask for effect %d, %v", i+1, want[i].Kind)
		case i >= len(want):
			return fmt.Errorf("it asks for effect %d, %v, which was not recorded", i+1, got[i].Kind)
		case got[i].Kind == sim.StreamEffect && want[i].Kind == sim.RefusedEffect:
			return fmt.Errorf("the send buffer to n%d was full, but in the model it has room: the peer had handled messages "+
				"of which the node had not heard; the network model lacks that", want[i].Peer)
		case got[i].Kind == sim.RefusedEffect && want[i].Kind == sim.StreamEffect:
			return fmt.Errorf("the send buffer to n%d had room, but in the model it is full", want[i].Peer)
		case got[i].Kind != want[i].Kind || want[i].about() && got[i].Peer != want[i].Peer:
			return fmt.Errorf("effect %d is %v to n%d, recorded was %v to n%d", i+1, got[i].Kind, got[i].Peer, want[i].Kind, want[i].Peer)
		}
	}
	return nil
}

// about reports whether the effect is about a peer.
func (e Effect) about() bool {
	return e.numbered() || e.Kind == sim.RefusedEffect || e.Kind == sim.CloseEffect
}

const never = math.MaxInt64
