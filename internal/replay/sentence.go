package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Describe says in a few words what ev, whose stable key in its world is key, does: "n0 timer
// resend", "network loses Ack{2} n1->n0".
func Describe(ev sim.Event, key string) string { return describe(ev, key, what(ev, key)) }

// what is the content of a key in the words of people.
func what(ev sim.Event, key string) string {
	if ev.Kind == sim.TakeQuorum {
		return takenFrom(content(ev, key))
	}
	return Brief(content(ev, key))
}

// takenFrom names a quorum and the senders of the set that it takes, by the content of its key: "promised from n2, n3".
func takenFrom(content string) string {
	name, sets, _ := strings.Cut(content, senderMark)
	var senders []string
	for sets != "" {
		id, rest, _ := strings.Cut(sets, " ")
		senders = append(senders, "n"+id)
		if sets = ""; len(rest) > 0 {
			if end := outside(rest, senderMark); end >= 0 {
				sets = rest[end+len(senderMark):]
			}
		}
	}
	return name + " from " + strings.Join(senders, ", ")
}

// senderMark stands before each sender in the key of a set.
const senderMark = " <-n"

// outside is where a mark is first in a text but inside of brackets or quotes; -1: nowhere.
func outside(text, mark string) int {
	for i, depth := range nesting(text) {
		if depth <= 0 && strings.HasPrefix(text[i:], mark) {
			return i
		}
	}
	return -1
}

// describe is Describe with the content of the key in the words of people.
func describe(ev sim.Event, key, what string) string {
	link := fmt.Sprintf("n%d->n%d", ev.Peer, ev.Node)
	text := ""
	switch ev.Kind {
	case sim.Boot:
		text = fmt.Sprintf("n%d boots", ev.Node)
	case sim.DoAction:
		text = fmt.Sprintf("n%d %s", ev.Node, what)
	case sim.Arrive:
		text = fmt.Sprintf("%s of n%d arrives at n%d", what, ev.Node, ev.Peer)
	case sim.Internal:
		text = fmt.Sprintf("n%d internal step", ev.Node)
	case sim.FireTimer:
		text = fmt.Sprintf("n%d timer %s", ev.Node, what)
	case sim.Deliver:
		text = fmt.Sprintf("n%d receives %s from n%d", ev.Node, what, ev.Peer)
	case sim.TakeQuorum:
		text = fmt.Sprintf("n%d receives %s", ev.Node, what)
	case sim.DeliverError:
		text = strings.TrimSpace(fmt.Sprintf("n%d gets error with n%d %s", ev.Node, ev.Peer, what))
	case sim.DeliverReady:
		text = fmt.Sprintf("n%d can send to n%d again", ev.Node, ev.Peer)
	case sim.Heal:
		text = "network heals " + cut(ev)
	case sim.Crash:
		text = fmt.Sprintf("n%d crashes", ev.Node) + mates(ev, key)
	case sim.Halt:
		text = fmt.Sprintf("n%d halts forever", ev.Node) + mates(ev, key)
	case sim.Lose:
		text = fmt.Sprintf("network loses %s %s", what, link)
	case sim.Duplicate:
		text = fmt.Sprintf("network duplicates %s %s", what, link)
	case sim.Break:
		text = fmt.Sprintf("connection n%d-n%d breaks", ev.Node, ev.Peer)
	case sim.Partition:
		text = "network cuts " + cut(ev)
	default:
		text = key
	}
	return text
}

// mates names the nodes that fall with that of a crash, as they run in its process, by the key: " with n2, n3"; "" when there are none.
func mates(ev sim.Event, key string) string {
	_, process, _ := strings.Cut(key, " ")
	first, others, several := strings.Cut(process, " with ")
	if !several {
		return ""
	}
	all := append([]string{first}, strings.Split(others, ", ")...)
	all = slices.DeleteFunc(all, func(name string) bool { return name == fmt.Sprintf("n%d", ev.Node) })
	return " with " + strings.Join(all, ", ")
}

// cut names the links that a partition cuts.
func cut(ev sim.Event) string {
	switch {
	case ev.Peer >= 0:
		return fmt.Sprintf("n%d-n%d", ev.Node, ev.Peer)
	case ev.Node >= 0:
		return fmt.Sprintf("all links of n%d", ev.Node)
	}
	return "the partition"
}

// content is what a stable key says beyond class and nodes. It is exact; see [Brief].
func content(ev sim.Event, key string) string {
	if ev.Kind.TakesDown() {
		return strings.TrimPrefix(mates(ev, key), " ")
	}
	rest := strings.TrimSpace(strings.TrimPrefix(key, ev.Kind.String()))
	first, more, _ := strings.Cut(rest, " ")
	// The world writes the nodes as one word: "n0" or "n0<-n1".
	if ev.Node >= 0 && strings.HasPrefix(first, "n"+strconv.Itoa(int(ev.Node))) {
		return more
	}
	return rest
}

// Sentence says in a few words what the step did, with what was decided in it.
func (s *TraceStep) Sentence() string {
	if s.Number == 0 {
		return s.Key
	}
	text := describe(s.Event, s.Key, s.What)
	if s.Event.Kind.TakesDown() {
		text, _, _ = strings.Cut(text, " with ") // of which some were down
		text += AlsoFell(s.With)
	}
	if s.Crashed {
		fails := "crashes"
		if s.Halted {
			fails = "halts forever"
		}
		text += ", and " + fails + AlsoFell(s.With) + "; " + strings.Join(s.Aftermath(), "; ")
	}
	return text
}

// Count returns how many of the step's effects happened, and of how many.
func (s *TraceStep) Count() (applied, all int) {
	for i := range s.Effects {
		e := &s.Effects[i]
		if !e.happens() {
			continue
		}
		all++
		if e.Applied {
			applied++
		}
	}
	return applied, all
}
