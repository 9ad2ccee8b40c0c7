package table

import (
	"cmp"

	"github.com/macemc/macemc/sim"

	"github.com/macemc/macemc/internal/explore"
)

// Words implements [explore.Graph].
func (r *reduction) Words() int { return r.g.Words() }

// Together implements [explore.Graph].
func (r *reduction) Together() [][]int32 { return r.g.Together() }

// Fingerprint implements [explore.Graph].
func (r *reduction) Fingerprint(state []uint32) explore.Fingerprint { return r.g.Fingerprint(state) }

// Bytes implements [explore.Graph].
func (r *reduction) Bytes() int { return r.g.Bytes() + 256*r.known }

// Roots implements [explore.Graph].
func (r *reduction) Roots(e *explore.Edges) error {
	r.inner.Reset()
	err := r.g.Roots(&r.inner)
	zero := make([]uint32, r.Words())
	var roots [][]uint32
	for t := range r.inner.Ends {
		roots = append(roots, r.inner.To(t, zero, nil))
	}
	if r.sym != nil && err == nil {
		r.sym.begins(roots)
	}
	for _, v := range roots {
		r.fromRoot(v, nil)
		r.emit(e, zero, v, 0)
	}
	return cmp.Or(r.err, err)
}

// Expand implements [explore.Graph].
func (r *reduction) Expand(state []uint32, number int, e *explore.Edges) error {
	node, c := r.single(state)
	if number >= 0 {
		r.full = append(r.full[:number], c == nil)
	}
	if c != nil {
		if number >= 0 {
			r.told.Single++
		}
		e.Steps += len(c.next)
		for k := range c.next {
			r.there = append(r.there[:0], state...)
			note := r.take(r.there, node, c, k)
			note, steps := r.onward(r.there, note, number >= 0, nil)
			e.Steps += steps
			r.emit(e, state, r.there, note)
		}
		return r.err
	}
	r.note(state)
	r.inner.Reset()
	err := r.g.Expand(state, number, &r.inner)
	e.Steps += r.inner.Steps
	for t := range r.inner.Ends {
		r.there = r.inner.To(t, state, r.there[:0])
		note, steps := r.onward(r.there, r.inner.Notes[t], number >= 0, nil)
		e.Steps += steps
		r.emit(e, state, r.there, note)
	}
	if r.err != nil {
		r.g.badEvent = -1
	}
	return cmp.Or(r.err, err)
}

// emit appends an edge.
func (r *reduction) emit(e *explore.Edges, from, to []uint32, note uint8) {
	for word, value := range to {
		if value != from[word] {
			e.Change(word, value)
		}
	}
	var f explore.Fingerprint
	if e.Width > 0 {
		f = r.sites.fingerprint(to)
	}
	e.End(f, note)
}

// single is pick, but for states that are to be expanded in full.
func (r *reduction) single(v []uint32) (node int, c *candidate) {
	if !r.rules.singletonAmple || len(r.fullyExpanded) > 0 && r.fullyExpanded[keyOf(v)] {
		return 0, nil
	}
	return r.pick(v)
}

// note makes all that can happen in a state known.
func (r *reduction) note(v []uint32) {
	for node := range r.places {
		p := r.at(node, v[node])
		if p.noted {
			continue
		}
		p.noted = true
		local := r.sites.tables[node].list[v[node]].local
		for k := range p.candidates {
			r.know(local, p.candidates[k].act)
		}
	}
}

// take makes an outcome of an event happen in a state.
func (r *reduction) take(v []uint32, node int, c *candidate, k int) (note uint8) {
	o := &c.does.list[k]
	note = uint8(node)
	if r.sites.tables[node].list[v[node]].local != o.next {
		note |= noteLocal
	}
	if o.ordinary {
		note |= noteOrdinary
	}
	v[node] = c.next[k]
	for _, d := range o.sends {
		v[d.peer] = r.sites.once(d.peer, v[d.peer], d.index)
	}
	r.w.steps.leaves.at(o.leaf).met = true
	return note
}

// fromRoot is onward from a state in which runs begin. No step came to it, so every property is asked.
func (r *reduction) fromRoot(v []uint32, k *walker) {
	r.drop(v)
	r.sites.unpack(v, r.w.v)
	if ok, stuck := r.w.sound(); ok && stuck == nil {
		r.onward(v, noteLocal, false, k)
	} else {
		r.canonicalize(v, k)
	}
}

// canonicalize replaces a state by the one that stands for it. The walker, unless nil, is told.
func (r *reduction) canonicalize(v []uint32, k *walker) {
	if r.sym == nil {
		return
	}
	if by := r.sym.canonicalize(v); by >= 0 && k != nil {
		k.exchange(r.sym.permutations()[by])
	}
}

// cycle is how many steps a chain has before it is looked at whether it comes to a state again, and longest how many it has at most: the state that it comes
// to then is kept, as any is, so that limits are looked at.
const (
	cycle   = 50
	longest = 500

	mostLong = 10 // chains of that length before an exploration that is to hurry gives up: perhaps there is no end of states
)

