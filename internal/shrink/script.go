package shrink

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// classify returns what an event has in common with those that take its place when the run before it changes: kind, nodes, the Go types of
// the messages, and the word that the text of a message or timer begins with. The rest of the text is content, which depends on what came
// before. handler is the same without nodes.
func classify(w kernel.World, l *stepinfo.Label) (class, handler string) {
	ev := l.Event
	kind := ev.Kind.String() + " "
	if ev.Msgs == 0 && ev.Kind != sim.FireTimer {
		return l.String(), kind + l.Content
	}
	word := l.Content
	if n := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '.' && r != '"' }); n >= 0 {
		word = word[:n]
	}
	word = l.Carrier + " " + word
	class, handler = l.Head()+" "+word, kind+word
	for _, m := range w.Messages(ev, nil) {
		class += fmt.Sprintf(" %d:%T", m.From, m.Msg)
		handler += fmt.Sprintf(" %T", m.Msg)
	}
	return class, handler
}

// isOfClass reports whether an event is of the class that classify returned for another one.
func isOfClass(w kernel.World, l *stepinfo.Label, class string) bool {
	of, _ := classify(w, l)
	return of == class
}

// A Script is a run in a form that outlives changes: events by their stable keys, answers by kind. What
// a script says need not fit: see [Player].
type Script struct {
	Boot  []choose.FilePick // answers of the first boots
	Steps []Step
}

// Step is one step of a script.
type Step struct {
	Kind       sim.EventKind
	Node, Peer sim.NodeID
	Key        string            // the event's stable key
	Class      string            // see [classify]
	Handler    string            // the class without nodes: runs whose last steps have the same one show the same defect on other nodes
	Nth        int               // how many events of this key precede it among those of its state
	Picks      []choose.FilePick // its answers; faults that did not strike are left out
}

// faults counts the faults that the step injects.
func (s *Step) faults() int {
	n := 0
	if s.Kind.Injection() {
		n++
	}
	for _, p := range s.Picks {
		if p.Kind.Class() == choose.Fault && p.Pick != 0 {
			n++
		}
	}
	return n
}

// last is the handler of the last step; "" without steps.
func (s Script) last() string {
	if len(s.Steps) == 0 {
		return ""
	}
	return s.Steps[len(s.Steps)-1].Handler
}

// without is the script without steps from to end-1.
func (s Script) without(from, end int) Script {
	s.Steps = slices.Concat(s.Steps[:from], s.Steps[end:])
	return s
}

// only is the script of those steps that keep tells of.
func (s Script) only(keep func(i int, step *Step) bool) Script {
	var steps []Step
	for i := range s.Steps {
		if keep(i, &s.Steps[i]) {
			steps = append(steps, s.Steps[i])
		}
	}
	s.Steps = steps
	return s
}

// moved is the script with steps from to end-1 before the one that is step to now.
func (s Script) moved(from, end, to int) Script {
	block := s.Steps[from:end]
	if to <= from {
		s.Steps = slices.Concat(s.Steps[:to], block, s.Steps[to:from], s.Steps[end:])
	} else {
		s.Steps = slices.Concat(s.Steps[:from], s.Steps[end:to], block, s.Steps[to:])
	}
	return s
}

// picks is how many lists of answers the script has: the first boots have list 0, step i list i+1.
func (s Script) picks(list int) []choose.FilePick {
	if list == 0 {
		return s.Boot
	}
	return s.Steps[list-1].Picks
}

// with is the script with another pick in place of one of its answers.
func (s Script) with(list, at, pick int) Script {
	picks := slices.Clone(s.picks(list))
	picks[at].Pick = pick
	if list == 0 {
		s.Boot = picks
		return s
	}
	s.Steps = slices.Clone(s.Steps)
	s.Steps[list-1].Picks = picks
	return s
}

// cost is what shrinking makes less of, the most important first.
type cost struct {
	faults, steps, switches, picks int
}

func (s Script) cost() cost {
	c := cost{steps: len(s.Steps)}
	for i := range s.Steps {
		c.faults += s.Steps[i].faults()
		if i > 0 && s.Steps[i].Node != s.Steps[i-1].Node {
			c.switches++
		}
	}
	for list := range len(s.Steps) + 1 {
		for _, p := range s.picks(list) {
			c.picks += p.Pick
		}
	}
	return c
}

func (c cost) less(d cost) bool {
	a, b := [...]int{c.faults, c.steps, c.switches, c.picks}, [...]int{d.faults, d.steps, d.switches, d.picks}
	return slices.Compare(a[:], b[:]) < 0
}

// text tells scripts apart.
func (s Script) text() string {
	var b strings.Builder
	for list := range len(s.Steps) + 1 {
		if list > 0 {
			step := &s.Steps[list-1]
			b.WriteString(step.Key)
			for range step.Nth {
				b.WriteByte(1)
			}
		}
		for _, p := range s.picks(list) {
			b.WriteByte(0)
			b.WriteByte(byte(p.Kind))
			for n := p.Pick; n > 0; n >>= 7 {
				b.WriteByte(byte(n&0x7f) | 0x80)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
