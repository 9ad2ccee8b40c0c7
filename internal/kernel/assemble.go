package kernel

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/sim"
)

// look calls f, a function that may only read the state of a node and some messages.
func look[T any](w *Machine, n *Node, what declared.Asker, set []sim.From[any], f func() T) T {
	w.asked, w.askedAt = what, n.ID
	var before encoding.Fingerprint
	var said []byte
	if w.closely() {
		before, said = w.serviceHash(n), w.appendSet(nil, set)
	}
	var v T
	if w.ownGoroutines {
		v = asking(w, func() Asked { return Asked{Name: what.Question()} }, f)
	} else {
		v = f()
	}
	if w.closely() {
		changed := ""
		switch {
		case w.serviceHash(n) != before:
			changed = fmt.Sprintf("the state of the service %T", n.Service)
		case string(w.appendSet(nil, set)) != string(said):
			changed = "a message"
		}
		if changed != "" {
			panic(&sim.Finding{Kind: sim.Nondeterminism, Message: fmt.Sprintf("%s changed %s, which it may only look at", what.Question(), changed)})
		}
	}
	w.asked = nil
	return v
}

func (w *Machine) appendSet(buf []byte, set []sim.From[any]) []byte {
	for i := range set {
		buf = appendString(appendCount(buf, int(set[i].From)), string(w.PlanOf(set[i].Msg).Append(nil, set[i].Msg)))
	}
	return buf
}

// mostTried bounds the sets tried for one quorum in one state.
const mostTried = 1 << 16

// assembler lists the sets that one quorum of a node takes.
type assembler struct {
	w     *Machine
	n     *Node
	q     *declared.Quorum
	index int32
	out   *declared.Assembly
	all   []sim.From[any]

	senders [][]int32 // the messages that fit, by sender
	chosen  []int32
	tried   int
}

// Assemble returns the sets that the quorums of a running node take from the deliverable datagrams all, which are in
// canonical order. It panics like an action's When.
func (w *Machine) Assemble(n *Node, all []sim.From[any]) (out declared.Assembly) {
	out.Taken, out.Over = make([]bool, len(all)), make([]bool, len(all))
	for i := range w.Quorums {
		q := &w.Quorums[i]
		if !q.Has(n.Service) {
			continue
		}
		need := 0
		if q.Need != nil {
			need = w.needed(n, i)
		}
		for k := range all {
			if q.Takes(all[k].Msg) {
				out.Over[k] = need < 0 && (out.Over[k] || !out.Taken[k])
				out.Taken[k] = true
			}
		}
		if q.Need != nil && need <= 0 {
			continue
		}
		a := &assembler{w: w, n: n, q: q, index: int32(i), out: &out, all: all}
		for _, group := range a.groups() {
			a.group(group, need)
		}
	}
	return out
}

// needed returns the number of senders in a set of a quorum. It panics with a finding if Need had ruled out further
// sets before.
func (w *Machine) needed(n *Node, i int) int {
	q := &w.Quorums[i]
	need := look(w, n, q.Asked("Need"), nil, func() int { return q.Need(n.Service) })
	if need >= 0 && n.never>>i&1 == 1 {
		w.asked = q.Asked("Need")
		panic(&sim.Finding{Kind: sim.Safety, Property: sim.QuorumProperty, Message: fmt.Sprintf(
			"quorum %q: Need was negative, which says that no set will be taken any more, crashes included; now it is %d", q.Name, need)})
	}
	return need
}

// noteNever records the quorums of a node that will take no more sets.
func (w *Machine) noteNever(n *Node) (err error) {
	defer w.CatchWhen(&err)
	for i := range w.Quorums {
		if q := &w.Quorums[i]; q.Need != nil && q.Has(n.Service) && n.never>>i&1 == 0 {
			if look(w, n, q.Asked("Need"), nil, func() int { return q.Need(n.Service) }) < 0 {
				n.never |= 1 << i
				n.hashed = false
			}
		}
	}
	return nil
}

// groups returns the messages that fit, grouped by key.
func (a *assembler) groups() (groups [][]int32) {
	var keys []any
	for k := range a.all {
		m := &a.all[k]
		if !a.q.Takes(m.Msg) || a.q.Fits != nil && !look(a.w, a.n, a.q.Asked("Fits"), a.all[k:k+1],
			func() bool { return a.q.Fits(a.n.Service, m.From, m.Msg) }) {
			continue
		}
		var key any
		if a.q.Key != nil {
			key = look(a.w, a.n, a.q.Asked("Key"), a.all[k:k+1], func() any { return a.q.Key(m.Msg) })
		}
		a.w.asked, a.w.askedAt = a.q.Asked("Key"), a.n.ID // incomparable keys panic
		i := slices.Index(keys, key)
		if a.q.Key != nil && a.w.closely() && key != a.q.Key(a.w.PrivateTo(m.Msg)) {
			panic(&sim.Finding{Kind: sim.Nondeterminism, Property: sim.QuorumProperty, Message: fmt.Sprintf(
				"quorum %q: Key returns %T for a message, and another one for a copy of it: no two messages are in one set", a.q.Name, key)})
		}
		a.w.asked = nil
		if i < 0 {
			i, keys, groups = len(keys), append(keys, key), append(groups, nil)
		}
		groups[i] = append(groups[i], int32(k))
	}
	return groups
}

// group lists the sets of messages of one key with need senders. A need of 0 means any number.
func (a *assembler) group(group []int32, need int) {
	slices.SortStableFunc(group, func(x, y int32) int { return cmp.Compare(a.all[x].From, a.all[y].From) })
	a.senders = a.senders[:0]
	for i, k := range group {
		if i == 0 || a.all[group[i-1]].From != a.all[k].From {
			a.senders = append(a.senders, nil)
		}
		last := &a.senders[len(a.senders)-1]
		*last = append(*last, k)
	}
	first, end := need, need
	if a.q.Need == nil {
		first, end = 1, len(a.senders)
	}
	for size := first; size <= end && size <= len(a.senders); size++ {
		a.choose(0, size)
	}
}

// choose lists the sets with more additional members, from senders at index from or later.
func (a *assembler) choose(from, more int) {
	if more == 0 {
		a.try()
		return
	}
	for s := from; s+more <= len(a.senders); s++ {
		for _, k := range a.senders[s] {
			a.chosen = append(a.chosen, k)
			a.choose(s+1, more-1)
			a.chosen = a.chosen[:len(a.chosen)-1]
		}
	}
}

func (a *assembler) try() {
	if a.tried++; a.tried > mostTried {
		a.w.asked, a.w.askedAt = a.q.Asked("Guard"), a.n.ID
		panic(&sim.Finding{Kind: sim.Divergence, Property: sim.QuorumProperty, Message: fmt.Sprintf(
			"quorum %q has more than %d sets to choose from in one state: a Need and a Key make them fewer", a.q.Name, mostTried)})
	}
	if a.q.Need == nil {
		a.out.Tried++
	}
	if a.q.Guard != nil {
		set := make([]sim.From[any], len(a.chosen))
		for i, k := range a.chosen {
			set[i] = a.all[k]
		}
		if !look(a.w, a.n, a.q.Asked("Guard"), set, func() bool { return a.q.Guard(a.n.Service, set) }) {
			return
		}
	}
	a.out.Sets = append(a.out.Sets, declared.AssemblySet{Quorum: a.index, Members: slices.Clone(a.chosen)})
}
