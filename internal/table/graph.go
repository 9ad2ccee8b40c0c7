package table

import (
	"cmp"
	"errors"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// graph is the states of a system, as packed vectors, and its steps.
type graph struct {
	w      *World // bare
	sites  *nodeConfigs
	log    *auditLog // nil: there is no log
	onward *onward   // nil: it begins at the start
	known  map[string]bool

	worldVector []uint32        // the state that is expanded
	width       int             // of fingerprints that are asked for
	fingerprint sim.Fingerprint // its own

	met   *explore.FoundState // the last state that was checked
	holds []bool              // by Inevitably property: whether it does there

	roots        []choose.Path
	vector       []uint32 // scratch, of the world
	packedVector []uint32 // likewise, packed
	events       []sim.Event
	spans        []nodeSpan    // scratch
	all          explore.Edges // scratch
	answers      answers
	fates        choose.Enumerate // of nodes that go down with another one

	sleepSet sleepSet
	named    bool // edges are named for other processes, see nameFor

	reads  bool // what is known, and nothing else, see reader
	unread bool // some of it was not known

	// The step that could not be taken: the event, -1: it is that of the start, and its answers.
	badEvent int
	badPicks choose.Path
}

func newGraph(e *engine, weightless []sim.EventKind) *graph {
	g := &graph{w: newBareWorld(e), badEvent: -1}
	for _, kind := range weightless {
		e.weightless |= 1 << kind
	}
	g.sites = newSites(e)
	g.vector, g.packedVector = make([]uint32, e.layout.words), make([]uint32, g.sites.words)
	return g
}

// sibling is another graph on the same tables, for use instead of g.
func (g *graph) sibling() *graph {
	return &graph{w: newBareWorld(g.w.engine), log: g.log, badEvent: -1, sites: g.sites, vector: g.vector, packedVector: g.packedVector}
}

// Words implements [explore.Graph].
func (g *graph) Words() int { return g.sites.words }

// Together implements [explore.Graph].
func (g *graph) Together() [][]int32 { return g.w.together }

// Fingerprint implements [explore.Graph].
func (g *graph) Fingerprint(state []uint32) explore.Fingerprint { return g.sites.fingerprint(state) }

// Share implements [explore.Sharer].
func (g *graph) Share(word int, value uint32) uint64 { return g.sites.shareOf(word, value).Lo }

// Bytes implements [explore.Graph].
func (g *graph) Bytes() int {
	return g.sites.bytes() + g.w.bytes() + g.onward.bytes()
}

// Roots implements [explore.Graph]: there are several when booting draws.
func (g *graph) Roots(e *explore.Edges) error {
	v := make([]uint32, g.sites.words)
	known := g.roots
	defer func() {
		if len(g.roots) < len(known) { // they are listed again, and a limit was reached: paths begin at any of them
			g.roots = known
		}
	}()
	g.roots, g.badEvent = nil, -1
	for g.answers.Reset(); g.answers.Next(); {
		if err := g.log.err(); err != nil {
			return err
		}
		usual, err := true, error(nil)
		if g.onward != nil {
			usual, err = g.onward.execute(g.w, &g.answers)
		} else {
			err = g.w.start(&g.answers)
		}
		if g.fails(err) && g.onward.open {
			if usual && !g.answers.never {
				g.onward.fail(err)
			}
			if g.sites.endless(err, g.answers.Path()) {
				g.sites.diverged(err, &g.answers)
				return nil
			}
			if err := g.answers.stop(); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			g.badPicks = g.answers.Path()
			return err
		}
		if !usual || g.onward != nil && g.answers.never {
			continue
		}
		g.sites.pack(g.w.v, v)
		for word, value := range v {
			if value != 0 {
				e.Change(word, value)
			}
		}
		e.End(g.sites.fingerprint(v), 0)
		g.roots = append(g.roots, g.answers.Path())
		if err := g.answers.stop(); err != nil {
			return err
		}
	}
	return nil
}

// Expand implements [explore.Graph]. Steps are in the order of [World.Injections].
func (g *graph) Expand(state []uint32, number int, e *explore.Edges) error {
	from := len(e.Ends)
	g.worldVector, g.width = state, e.Width
	if e.Width > 0 {
		g.fingerprint = g.sites.fingerprint(state)
	}
	if len(g.known) > 0 || g.onward != nil {
		e.By = 0 // behind violations nothing is found
		if g.barred() {
			return nil
		}
	}
	err := cmp.Or(g.takeAll(e), g.sites.limited)
	if g.named {
		for t := from; t < len(e.Names); t++ {
			e.Names[t] = g.sites.nameFor(e.Names[t])
		}
	}
	if changed := g.log.err(); changed != nil {
		return changed
	}
	if err == nil && number >= 0 && !g.w.samples.off && g.w.samples.sampled(number+1) {
		err = g.verify(number, e, from)
	}
	return err
}

// Check implements [explore.Graph]. Properties that have not read what the step to the state changed are what they were.
func (g *graph) Check(m *explore.FoundState) (live bool, err error) {
	g.met = m
	live, err = g.check(m)
	if g.isKnown(err) {
		if g.onward != nil { // what asks for recovery asks whether a live state is there
			g.onward.bar(m.State, err)
		} else {
			m.Barred = true
		}
		return false, nil
	}
	if n := m.Number + 1; err == nil && n&(n-1) == 0 {
		if trail := m.Path(); trail != nil && len(trail) <= auditedSteps {
			err = g.audit(m.State, trail)
		}
	}
	return live, err
}

func (g *graph) check(m *explore.FoundState) (live bool, err error) {
	w := g.w
	for i := range g.sites.pendingLog {
		if u := &g.sites.pendingLog[i]; m.State[u.node] == u.config {
			return false, u.err
		}
	}
	p := &w.properties
	sampled := w.samples.sampled(m.Number + 1)
	check, cover := m.Root || sampled || g.named, w.covering.unmet > 0 // of several processes, another one may have seen what properties read
	changed := w.failGroup(m.Note & noteNode)
	for i := range p.always {
		q := &p.always[i]
		check = check || q.inFlight || m.Note&noteLocal != 0 && q.nodes&changed != 0
	}
	if !check && !cover && len(p.eventually) == 0 && len(p.inevitably) == 0 {
		return true, nil
	}
	if g.alone() && !sampled && !cover {
		if said := *p.verdicts.said(g.read(m.State)); said&isSound != 0 && (said != isSound || len(p.eventually) == 0) {
			return said&notLive == 0, nil
		}
	}
	return g.ask(m, check, sampled)
}

// alone reports whether what is to be said of a state hangs on its local states alone.
func (g *graph) alone() bool {
	p := &g.w.properties
	return !p.inFlight && len(p.inevitably) == 0 && g.onward == nil
}

// ask is check by asking the properties: with check also those that must hold always.
func (g *graph) ask(m *explore.FoundState, check, sampled bool) (live bool, err error) {
	defer kernel.CatchState(&err) // of properties that panic
	w := g.w
	p := &w.properties
	if c := w.calls; c != nil {
		defer c.checked()
		if !c.state(m.Number) {
			return false, kernel.GivenUp()
		}
	}
	g.sites.unpack(m.State, w.v)
	if sampled { // properties are asked, whatever they said together
		*p.verdicts.said(w.readNow()) = 0
	}
	if g.onward != nil && w.Live() {
		return true, nil // which is all that recovery asks for
	}
	if check {
		if err := w.Check(); err != nil {
			return false, err
		}
	}
	if sampled {
		if err := w.unchanged(); err != nil {
			return false, err
		}
	}
	if w.covering.unmet > 0 {
		w.noteState()
	}
	g.holds = g.holds[:0]
	for i := range p.inevitably {
		g.holds = append(g.holds, w.value(&p.inevitably[i]))
	}
	if live = w.Live(); g.alone() {
		w.say(isSound) // also if it was not asked for: nothing changed that it hangs on
	}
	return live, nil
}

// read is the local states of a packed vector that verdicts hang on. It is valid until the next call.
func (g *graph) read(state []uint32) []uint32 {
	p := &g.w.properties
	for i, node := range p.read {
		p.key[i] = g.sites.tables[node].list[state[node]].local
	}
	return p.key
}

// isKnown reports whether an error of check is the violation of a known property, behind which nothing is visited. What asks for recovery
// takes all that is wrong with a state so.
func (g *graph) isKnown(err error) bool {
	if g.onward != nil {
		return endsRun(err)
	}
	if err == nil || len(g.known) == 0 {
		return false
	}
	var f *sim.Finding
	return errors.As(err, &f) && f.Kind == sim.Safety && g.known[f.Property]
}

// fails reports whether a step with an error is one that leads nowhere, and so back to its state: recovery is looked for beside such steps.
func (g *graph) fails(err error) bool { return g.onward != nil && endsRun(err) }

// barred reports whether nothing is to be visited behind the state that is expanded.
func (g *graph) barred() bool {
	if g.onward != nil {
		return g.onward.bars(g.worldVector)
	}
	g.sites.unpack(g.worldVector, g.vector)
	g.w.restore(g.vector)
	return g.isKnown(g.w.Check())
}

// auditedSteps is how long a path may be for the replay engine to execute it.
const auditedSteps = 1 << 12

// audit has the replay engine go to a state, as shadow does with runs.
func (g *graph) audit(state, trail []uint32) error {
	path := g.path(trail)
	g.sites.unpack(state, g.vector)
	g.w.restore(g.vector)
	return g.w.retrace(path)
}

// limitBy has limits looked at while one state is expanded, too: it may have very many steps. Nil: they are not any more.
func (g *graph) limitBy(limit func() error) {
	g.answers.limit, g.sites.answers.limit, g.sites.limited = limit, limit, nil
}

// sampled are the draws of which only a sample was enumerated.
func (g *graph) sampled() (s choose.Samples) {
	s.Merge(g.answers.sampled)
	s.Merge(g.sites.answers.sampled)
	return s
}

// found is the path to what an exploration found.
func (g *graph) found(r *explore.Result) choose.Path {
	if r.Path == nil {
		return g.badPicks
	}
	path := g.path(r.Path)
	if r.AtEdge && g.badEvent >= 0 {
		path = append(append(path, int32(g.badEvent)), g.badPicks...)
	}
	return path
}

// path returns the path by turns, the first of which is the start itself, and goes there.
func (g *graph) path(trail []uint32) (path choose.Path) {
	w := g.w
	defer w.samples.pause()()
	first := g.roots[trail[0]]
	answers := &repeat{picks: first}
	if g.onward != nil {
		path = g.onward.path.Clone()
		_, _ = g.onward.execute(w, answers) // it went well before
	} else {
		_ = w.start(answers)
	}
	path = append(path, first...)
	for _, turn := range trail[1:] {
		i, _, picks := g.step(int(turn))
		path = append(append(path, int32(i)), picks...)
	}
	return path
}

// errFewer is panicked with: turns are not those of this graph.
var errFewer = errors.New("table: a state has fewer steps than before")

// step takes a step from the world's state, and returns the event, its place in the list, and the answers.
func (g *graph) step(turn int) (i int, ev sim.Event, picks choose.Path) {
	w := g.w
	v := slices.Clone(w.v)
	w.derive()
	var answers choose.Enumerate
	for i, ev := range w.list(nil) {
		for answers.Reset(); answers.Next(); turn-- {
			w.restore(v)
			err := w.advance(&ev, &answers) // it went well before, or was not looked up
			if turn == 0 {
				return i, ev, answers.Path()
			}
			if err != nil && g.sites.endless(err, answers.Path()) {
				turn--
				break
			}
		}
	}
	panic(errFewer)
}

// Notes implements [explore.Noting].
func (g *graph) Notes(buf []byte) []byte { return g.log.take(buf) }

// Resumed implements [explore.Noting].
func (g *graph) Resumed() { g.log.resumed() }

// Visit implements [explore.Noting].
func (g *graph) Visit() int {
	s, e := g.sites, g.w.engine
	return len(s.transitions) + len(s.uncached) + len(s.rooms) + len(s.globals) + e.steps.leaves.len() + len(e.locals.list) + len(e.messages.list) +
		len(e.inboxes.list) + e.conns.list.len() + len(e.netGlobals.list) + len(e.monitors.outs)
}
