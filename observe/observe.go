// Package observe judges what was seen of a system that ran somewhere by its monitors, in all orders in which it may have happened.
//
// What nodes announced is only ordered as far as causes go: what one node does, and messages from one to another. Clocks say
// no more that could be relied on. A monitor, which is told of one announcement after the other, may be violated in every order that agrees
// with the causes, in some, or in none.
//
// A history comes from a run of a system ([Of]) or from logs and traces ([Log]); a [Handler] writes such logs.
package observe

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/sim"
)

// Announcement is something that a node has announced.
type Announcement struct {
	Event any
	// Step is the step of the run in which it was announced, 0: the start; or the line of the log File.
	Step int
	File string
	// After says, by node, how many of its announcements came before this one for sure.
	After []int
}

// History is what nodes announced, by node, each in order.
type History [][]Announcement

// Len is how many announcements there are.
func (h History) Len() (n int) {
	for _, list := range h {
		n += len(list)
	}
	return n
}

// Verdict says in which orders a monitor is violated.
type Verdict string

const (
	None      Verdict = "none"
	Some      Verdict = "some"
	Every     Verdict = "every"
	Undecided Verdict = "undecided" // none was found until a limit was reached
)

// Place is an announcement by its node, and its place among those of the node.
type Place struct {
	Node  sim.NodeID
	Index int
}

// Judgement is what a monitor came to.
type Judgement struct {
	Verdict Verdict
	// Message is what the monitor says of the first violation, and Order one in which it comes about, with as few announcements as possible. The
	// last one violates it.
	Message string
	Order   []Place
	// All says that all orders were looked at; else a limit was reached, and Some means at least some.
	All    bool
	States int // of the monitor, each after some of the announcements
}

// Judge judges a history by a monitor, whose state is kept by these rules. Most bounds the states. The error is that the state cannot be kept, or that
// announcements come after such as are nowhere, or after themselves.
func Judge(ctx context.Context, h History, monitor func() sim.Monitor, rules []sim.StateRule, most int) (*Judgement, error) {
	plans, err := encoding.NewSet(rules...)
	if err != nil {
		return nil, err
	}
	j := &judge{h: h, plans: plans, met: map[string]bool{}}
	first := monitor()
	if _, err := j.add(place{cut: make([]int, len(h)), state: first, from: -1}); err != nil {
		return nil, err
	}
	out := &Judgement{All: true}
	ended := false // without a violation
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

// whole is an error unless all announcements are among the first so many of each node, behind which none may come.
func (h History) whole(cut []int) error {
	for node, n := range cut {
		if n < len(h[node]) {
			return fmt.Errorf("announcement %d of n%d comes after one that is nowhere, or after itself", n, node)
		}
	}
	return nil
}

type judge struct {
	h      History
	plans  *encoding.Set
	met    map[string]bool
	places []place
}

// place is a state of the monitor after so many announcements of each node.
type place struct {
	cut   []int
	state sim.Monitor // nil: its turn is over
	from  int         // place; -1: none
	node  int         // whose announcement led here
}

// may reports whether the next announcement of a node may come.
func (j *judge) may(cut []int, node int) bool {
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

// take has the monitor see the next announcement of a node; message says that this violates it.
func (j *judge) take(k, node int) (message string, err error) {
	p := j.places[k]
	how, err := j.plans.Of(p.state)
	if err == nil {
		err = how.Uncopyable()
	}
	if err != nil {
		return "", fmt.Errorf("monitor %s: %w", sim.MonitorName(p.state), err)
	}
	m := how.Copy(p.state).(sim.Monitor)
	if err := tell(m, sim.NodeID(node), j.h[node][p.cut[node]].Event); err != nil {
		return err.Error(), nil
	}
	cut := slices.Clone(p.cut)
	cut[node]++
	_, err = j.add(place{cut, m, k, node})
	return "", err
}

// tell tells a monitor of an event. That it panics is a violation, too, as in a check: what cannot happen has happened, and a service that logs is to go on.
func tell(m sim.Monitor, from sim.NodeID, event any) (err error) {
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

// add adds a place, unless it was met.
func (j *judge) add(p place) (isNew bool, err error) {
	how, err := j.plans.Of(p.state)
	if err != nil {
		return false, err
	}
	var key []byte
	for _, n := range p.cut {
		key = binary.AppendUvarint(key, uint64(n))
	}
	key = how.Append(key, p.state)
	if j.met[string(key)] {
		return false, nil
	}
	j.met[string(key)] = true
	j.places = append(j.places, p)
	return true, nil
}

// order is the way to a place.
func (j *judge) order(k int) (order []Place) {
	for ; j.places[k].from >= 0; k = j.places[k].from {
		p := j.places[k]
		order = append(order, Place{sim.NodeID(p.node), p.cut[p.node] - 1})
	}
	slices.Reverse(order)
	return order
}
