// Package refine compares a system with a simpler one that is to stand for it in the checks of others: whether it does all that the
// other does, as far as those around it can see.
//
// Around both are the same clients, nodes of the same numbers, which should do whatever a client may: as many inputs as there
// is time for, at any moment. What is seen are the steps of the clients: what they get, what they do, what they draw, and what
// they are told of room in streams. An abstraction stands for an implementation when
//
//   - whatever clients see of the implementation they may see of the abstraction: traces are included;
//   - when the implementation may fall silent, the abstraction may, after the same: a fair run without end, or one that ends, in
//     which no more is seen. Otherwise an implementation that does nothing would be included. docs/machines.md defines fairness; of what
//     clients do by themselves nothing is promised.
//
// What holds of all runs of a system with the abstraction, and is said of what the rest sees, holds with the implementation then, for as many
// inputs and such values as the clients have.
//
// The states of the implementation are paired with sets of states of the abstraction, all that it may be in after what was seen. Pairs are
// visited breadth first, so that a difference is shown by as few steps as possible; one with a set that contains that of another
// pair of the same state is left out, as it has no difference that the other has not.
package refine

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/table/refinement"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// Options bound a comparison.
type Options struct {
	// Clients are the nodes that are the same in both systems. At least one.
	Clients []sim.NodeID
	// Faults has the faults happen that the implementation is limited to, but crashes of clients. Else none does.
	Faults bool
	// MaxStates bounds the states of the implementation, those of the abstraction, and the pairs, each. 0: [DefaultStates].
	MaxStates int
}

// DefaultStates is as many states as are compared without another limit.
const DefaultStates = 1_000_000

// Verdict is what a comparison came to.
type Verdict string

const (
	NoDifference Verdict = "no difference" // within what the clients do
	Difference   Verdict = "difference"
	Undecided    Verdict = "undecided"
)

// What a difference is.
const (
	NeverDone  = "the abstraction never does the last of these"
	MustGoOn   = "after this the implementation may stop, but the abstraction must continue"
	OtherStart = "the clients start differently"
)

// Result is what a comparison came to.
type Result struct {
	Verdict Verdict
	// What says what the difference is, or why nothing was decided.
	What string
	// Trace is what clients see of a run of the implementation that differs.
	Trace []string
	// Path is that run, the last Round steps of which go on for ever. Round is 0 when nothing has to happen any more.
	Path  choose.Path
	Round int

	States, Abstract int // of implementation and abstraction that were met
	Pairs, Covered   int // that were visited, and that were left out
	Largest          int // set
}

// Compare compares an implementation with an abstraction. The error is one of the systems, a finding among them: what they do wrong by themselves is
// for a search to find.
func Compare(ctx context.Context, impl, abs *sim.System, o Options) (*Result, error) {
	if len(o.Clients) == 0 {
		return nil, fmt.Errorf("the comparison of system %q with %q has no clients, so nothing is observable", impl.Name, abs.Name)
	}
	if o.MaxStates == 0 {
		o.MaxStates = DefaultStates
	}
	names := labels{ids: map[string]uint32{}, list: []string{""}}
	i, err := o.side(impl, &names, o.Faults)
	if err != nil {
		return nil, err
	}
	a, err := o.side(abs, &names, false)
	if err != nil {
		return nil, err
	}
	c := newComparison(tables{i}, tables{a}, o.MaxStates)
	found, err := c.run(ctx)
	r := &Result{States: i.Len(), Abstract: a.Len(), Pairs: len(c.pairs), Covered: c.covered, Largest: c.largest}
	switch {
	case err != nil:
		return r, err
	case found.kind == undecided:
		r.Verdict, r.What = Undecided, found.why
	case i.Sampled() || a.Sampled():
		r.Verdict, r.What = Undecided, "answers of a draw were sampled"
	case found.kind == same:
		r.Verdict = NoDifference
	default:
		r.Verdict, r.What, r.Round = Difference, found.why, found.round
		for _, l := range found.trace {
			r.Trace = append(r.Trace, names.list[l])
		}
		r.Path = i.Path(found.root, found.steps)
	}
	return r, nil
}

// side is a system without what is not compared.
func (o *Options) side(sys *sim.System, names *labels, faults bool) (*refinement.Transitions, error) {
	s := *sys
	s.Properties, s.Monitors = nil, nil
	for _, c := range o.Clients {
		if c < 0 || int(c) >= s.Nodes {
			return nil, fmt.Errorf("system %q has %d nodes, and no client n%d", s.Name, s.Nodes, c)
		}
	}
	blind := map[sim.NodeID]bool{}
	for _, c := range o.Clients {
		_, blind[c] = s.New(c).(*machine.Host)
	}
	if !faults {
		var err error
		if s, err = s.WithLimits(sim.Limits{}); err != nil {
			return nil, err
		}
	}
	s.MayCrash = o.but(s.MayCrash)
	if s.MayHalt != nil {
		s.MayHalt = o.but(s.MayHalt)
	}
	return refinement.NewTransitions(&s, refinement.TransitionOptions{Clients: o.Clients, Blind: func(id sim.NodeID) bool { return blind[id] }, Label: names.of})
}

// but excludes clients.
func (o *Options) but(may func(sim.NodeID) bool) func(sim.NodeID) bool {
	client := map[sim.NodeID]bool{}
	for _, c := range o.Clients {
		client[c] = true
	}
	return func(id sim.NodeID) bool { return !client[id] && (may == nil || may(id)) }
}

// labels number what is seen.
type labels struct {
	ids  map[string]uint32
	list []string
}

func (l *labels) of(text string) uint32 {
	id, ok := l.ids[text]
	if !ok {
		id = uint32(len(l.list))
		l.ids[text] = id
		l.list = append(l.list, text)
	}
	return id
}