// onward drops dead datagrams from a state that a step came to, and takes the steps that are the only ones to take from there on. It
// returns the note of the last one, and how many there were. A state in which something is wrong is the last one; so is one that the chain comes to again,
// which is expanded in full then, since nothing else would ever happen. The walker, unless nil, follows.
func (r *reduction) onward(v []uint32, note uint8, first bool, k *walker) (last uint8, steps int) {
	r.drop(v)
	r.canonicalize(v, k)
	if !r.rules.chains {
		return note, 0
	}
	var met map[string]bool
	for {
		node, c := r.single(v)
		if c == nil || len(c.next) != 1 || !r.passes(v, note) {
			break
		}
		if steps == longest {
			if r.long++; r.long == mostLong && r.hurried {
				r.err = errAgain
			}
			break
		}
		if steps > cycle && !r.mutated(noProviso) {
			key := keyOf(v)
			if met[key] {
				// A chain that was cut at its length may have passed this state. When it is followed again, it must end where it
				// ended before. So the proviso finds the state, and the next exploration expands it in full.
				if r.long == 0 {
					r.fullyExpanded[key] = true
				}
				break
			}
			if met == nil {
				met = map[string]bool{}
			}
			met[key] = true
		}
		if k != nil {
			k.follow(node, c)
		}
		note = note&noteOrdinary | r.take(v, node, c, 0)&^noteOrdinary
		r.drop(v)
		r.canonicalize(v, k)
		if steps++; steps%cycle == 0 && r.limited() {
			break
		}
	}
	if first && steps > 0 {
		r.told.Chains++
		r.told.Passed += steps
	}
	return note, steps
}

// passes reports whether nothing is wrong with a state that is gone through, which was come to by a step with a note.
func (r *reduction) passes(v []uint32, note uint8) bool {
	w := r.w
	check := false
	for i := range w.properties.always {
		q := &w.properties.always[i]
		check = check || q.nodes == 0 || q.inFlight || note&noteLocal != 0 && q.nodes>>(note&noteNode)&1 == 1
	}
	for i := range r.sites.pendingLog {
		if u := &r.sites.pendingLog[i]; v[u.node] == u.config {
			return false
		}
	}
	if r.sym != nil {
		if check = true; !r.sym.agrees(v) {
			return false
		}
	}
	if !check && w.covering.unmet == 0 {
		return true
	}
	r.sites.unpack(v, w.v)
	if check {
		if ok, stuck := w.sound(); !ok || stuck != nil {
			r.stuck, r.stuckAt = stuck, keyOf(v)
			return false
		}
	}
	return r.observe()
}

// observe notes which Sometimes properties hold; false: one of them panics, which is found again when the state is checked.
func (r *reduction) observe() (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	r.w.noteState()
	return true
}

// drop takes dead datagrams out of a state.
func (r *reduction) drop(v []uint32) {
	lost := 0
	for node := range r.places {
		if p := r.at(node, v[node]); p.dropped != v[node] {
			places := r.sites.tables[node].list
			lost += len(r.w.inboxes.list[places[v[node]].inbox].items) - len(r.w.inboxes.list[places[p.dropped].inbox].items)
			v[node] = p.dropped
		}
	}
	if lost == 0 {
		return
	}
	// They might as well have been duplicated, and all of that lost.
	f := &r.sites.globals[v[r.sites.global]]
	left, most, used := r.w.netGlobals.list[f.net].state.Left, r.w.sys.Limits(), &r.w.covering.used
	if left[sim.Loss] > 0 {
		used[sim.Loss] = max(used[sim.Loss], most[sim.Loss]-left[sim.Loss]+min(left[sim.Loss], lost+left[sim.Dup]))
	}
	if left[sim.Dup] > 0 {
		used[sim.Dup] = max(used[sim.Dup], most[sim.Dup]-left[sim.Dup]+1)
	}
}

// Check implements [explore.Graph].
func (r *reduction) Check(m *explore.FoundState) (live bool, err error) {
	g := r.g
	if r.stuck != nil && keyOf(m.State) == r.stuckAt {
		return false, r.stuck
	}
	if r.sym != nil {
		if !r.sym.agrees(m.State) {
			return false, errAgain
		}
		exchanged := *m
		exchanged.Root = true // the node of the note may be another one here
		live, err = g.check(&exchanged)
	} else {
		live, err = g.check(m)
	}
	if r.readsMessages() {
		return live, errAgain // whatever was said of states that messages were dropped from
	}
	if m.Barred = g.isKnown(err); m.Barred {
		return false, nil
	}
	if n := m.Number + 1; err == nil && n&(n-1) == 0 {
		if trail := m.Path(); len(trail) <= auditedSteps {
			path, _ := r.path(trail)
			if r.lost {
				return live, cmp.Or(r.err, errLost)
			}
			if len(path) <= auditedSteps {
				err = g.w.retrace(path)
			}
		}
	}
	return live, err
}

var _ explore.Graph = (*reduction)(nil)
