package statespace

import (
	"cmp"
	"errors"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/audit"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// Graph is the state graph of a system, with packed vectors as states.
type Graph struct {
	World           *world.World // bare
	Configs         *NodeConfigs
	Log             *audit.Log // nil without a log
	Onward          *Onward    // nil if the exploration begins at the start
	KnownViolations map[string]bool

	WorldVector []uint32             // the state under expansion
	width       int                  // words of fingerprints to compute
	fingerprint encoding.Fingerprint // of WorldVector

	Found *graph.FoundState // the last state that was checked
	Holds []bool            // by Inevitably property: whether it holds there

	RootPaths    []choose.Path
	Vector       []uint32 // scratch: a vector of the world
	packedVector []uint32 // scratch: packed
	Events       []netmodel.Event
	spans        []nodeSpan  // scratch
	all          graph.Edges // scratch
	Answers      steptree.Answers
	fates        choose.Enumerate // of nodes that go down together with another one

	sleepSet sleepSet
	Named    bool // edges have names for other processes, see nameFor

	reads  bool // read cached transitions only, see reader
	unread bool // a transition was not cached

	// The step that failed: the index of its event (-1 for the start), and its answers.
	BadEvent int
	BadPicks choose.Path
}

func NewGraph(e *steptree.Engine, weightless []eventkind.Kind) *Graph {
	g := &Graph{World: world.NewBareOn(e), BadEvent: -1}
	for _, kind := range weightless {
		e.Weightless |= 1 << kind
	}
	g.Configs = newNodeConfigs(e)
	g.Vector, g.packedVector = make([]uint32, e.Layout.Words), make([]uint32, g.Configs.Words)
	return g
}

// Sibling returns another graph on the same tables, to be used instead of g.
func (g *Graph) Sibling() *Graph {
	return &Graph{World: world.NewBareOn(g.World.Engine), Log: g.Log, BadEvent: -1, Configs: g.Configs, Vector: g.Vector,
		packedVector: g.packedVector}
}

// Words implements [graph.Graph].
func (g *Graph) Words() int { return g.Configs.Words }

// Together implements [graph.Graph].
func (g *Graph) Together() [][]int32 { return g.World.Together }

// Fingerprint implements [graph.Graph].
func (g *Graph) Fingerprint(state []uint32) graph.Fingerprint { return g.Configs.Fingerprint(state) }

// Share implements [explore.Sharer].
func (g *Graph) Share(word int, value uint32) uint64 { return g.Configs.WordShare(word, value).Lo }

// Bytes implements [graph.Graph].
func (g *Graph) Bytes() int {
	return g.Configs.bytes() + g.World.Bytes() + g.Onward.bytes()
}

// Roots implements [graph.Graph]. There are several roots if booting draws.
func (g *Graph) Roots(e *graph.Edges) error {
	v := make([]uint32, g.Configs.Words)
	known := g.RootPaths
	defer func() {
		if len(g.RootPaths) < len(known) { // they are listed again, and a limit was reached; paths may begin at any
			g.RootPaths = known
		}
	}()
	g.RootPaths, g.BadEvent = nil, -1
	for g.Answers.Reset(); g.Answers.Next(); {
		if err := g.Log.Err(); err != nil {
			return err
		}
		usual, err := true, error(nil)
		if g.Onward != nil {
			usual, err = g.Onward.execute(g.World, &g.Answers)
		} else {
			err = g.World.Begin(&g.Answers)
		}
		if g.fails(err) && g.Onward.open {
			if usual && !g.Answers.Weightless {
				g.Onward.fail(err)
			}
			if g.Configs.endless(err, g.Answers.Path()) {
				g.Configs.diverged(err, &g.Answers)
				return nil
			}
			if err := g.Answers.Stop(); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			g.BadPicks = g.Answers.Path()
			return err
		}
		if !usual || g.Onward != nil && g.Answers.Weightless {
			continue
		}
		g.Configs.Pack(g.World.Vector, v)
		for word, value := range v {
			if value != 0 {
				e.Change(word, value)
			}
		}
		e.End(g.Configs.Fingerprint(v), 0)
		g.RootPaths = append(g.RootPaths, g.Answers.Path())
		if err := g.Answers.Stop(); err != nil {
			return err
		}
	}
	return nil
}

// Expand implements [graph.Graph]. Steps are in the order of [world.World.Injections].
func (g *Graph) Expand(state []uint32, number int, e *graph.Edges) error {
	from := len(e.Ends)
	g.WorldVector, g.width = state, e.Width
	if e.Width > 0 {
		g.fingerprint = g.Configs.Fingerprint(state)
	}
	if len(g.KnownViolations) > 0 || g.Onward != nil {
		e.By = 0 // nothing is found behind violations
		if g.barred() {
			return nil
		}
	}
	err := cmp.Or(g.takeAll(e), g.Configs.limited)
	if g.Named {
		for t := from; t < len(e.Names); t++ {
			e.Names[t] = g.Configs.nameFor(e.Names[t])
		}
	}
	if changed := g.Log.Err(); changed != nil {
		return changed
	}
	if err == nil && number >= 0 && !g.World.Samples.Off && g.World.Samples.Sampled(number+1) {
		err = g.verify(number, e, from)
	}
	return err
}

// Check implements [graph.Graph]. It does not evaluate properties that have not read what the step to the state
// changed.
func (g *Graph) Check(m *graph.FoundState) (live bool, err error) {
	g.Found = m
	live, err = g.CheckState(m)
	if g.IsKnown(err) {
		if g.Onward != nil { // a search for recovery has yet to find out whether the state is live
			g.Onward.bar(m.State, err)
		} else {
			m.Barred = true
		}
		return false, nil
	}
	if n := m.Number + 1; err == nil && n&(n-1) == 0 {
		if trail := m.Path(); trail != nil && len(trail) <= AuditedSteps {
			err = g.audit(m.State, trail)
		}
	}
	return live, err
}

func (g *Graph) CheckState(m *graph.FoundState) (live bool, err error) {
	w := g.World
	for i := range g.Configs.PendingLog {
		if u := &g.Configs.PendingLog[i]; m.State[u.Node] == u.Config {
			return false, u.err
		}
	}
	p := &w.Properties
	sampled := w.Samples.Sampled(m.Number + 1)
	// With several processes, another one may have evaluated the properties
	check, cover := m.Root || sampled || g.Named, w.Covering.Unmet > 0
	changed := w.Failures.Group(m.Note & NoteNode)
	for i := range p.Always {
		q := &p.Always[i]
		check = check || q.InFlight || m.Note&NoteLocal != 0 && q.Nodes&changed != 0
	}
	if !check && !cover && len(p.Eventually) == 0 && len(p.Inevitably) == 0 {
		return true, nil
	}
	if g.alone() && !sampled && !cover {
		if verdict := *p.Verdicts.Of(g.ReadLocals(m.State)); verdict&steptree.IsSound != 0 &&
			(verdict != steptree.IsSound || len(p.Eventually) == 0) {
			return verdict&steptree.NotLive == 0, nil
		}
	}
	return g.ask(m, check, sampled)
}

// alone reports whether verdicts on a state depend on its local states alone.
func (g *Graph) alone() bool {
	p := &g.World.Properties
	return !p.InFlight && len(p.Inevitably) == 0 && g.Onward == nil
}

// ask evaluates the properties of a state, Always properties only if check is true.
func (g *Graph) ask(m *graph.FoundState, check, sampled bool) (live bool, err error) {
	defer contain.CatchState(&err) // of properties that panic
	w := g.World
	p := &w.Properties
	if c := w.Calls; c != nil {
		defer c.EndState()
		if !c.BeginState(m.Number) {
			return false, contain.GivenUp()
		}
	}
	g.Configs.Unpack(m.State, w.Vector)
	if sampled { // evaluate the properties, whatever the cached verdict
		*p.Verdicts.Of(w.ReadLocals()) = 0
	}
	if g.Onward != nil && w.Live() {
		return true, nil // a search for recovery needs nothing else
	}
	if check {
		if err := w.Check(); err != nil {
			return false, err
		}
	}
	if sampled {
		if err := w.CheckUnchanged(); err != nil {
			return false, err
		}
	}
	if w.Covering.Unmet > 0 {
		w.CoverState()
	}
	g.Holds = g.Holds[:0]
	for i := range p.Inevitably {
		g.Holds = append(g.Holds, w.Value(&p.Inevitably[i]))
	}
	if live = w.Live(); g.alone() {
		w.Remember(steptree.IsSound) // also without evaluation: nothing that it depends on changed
	}
	return live, nil
}

// ReadLocals returns the local states of a packed vector that verdicts depend on. The result is valid until the
// next call.
func (g *Graph) ReadLocals(state []uint32) []uint32 {
	p := &g.World.Properties
	for i, node := range p.Read {
		p.Key[i] = g.Configs.Tables[node].List[state[node]].Local
	}
	return p.Key
}

// IsKnown reports whether err is the violation of a known property, behind which nothing is visited. In a search
// for recovery every finding counts as known.
func (g *Graph) IsKnown(err error) bool {
	if g.Onward != nil {
		return store.EndsRun(err)
	}
	if err == nil || len(g.KnownViolations) == 0 {
		return false
	}
	var f *sim.Finding
	return errors.As(err, &f) && f.Kind == sim.Safety && g.KnownViolations[f.Property]
}

// fails reports whether a failing step leads nowhere, so that a search for recovery continues with other steps.
func (g *Graph) fails(err error) bool { return g.Onward != nil && store.EndsRun(err) }

// barred reports whether no successor of the state under expansion is visited.
func (g *Graph) barred() bool {
	if g.Onward != nil {
		return g.Onward.bars(g.WorldVector)
	}
	g.Configs.Unpack(g.WorldVector, g.Vector)
	g.World.Restore(g.Vector)
	return g.IsKnown(g.World.Check())
}

// AuditedSteps is the maximum length of a path that the replay engine executes for an audit.
const AuditedSteps = 1 << 12

// audit executes the path to a state on the replay engine, and compares the states.
func (g *Graph) audit(state, trail []uint32) error {
	path := g.Path(trail)
	g.Configs.Unpack(state, g.Vector)
	g.World.Restore(g.Vector)
	return g.World.Retrace(path)
}

// LimitBy makes limit be called during the expansion of a state, too, which may have very many steps. Nil ends
// that.
func (g *Graph) LimitBy(limit func() error) {
	g.Answers.Limit, g.Configs.Answers.Limit, g.Configs.limited = limit, limit, nil
}

// Sampled returns the draws that were enumerated only by a sample.
func (g *Graph) Sampled() (s choose.Samples) {
	s.Merge(g.Answers.Sampled)
	s.Merge(g.Configs.Answers.Sampled)
	return s
}

// PathTo returns the path to the finding of an exploration.
func (g *Graph) PathTo(r *explore.Result) choose.Path {
	if r.Path == nil {
		return g.BadPicks
	}
	path := g.Path(r.Path)
	if r.AtEdge && g.BadEvent >= 0 {
		path = append(append(path, int32(g.BadEvent)), g.BadPicks...)
	}
	return path
}

// Path returns the path along a trail of edge indexes (the first selects a root), and leaves the world at its end.
func (g *Graph) Path(trail []uint32) (path choose.Path) {
	w := g.World
	defer w.Samples.Pause()()
	first := g.RootPaths[trail[0]]
	answers := &ReplaySource{Picks: first}
	if g.Onward != nil {
		path = g.Onward.Path.Clone()
		_, _ = g.Onward.execute(w, answers) // it succeeded before
	} else {
		_ = w.Begin(answers)
	}
	path = append(path, first...)
	for _, edge := range trail[1:] {
		i, _, picks := g.Take(int(edge))
		path = append(append(path, int32(i)), picks...)
	}
	return path
}

// ErrFewer is the panic value if an edge index is not one of this graph.
var ErrFewer = errors.New("table: a state has fewer steps than before")

// Take takes the step of an edge from the world's state, and returns the event, its index in the list, and the answers.
func (g *Graph) Take(edge int) (i int, ev netmodel.Event, picks choose.Path) {
	w := g.World
	v := slices.Clone(w.Vector)
	w.Refresh()
	var answers choose.Enumerate
	for i, ev := range w.AllEvents(nil) {
		for answers.Reset(); answers.Next(); edge-- {
			w.Restore(v)
			err := w.Advance(&ev, &answers) // it succeeded before, or was not looked up
			if edge == 0 {
				return i, ev, answers.Path()
			}
			if err != nil && g.Configs.endless(err, answers.Path()) {
				edge--
				break
			}
		}
	}
	panic(ErrFewer)
}

// Notes implements [explore.Noting].
func (g *Graph) Notes(buf []byte) []byte { return g.Log.Take(buf) }

// Resumed implements [explore.Noting].
func (g *Graph) Resumed() { g.Log.Resumed() }

// Visit implements [explore.Noting].
func (g *Graph) Visit() int {
	s, e := g.Configs, g.World.Engine
	return len(s.Transitions) + len(s.uncached) + len(s.rooms) + len(s.Globals) + e.Trees.Leaves.Len() + len(e.Locals.List) +
		len(e.Contents.List) +
		len(e.Inboxes.List) + e.Conns.List.Len() + len(e.NetGlobals.List) + len(e.Monitors.Outs)
}
