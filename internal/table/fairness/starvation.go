package fairness

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/fair"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Starvation is a fair infinite run with an obligation that is never settled.
type Starvation struct {
	Property   string      `json:"property"`             // name of the monitor or property
	Obligation string      `json:"obligation,omitempty"` // key of the monitor's obligation
	Path       choose.Path `json:"-"`                    // to the cycle, and once around it
	Steps      int         `json:"steps"`                // before the cycle
	Round      int         `json:"round"`                // steps of the cycle; 0 if no enabled event is promised to happen
	Processes  []Share     `json:"processes"`
	OneWay     []OneWay    `json:"one_way,omitempty"`
	// AllFair reports that the violation would disappear if all choices were fair.
	AllFair bool `json:"all_fair,omitempty"`
	// Recovers reports that a state in which the obligation is settled can be reached from the cycle without
	// faults.
	Recovers bool `json:"recovers"`
	// Walked reports that only states visited by random walks were judged. Then AllFair is unknown, and Recovers is
	// a lower bound: false means unknown.
	Walked bool `json:"walked,omitempty"`
}

// Share describes the steps of a process in a cycle.
type Share struct {
	Process  string `json:"process"`
	Fairness string `json:"fairness"` // "none", "weak" or "strong"
	Runs     int    `json:"runs"`
	Enabled  int    `json:"enabled"` // number of states of the cycle, out of Places
	Places   int    `json:"places"`
}

// OneWay is an unfair choice that always has the same outcome in a cycle.
type OneWay struct {
	Choice  string `json:"choice"` // label, and node
	Picks   []int  `json:"picks"`  // outcomes in the cycle, out of Of
	Of      int    `json:"of"`
	Removes bool   `json:"removes"` // the violation would disappear if this choice were fair
}

var fairnessNames = [...]string{fair.None: "none", fair.Weak: "weak", fair.Strong: "strong"}

// errCollision reports a cycle that does not return to its first state.
var errCollision = errors.New("table: states with equal fingerprints were taken for one")

// Builder stores the edges of the states that remain after trimming. Marks and labels have files with their methods.
type Builder struct {
	Graph     *statespace.Graph
	src       *source
	Processes *processes
	Edges     *fair.Graph
	ids       []uint32 // by state of Edges: its number, ascending
	left      stateSet // the remaining states
	ranks     []uint32
	Choices   map[ChoiceKey]uint16
	Draws     map[string]uint32 // by encoded set of draws
	set       []fair.Draw       // scratch: draws of a step
	key       []byte            // scratch
	marks     store.Marks
	labels    labels
	row       []fair.Edge
	struck    []bool      // by edge of row, set by walk: a crash inside the step, which is a fault
	recalled  []fair.Edge // scratch
	err       error
}

type ChoiceKey struct {
	node  sim.NodeID
	label string
	arity int
	fair  bool
}

func newBuilder(g *statespace.Graph, src *source, compared int) *Builder {
	b := &Builder{Graph: g, src: src, Processes: NewProcesses(g.World.Engine), Choices: map[ChoiceKey]uint16{}, Edges: fair.New(),
		Draws: map[string]uint32{}}
	b.labels.every = compared
	return b
}

// begin prepares the graph for add, and end restores it.
func (b *Builder) begin() (end func()) {
	g := b.Graph
	resume := g.World.Samples.Pause()
	steps := g.World.Counters.Steps
	g.Answers.Keep = true
	if b.src.monitor >= 0 {
		g.World.Passing = &store.Passing{Monitor: b.src.monitor}
	}
	return func() {
		g.World.Counters.Steps, g.Answers.Keep, g.World.Passing = steps, false, nil
		resume()
	}
}

func (b *Builder) build(ctx context.Context, s *explore.Space) error {
	defer b.begin()()
	want := func(id uint32) bool { return b.err == nil && b.left.has(id) }
	err := s.Pass(ctx, false, want, func(id uint32, row explore.StateEdges, to []uint32) {
		if b.err == nil { // an earlier edge failed
			b.err = b.add(row.From(), to, row.Names())
		}
	})
	if err == nil {
		err = b.err
	}
	return err
}

