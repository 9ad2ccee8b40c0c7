package history

import (
	"fmt"
	"io"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Root is the cause of steps without a cause in the run: faults.
const Root = -1

// causes determines the cause of a step. The cause is the step that sent its message, set its timer, broke the connection, crashed the node
// or started the partition. For an action it is the boot of the node. For an internal step of a node it is the node's last handler step.
type causes struct {
	timers    map[armed]int32
	texts     map[any]string
	plans     *encoding.Set
	booted    []int32 // last boot, by node
	ran       []int32 // last step with a handler, by node
	crashed   []int32 // last crash, by node
	broken    []int32 // last step that broke the connection from the first node's end, by pair
	sent      []int32 // last message sent in the stream, by pair
	refused   []int32 // last message refused, by pair
	partition int32
	nodes     int
	buf       []sim.Envelope
}

type armed struct {
	node sim.NodeID
	text string
}

func (l *causes) init(nodes int, plans *encoding.Set) {
	*l = causes{
		timers: map[armed]int32{}, texts: map[any]string{}, plans: plans, nodes: nodes,
		booted: make([]int32, nodes), ran: make([]int32, nodes), crashed: make([]int32, nodes),
		broken: make([]int32, nodes*nodes), sent: make([]int32, nodes*nodes), refused: make([]int32, nodes*nodes),
	}
}

// cause returns the cause of the next step, s.
func (l *causes) cause(c *replay.Cursor, s *Step) int32 {
	ev := s.Ev
	pair := int(ev.Node)*l.nodes + int(ev.Peer)
	if ev.Kind.OfMessage() {
		ev.Msgs = 1 // also if it consumes none
		l.buf = c.World().Messages(ev, l.buf[:0])
		if len(l.buf) > 0 {
			at, _ := c.SentAt(l.buf[0].ID)
			return int32(at)
		}
		return Root
	}
	switch ev.Kind {
	case eventkind.TakeQuorum:
		last := 0
		l.buf = c.World().Messages(ev, l.buf[:0])
		for _, m := range l.buf {
			at, _ := c.SentAt(m.ID)
			last = max(last, at)
		}
		return int32(last)
	case eventkind.FireTimer:
		return l.timers[armed{ev.Node, c.World().Label(ev).Content}]
	case eventkind.Internal, eventkind.Arrive:
		return l.ran[ev.Node]
	case eventkind.DoAction:
		return l.booted[ev.Node]
	case eventkind.Boot:
		return l.crashed[ev.Node]
	case eventkind.Heal:
		return l.partition
	case eventkind.DeliverReady:
		return l.refused[pair]
	case eventkind.DeliverError:
		if s.refused {
			return l.sent[pair]
		}
		return l.broken[pair]
	}
	return Root
}

// follow records the effects of step n.
func (l *causes) follow(w kernel.World, s *Step, n int) {
	ev, last, at := s.Ev, w.Last(), int32(n)
	down := last.Crashed || ev.Kind.TakesDown()
	switch ev.Kind {
	case eventkind.Boot:
		l.booted[ev.Node] = at
	case eventkind.Partition:
		l.partition = at
	case eventkind.Break:
		l.broken[int(ev.Node)*l.nodes+int(ev.Peer)] = at
		l.broken[int(ev.Peer)*l.nodes+int(ev.Node)] = at
	}
	if ev.Node < 0 {
		return
	}
	if last.Handler {
		l.ran[ev.Node] = at
	}
	for i := range last.Effects {
		if !last.Happened(i) {
			continue
		}
		f := &last.Effects[i]
		switch f.Kind {
		case stepinfo.SetTimerEffect:
			l.timers[armed{ev.Node, l.text(f.Value)}] = at
		case stepinfo.StreamEffect:
			l.sent[int(ev.Node)*l.nodes+int(f.Peer)] = at
		case stepinfo.RefusedEffect:
			l.refused[int(ev.Node)*l.nodes+int(f.Peer)] = at
		case stepinfo.CloseEffect:
			l.broken[int(f.Peer)*l.nodes+int(ev.Node)] = at
		}
	}
	if down {
		for _, id := range s.nodes() {
			l.crashed[id] = at
			for peer := range l.nodes {
				l.broken[peer*l.nodes+int(id)] = at
			}
		}
	}
}

// text formats a timer as keys do.
func (l *causes) text(timer any) string {
	if text, ok := l.texts[timer]; ok {
		return text
	}
	text := ""
	if p, err := l.plans.Of(timer); err == nil {
		text = p.Text(timer)
	}
	l.texts[timer] = text
	return text
}

// ExactGraphSteps is the last step up to which a graph is built from the first step.
const ExactGraphSteps = 2000

// WriteViolated writes, for the step of a safety violation, the observations that violate the monitor. For a property it writes the other steps
// that wrote the data that it reads, and then those that wrote other fields of the nodes that it reads.
func WriteViolated(out io.Writer, r *Run, n int) error {
	if f, at := r.FirstFound(); f == nil || at != n || f.Kind != sim.Safety {
		return nil
	}
	c := r.Executed().Cursor
	if observed := replay.Decisive(c.World().System(), c.Path(), n, r.Found(n)); observed != nil {
		for _, o := range observed {
			fmt.Fprintf(out, "       the monitor observed, in step %d: %s announces %s\n", o.Step, r.Node(o.Node), o.Text)
		}
		return nil
	}
	first := max(1, n-ExactGraphSteps)
	g, _, err := r.Graph(first, n, n, 0)
	if err != nil {
		return err
	}
	const most = 5
	for i, steps := range [][]int{g.Read, g.Wrote} {
		if more := len(steps) - most; more > 0 {
			fmt.Fprintf(out, "       the property also reads %s %s wrote\n", []string{"what", "nodes that"}[i], textfmt.Plural(more, "earlier step"))
			steps = steps[more:]
		}
		for _, cause := range steps {
			if cause == 0 || cause+first-1 == int(r.Step(n).Cause) {
				continue
			}
			cause += first - 1
			t, err := r.Trace(cause)
			if err != nil {
				return err
			}
			text := fmt.Sprintf("the property also reads what step %d wrote", cause)
			if i > 0 {
				text = fmt.Sprintf("the property reads %s, and step %d wrote other fields of it", r.Node(t.Node), cause)
			}
			fmt.Fprintf(out, "       %s: %s\n", text, r.Sentence(t))
		}
	}
	return nil
}
