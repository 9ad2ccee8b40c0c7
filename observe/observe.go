// Package observe judges announcements of a real system by its monitors, in every order in which they may have
// happened.
//
// Announcements are ordered only by causes: the steps of one node, and messages between nodes. Clocks are not
// reliable enough. A monitor processes announcements one after the other. It may be violated in every order that
// agrees with the causes, in some, or in none.
//
// A history comes from a run of a system ([Of]) or from logs and traces ([Log]). A [Handler] writes such logs.
package observe

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/sim"
)

// Announcement is an event that a node announced.
type Announcement struct {
	Event any
	// Step is the step of the run in which it was announced (0 for the start), or the line in the log File.
	Step int
	File string
	// After is, by node, the number of its announcements that must precede this one.
	After []int
}

// History has the announcements of each node, in order.
type History [][]Announcement

// Len returns the number of announcements.
func (h History) Len() (n int) {
	for _, list := range h {
		n += len(list)
	}
	return n
}

// Verdict is the share of the possible orders in which a monitor is violated.
type Verdict string

const (
	None      Verdict = "none"
	Some      Verdict = "some"
	Every     Verdict = "every"
	Undecided Verdict = "undecided" // no violation was found before a limit was reached
)

// Place identifies an announcement by its node and its index there.
type Place struct {
	Node  sim.NodeID
	Index int
}

// Judgement is the result of Judge.
type Judgement struct {
	Verdict Verdict
	// Message is the first violation of the monitor. Order is a shortest order of announcements with that violation; the
	// last one violates the monitor.
	Message string
	Order   []Place
	// All reports that all orders were checked. Otherwise a limit was reached, and Some means at least some.
	All    bool
	States int // states of the monitor, each with the announcements before it
}

// Judge judges a history by a monitor. Rules encode the state of the monitor. Most bounds the number of states. The
// error reports a state that cannot be encoded, or announcements that come after a missing one or after themselves.
func Judge(ctx context.Context, h History, monitor func() sim.Monitor, rules []sim.StateRule, most int) (*Judgement, error) {
	plans, err := encoding.NewSet(declared.Rules(rules)...)
	if err != nil {
		return nil, err
	}
	j := &orderSearch{h: h, plans: plans, visited: map[string]bool{}}
	first := monitor()
	if _, err := j.add(place{cut: make([]int, len(h)), state: first, from: -1}); err != nil {
		return nil, err
	}
	out := &Judgement{All: true}
	ended := false // some order ended without a violation
	for k := 0; k < len(j.places); k++ {
		if k > most || ctx.Err() != nil {
			out.All = false
			break
		}
		p := j.places[k]
		next := false
		for node := range h {
			if !j.may(p.cut, node) {
				continue
			}
			next = true
			message, err := j.take(k, node)
			if err != nil {
				return nil, err
			}
			if message != "" && out.Order == nil {
				out.Message, out.Order = message, append(j.order(k), Place{sim.NodeID(node), p.cut[node]})
			}
		}
		if !next {
			if err := h.whole(p.cut); err != nil {
				return nil, err
			}
			ended = true
		}
		j.places[k].state = nil
	}
	out.States = len(j.places)
	switch {
	case out.Order == nil && !out.All:
		out.Verdict = Undecided
	case out.Order == nil:
		out.Verdict = None
	case ended || !out.All:
		out.Verdict = Some
	default:
		out.Verdict = Every
	}
	return out, nil
}

// whole returns an error unless all announcements are within cut, the numbers of announcements that can be reached.
func (h History) whole(cut []int) error {
	for node, n := range cut {
		if n < len(h[node]) {
			return fmt.Errorf("announcement %d of n%d comes after a missing one, or after itself", n, node)
		}
	}
	return nil
}

type orderSearch struct {
	h       History
	plans   *encoding.Set
	visited map[string]bool
	places  []place
}

// place is a state of the monitor after a number of announcements of each node.
type place struct {
	cut   []int
	state sim.Monitor // nil after its expansion
	from  int         // index of the preceding place; -1 for none
	node  int         // the node of the last announcement
}

// may reports whether the next announcement of a node may follow.
func (j *orderSearch) may(cut []int, node int) bool {
	if cut[node] == len(j.h[node]) {
		return false
	}
	for other, n := range j.h[node][cut[node]].After {
		if other != node && cut[other] < n {
			return false
		}
	}
	return true
}

// take passes the next announcement of a node to the monitor. It returns the message of a violation.
func (j *orderSearch) take(k, node int) (message string, err error) {
	p := j.places[k]
	how, err := j.plans.Of(p.state)
	if err == nil {
		err = how.Uncopyable()
	}
	if err != nil {
		return "", fmt.Errorf("monitor %s: %w", sim.MonitorName(p.state), err)
	}
	m := how.Copy(p.state).(sim.Monitor)
	if err := notify(m, sim.NodeID(node), j.h[node][p.cut[node]].Event); err != nil {
		return err.Error(), nil
	}
	cut := slices.Clone(p.cut)
	cut[node]++
	_, err = j.add(place{cut, m, k, node})
	return "", err
}

// notify passes an event to a monitor. A panic is a violation, too, as in a check; it must not end a logging service.
func notify(m sim.Monitor, from sim.NodeID, event any) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *sim.Finding:
			err = r
		default:
			err = fmt.Errorf("the monitor panics: %v", r)
		}
	}()
	return m.Observe(from, event)
}

// add adds a place unless it is known.
func (j *orderSearch) add(p place) (isNew bool, err error) {
	how, err := j.plans.Of(p.state)
	if err != nil {
		return false, err
	}
	var key []byte
	for _, n := range p.cut {
		key = binary.AppendUvarint(key, uint64(n))
	}
	key = how.Append(key, p.state)
	if j.visited[string(key)] {
		return false, nil
	}
	j.visited[string(key)] = true
	j.places = append(j.places, p)
	return true, nil
}

// order returns the announcements up to a place.
func (j *orderSearch) order(k int) (order []Place) {
	for ; j.places[k].from >= 0; k = j.places[k].from {
		p := j.places[k]
		order = append(order, Place{sim.NodeID(p.node), p.cut[p.node] - 1})
	}
	slices.Reverse(order)
	return order
}
