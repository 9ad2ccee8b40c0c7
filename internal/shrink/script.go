package shrink

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/sim"
)

// A Script is a run in a form that survives changes: events by their stable keys, answers by kind. A script need
// not fit the system: see [Player].
type Script struct {
	Boot  []pathfile.Pick // to the first boots
	Steps []Step
}

// Step is one step of a script.
type Step struct {
	Kind       eventkind.Kind
	Node, Peer sim.NodeID
	Key        string // the event's stable key
	Class      string // see [classify]
	// Class without nodes: runs with equal handlers of their last steps show the same defect, perhaps on other
	// nodes
	Handler string
	Nth     int             // number of preceding enabled events with this key
	Picks   []pathfile.Pick // its answers, without "no fault"
}

// faults counts the faults of the step.
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

// equal reports whether two steps have the same event and answers.
func (s *Step) equal(t *Step) bool {
	return s.Kind == t.Kind && s.Node == t.Node && s.Peer == t.Peer && s.Nth == t.Nth && s.Key == t.Key && s.Class == t.Class &&
		slices.Equal(s.Picks, t.Picks)
}

// last returns the handler of the last step, or "" without steps.
func (s Script) last() string {
	if len(s.Steps) == 0 {
		return ""
	}
	return s.Steps[len(s.Steps)-1].Handler
}

// classes returns the classes of the steps, in the order of their last steps.
func (s Script) classes() []string {
	var list []string
	for i := len(s.Steps) - 1; i >= 0; i-- {
		if !slices.Contains(list, s.Steps[i].Class) {
			list = append(list, s.Steps[i].Class)
		}
	}
	slices.Reverse(list)
	return list
}

// without returns the script without steps from to end-1.
func (s Script) without(from, end int) Script {
	s.Steps = slices.Concat(s.Steps[:from], s.Steps[end:])
	return s
}

// only returns the script of the steps for which keep returns true.
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

// moved returns the script with steps from to end-1 moved before step to.
func (s Script) moved(from, end, to int) Script {
	block := s.Steps[from:end]
	if to <= from {
		s.Steps = slices.Concat(s.Steps[:to], block, s.Steps[to:from], s.Steps[end:])
	} else {
		s.Steps = slices.Concat(s.Steps[:from], s.Steps[end:to], block, s.Steps[to:])
	}
	return s
}

// picks returns a list of answers: list 0 is that of the first boots, list i+1 that of step i.
func (s Script) picks(list int) []pathfile.Pick {
	if list == 0 {
		return s.Boot
	}
	return s.Steps[list-1].Picks
}

// with returns the script with one pick replaced.
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

// cost holds the quantities that shrinking minimizes, the most important first.
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

// size returns the cost without the quantities that only order runs of equal length.
func (c cost) size() cost { return cost{faults: c.faults, steps: c.steps} }

// text returns a unique text of the script.
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