// obligations returns the numbers of the obligations to judge.
func (b *Builder) obligations() (ids []uint32) {
	if b.src.monitor < 0 {
		return []uint32{0}
	}
	for id, o := range b.Graph.World.Monitors.Owed.List {
		if o.Monitor == b.src.monitor {
			ids = append(ids, uint32(id))
		}
	}
	return ids
}

// add stores a state and its edges.
func (b *Builder) add(state, to, names []uint32) error {
	if err := b.label(state, to, names); err != nil {
		return err
	}
	return b.Edges.Add(b.stays(state), b.row)
}

// walk computes row for the state under expansion by executing its steps.
func (b *Builder) walk(to []uint32) error {
	g := b.Graph
	b.row, b.struck = b.row[:0], b.struck[:0]
	err := g.EachStep(func(t statespace.Taken) error {
		k := len(b.row)
		if k == len(to) || t.Number > math.MaxUint16 {
			return fair.ErrTooLarge
		}
		e := fair.Edge{To: b.number(to[k]), Event: uint16(t.Number), Marks: b.passed()}
		var err error
		if e.Draws, err = b.Drawn(t.Ev.Node); err != nil {
			return err
		}
		b.row, b.struck = append(b.row, e), append(b.struck, g.World.FailedInside)
		return nil
	})
	if err != nil {
		return err
	}
	if len(b.row) != len(to) {
		panic("table: there are more transitions than steps")
	}
	for i := range b.row { // the world is in the state where these steps begin
		if b.struck[i] {
			continue
		}
		if b.row[i].Actor, err = b.Processes.Actor(g.World, g.Events[b.row[i].Event], b.Edges); err != nil {
			return err
		}
	}
	return nil
}

// number returns the index of a state among the remaining ones.
func (b *Builder) number(id uint32) uint32 {
	if id == stateset.NoPlace || !b.left.has(id) {
		return fair.Outside
	}
	return b.ranks[id>>6] + uint32(bits.OnesCount64(b.left[id>>6]&(1<<(id&63)-1)))
}

// passed returns the marks of the last step.
func (b *Builder) passed() uint32 {
	w := b.Graph.World
	switch {
	case b.src.monitor < 0: // only the next state matters
		return b.marks.Of(broken)
	case w.Passing.Seen:
		return b.marks.Of(w.Passing.Owes)
	}
	return b.marks.Of(w.Monitors.List[w.Vector[w.Layout.Monitors+b.src.monitor]].Owes)
}

// broken is the obligation of a state in which an Inevitably property does not hold.
var broken = []store.Owed{{ID: 0, Hot: true}}

// stays returns the marks of a remaining state.
func (b *Builder) stays(state []uint32) uint32 {
	if b.src.monitor < 0 {
		return b.marks.Of(broken)
	}
	return b.marks.Of(b.Graph.World.Monitors.List[state[b.Graph.Configs.Monitors+b.src.monitor]].Owes)
}

// Drawn returns the set of outcomes that the last step drew.
func (b *Builder) Drawn(node sim.NodeID) (uint32, error) {
	set, key := b.set[:0], b.key[:0]
	for _, d := range b.Graph.Answers.Drawn {
		if d.Arity > mostNamed && !d.Fair {
			continue // not reported as a OneWay
		}
		choice := ChoiceKey{node, d.Label, d.Arity, d.Fair}
		id, ok := b.Choices[choice]
		if !ok {
			if len(b.Edges.Choices) == math.MaxUint16 {
				return 0, fair.ErrTooLarge
			}
			id = uint16(len(b.Edges.Choices))
			b.Choices[choice] = id
			name := d.Label
			if node >= 0 {
				name = fmt.Sprintf("%s at %s", d.Label, b.Processes.names[node])
			}
			b.Edges.Choices = append(b.Edges.Choices, fair.Choice{Name: name, Arity: d.Arity, Fair: d.Fair})
		}
		if draw := (fair.Draw{Choice: id, Pick: uint16(d.Pick)}); !slices.Contains(set, draw) {
			set = append(set, draw)
			key = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(key, draw.Choice), draw.Pick)
		}
	}
	b.set, b.key = set, key
	if len(set) == 0 {
		return 0, nil
	}
	id, ok := b.Draws[string(key)]
	if !ok {
		id = uint32(len(b.Edges.Draws))
		b.Draws[string(key)] = id
		b.Edges.Draws = append(b.Edges.Draws, slices.Clone(set))
	}
	return id, nil
}

