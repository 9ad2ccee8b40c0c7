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

// Starvation is a run without end in which something stays owed for ever although all that has to happen happens.
type Starvation struct {
	Property   string      `json:"property"`             // name of the monitor or property
	Obligation string      `json:"obligation,omitempty"` // which one of the monitor's
	Path       choose.Path `json:"-"`                    // to the round, and once round
	Steps      int         `json:"steps"`                // before the round
	Round      int         `json:"round"`                // steps; 0: nothing has to happen any more
	Processes  []Share     `json:"processes"`
	OneWay     []OneWay    `json:"one_way,omitempty"`
	// AllFair: nothing would be starved of this if all choices were fair.
	AllFair bool `json:"all_fair,omitempty"`
	// Recovers: from the round a state can be reached, without faults, in which it is settled.
	Recovers bool `json:"recovers"`
	// Walked: it was found among the states that walks came to. Others were not looked at, so that it is not known whether it
	// would be so with other choices fair, and, unless Recovers says so, whether it can be settled.
	Walked bool `json:"walked,omitempty"`
}

// Share is what a process does in a round.
type Share struct {
	Process  string `json:"process"`
	Fairness string `json:"fairness"` // "none", "weak" or "strong"
	Runs     int    `json:"runs"`
	Enabled  int    `json:"enabled"` // in so many of the places of the round
	Places   int    `json:"places"`
}

// OneWay is a choice that is not fair and never comes out otherwise in a round.
type OneWay struct {
	Choice  string `json:"choice"` // what is drawn, and where
	Picks   []int  `json:"picks"`  // that come, of Of
	Of      int    `json:"of"`
	Removes bool   `json:"removes"` // were the choice fair, nothing would be starved of this
}

var fairnessNames = [...]string{fair.None: "none", fair.Weak: "weak", fair.Strong: "strong"}

// errCollision: what is found does not come round.
var errCollision = errors.New("table: states with equal fingerprints were taken for one")

// Builder stores the edges of the states that are left.
type Builder struct {
	Graph     *statespace.Graph
	src       *source
	Processes *processes
	Edges     *fair.Graph
	ids       []uint32 // by state of edges: its number, ascending
	left      stateSet // these
	ranks     []uint32
	Choices   map[ChoiceKey]uint16
	Draws     map[string]uint32 // by what is drawn, as bytes
	set       []fair.Draw       // room for what a step draws
	key       []byte            // likewise
	marks     store.Marks
	labels    labels
	row       []fair.Edge
	struck    []bool      // by edge of row, as it was walked: a crash inside the step, which is a fault
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
	b := &Builder{Graph: g, src: src, Processes: NewProcesses(g.World.Engine), Choices: map[ChoiceKey]uint16{}, Edges: fair.New(), Draws: map[string]uint32{}}
	b.labels.every = compared
	return b
}

// begin makes the graph ready for add, and end what it was.
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
		if b.err == nil { // some were asked for before
			b.err = b.add(row.From(), to, row.Names())
		}
	})
	if err == nil {
		err = b.err
	}
	return err
}

// obligations are what there is to be settled.
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

// add adds a state with its edges.
func (b *Builder) add(state, to, names []uint32) error {
	if err := b.label(state, to, names); err != nil {
		return err
	}
	return b.Edges.Add(b.stays(state), b.row)
}

// walk makes row the edges of the state that is expanded by taking its steps.
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
		panic("table: there are more moves than steps")
	}
	for i := range b.row { // the world is where these steps begin
		if b.struck[i] {
			continue
		}
		if b.row[i].Actor, err = b.Processes.Actor(g.World, g.Events[b.row[i].Event], b.Edges); err != nil {
			return err
		}
	}
	return nil
}

// number is that of a state among those that are left.
func (b *Builder) number(id uint32) uint32 {
	if id == stateset.NoPlace || !b.left.has(id) {
		return fair.Outside
	}
	return b.ranks[id>>6] + uint32(bits.OnesCount64(b.left[id>>6]&(1<<(id&63)-1)))
}

// passed are the marks of the step that was taken last.
func (b *Builder) passed() uint32 {
	w := b.Graph.World
	switch {
	case b.src.monitor < 0: // what matters is where it leads
		return b.marks.Of(broken)
	case w.Passing.Seen:
		return b.marks.Of(w.Passing.Owes)
	}
	return b.marks.Of(w.Monitors.List[w.Vector[w.Layout.Monitors+b.src.monitor]].Owes)
}

// broken is what is owed where an Inevitably property does not hold.
var broken = []store.Owed{{ID: 0, Hot: true}}

// stays are the marks of a state that is left.
func (b *Builder) stays(state []uint32) uint32 {
	if b.src.monitor < 0 {
		return b.marks.Of(broken)
	}
	return b.marks.Of(b.Graph.World.Monitors.List[state[b.Graph.Configs.Monitors+b.src.monitor]].Owes)
}

// Drawn is the set of the outcomes of choices that the step drew which was taken last.
func (b *Builder) Drawn(node sim.NodeID) (uint32, error) {
	set, key := b.set[:0], b.key[:0]
	for _, d := range b.Graph.Answers.Drawn {
		if d.Arity > mostNamed && !d.Fair {
			continue // it is not said of it that it always goes one way
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

// mostNamed is how many outcomes a choice may have that is not fair for it to be told that it goes one way.
const mostNamed = 64

// pathFinder knows how states are come to, see [explore.Space].
type pathFinder interface{ Path(id uint32) []uint32 }

// tell tells of a run that violates an obligation; walked: of all states only some are in the graph. The error is errCollision, or that
// nothing can be said.
func (b *Builder) tell(s pathFinder, obligation uint32, l *fair.Lasso, walked bool) (*Starvation, error) {
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

// recovers reports whether a state can be reached in which the obligation is settled, without faults and what else is no part of recovery.
func (b *Builder) recovers(from uint32, marks []fair.Mark) bool {
	met := make([]bool, b.Edges.Len())
	met[from] = true
	for queue := []uint32{from}; len(queue) > 0; queue = queue[1:] {
		for _, e := range b.Edges.Edges(queue[0]) {
			switch {
			case e.Actor == 0 || b.Processes.disturbing[e.Actor-1]:
			case e.To == fair.Outside || marks[e.Marks]&fair.Cold != 0:
				return true
			case !met[e.To]:
				met[e.To] = true
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
