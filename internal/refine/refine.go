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
	// Clients are the nodes that are the same in both systems; at least one.
	Clients []sim.NodeID
	// Faults enables faults within the limits of the implementation, except crashes of clients. Otherwise no faults
	// happen.
	Faults bool
	// MaxStates bounds the states of the implementation, those of the abstraction, and the pairs, each. 0 means
	// [DefaultStates].
	MaxStates int
}

// DefaultStates is the default of MaxStates.
const DefaultStates = 1_000_000

// Verdict is the outcome of a comparison.
type Verdict string

const (
	NoDifference Verdict = "no difference" // for the inputs of the clients
	Difference   Verdict = "difference"
	Undecided    Verdict = "undecided"
)

// Kinds of differences.
const (
	NeverDone  = "the abstraction never does the last of these"
	MustGoOn   = "after this the implementation may stop, but the abstraction must continue"
	OtherStart = "the clients start differently"
)

// Result is the result of a comparison.
type Result struct {
	Verdict Verdict `json:"verdict"`
	// What describes the difference, or the reason why the comparison is undecided.
	What string `json:"what,omitempty"`
	// Trace is the sequence of observations in a run of the implementation that differs.
	Trace []string `json:"trace,omitempty"`
	// Steps describes the steps of that run, set by the caller.
	Steps []string `json:"steps,omitempty"`
	// Path is that run, which repeats its last Round steps forever. Round is 0 if it stays in its last state.
	Round int         `json:"round,omitempty"`
	Path  choose.Path `json:"path,omitempty"`

	States   int `json:"states"` // visited states of the implementation
	Abstract int `json:"abstract"`
	Pairs    int `json:"pairs"`   // visited pairs
	Covered  int `json:"covered"` // skipped pairs
	Largest  int `json:"largest_set"`
}

// Compare compares an implementation with an abstraction. The error is one of the systems, possibly a finding:
// violations within one system are for a search to find.
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

// side returns a system without the parts that are not compared.
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
	return refinement.NewTransitions(&s, refinement.TransitionOptions{Clients: o.Clients,
		Blind: func(id sim.NodeID) bool { return blind[id] }, Label: names.of})
}

// but excludes clients.
func (o *Options) but(may func(sim.NodeID) bool) func(sim.NodeID) bool {
	client := map[sim.NodeID]bool{}
	for _, c := range o.Clients {
		client[c] = true
	}
	return func(id sim.NodeID) bool { return !client[id] && (may == nil || may(id)) }
}

// labels numbers observations.
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