// mostNamed is the maximum arity of an unfair choice that is reported as a OneWay.
const mostNamed = 64

// pathFinder finds paths to states, see [explore.Space].
type pathFinder interface{ Path(id uint32) []uint32 }

// describe describes a run that violates an obligation. If walked is true the graph has only the states that walks
// visited. The error is errCollision, or one that prevents the description.
func (b *Builder) describe(s pathFinder, obligation uint32, l *fair.Lasso, walked bool) (*Starvation, error) {
	out := &Starvation{Property: b.src.name, Round: len(l.Round)}
	if b.src.monitor >= 0 {
		out.Obligation = b.Graph.World.Monitors.Owed.List[obligation].Key
	}
	trail := s.Path(b.ids[l.Start])
	out.Steps = len(trail) - 1
	out.Path = b.Graph.Path(trail)
	start := slices.Clone(b.Graph.World.Vector)
	for _, step := range l.Round {
		i, _, picks := b.Graph.Take(int(step.Edge))
		out.Path = append(append(out.Path, int32(i)), picks...)
	}
	if !slices.Equal(start, b.Graph.World.Vector) {
		return nil, errCollision
	}
	for p, process := range b.Edges.Processes {
		if l.Runs[p] > 0 || l.Enabled[p] > 0 {
			out.Processes = append(out.Processes, Share{process.Name, fairnessNames[process.Fairness], l.Runs[p], l.Enabled[p], l.Places})
		}
	}
	marks := b.marksOf(obligation)
	for k, d := range l.OneWay {
		c := b.Edges.Choices[d.Choice]
		if n := len(out.OneWay); k > 0 && l.OneWay[k-1].Choice == d.Choice {
			out.OneWay[n-1].Picks = append(out.OneWay[n-1].Picks, int(d.Pick))
			continue
		}
		extra := make([]bool, len(b.Edges.Choices))
		extra[d.Choice] = true
		out.OneWay = append(out.OneWay, OneWay{c.Name, []int{int(d.Pick)}, c.Arity, !walked && b.Edges.Find(marks, extra) == nil})
	}
	if walked {
		return out, nil
	}
	if len(l.OneWay) > 0 {
		extra := make([]bool, len(b.Edges.Choices))
		for i := range extra {
			extra[i] = true
		}
		out.AllFair = b.Edges.Find(marks, extra) == nil
	}
	out.Recovers = b.recovers(l.Start, marks)
	return out, nil
}

// recovers reports whether a state in which the obligation is settled can be reached by the recovery relation.
func (b *Builder) recovers(from uint32, marks []fair.Mark) bool {
	visited := make([]bool, b.Edges.Len())
	visited[from] = true
	for queue := []uint32{from}; len(queue) > 0; queue = queue[1:] {
		for _, e := range b.Edges.Edges(queue[0]) {
			switch {
			case e.Actor == 0 || b.Processes.disturbing[e.Actor-1]:
			case e.To == fair.Outside || marks[e.Marks]&fair.Cold != 0:
				return true
			case !visited[e.To]:
				visited[e.To] = true
				queue = append(queue, e.To)
			}
		}
	}
	return false
}

func (s stateSet) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}
