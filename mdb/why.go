package mdb

import (
	"bytes"
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// why follows the chain of causes.
func why(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	n, err := s.stepIn(args)
	if err != nil {
		return err
	}
	const most = 200
	library := 0 // skipped steps in the standard library
	for length := 0; ; length++ {
		if library > 0 && (n == 0 || r.InCode(n)) {
			fmt.Fprintf(out, "       ... %s in the standard library\n", textfmt.Plural(library, "step"))
			library = 0
		}
		if n == 0 {
			text := "all nodes boot"
			if r.Whole != nil {
				text = r.Beginning()
			}
			fmt.Fprintln(out, "    0  "+text)
			return nil
		}
		info := r.Step(n)
		if length > 0 && !r.InCode(n) {
			library++
			n = int(info.Cause)
			continue
		}
		t, err := r.Trace(n)
		if err != nil {
			return err
		}
		source := ""
		if t.Source != "" {
			source = "  [" + t.Source + "]"
		}
		fmt.Fprintf(out, "%5d  %s%s\n", n, r.Sentence(n, t), source)
		if err := whyViolated(r, n, out); err != nil {
			return err
		}
		if length == 0 {
			if err := writeHeld(out, r, n, t.Node); err != nil {
				return err
			}
		}
		if info.Cause == history.Root {
			fmt.Fprintln(out, "       a fault: nothing caused it")
			return nil
		}
		if length == most {
			fmt.Fprintf(out, "       and so on, see \"why %d\"\n", info.Cause)
			return nil
		}
		if r.Whole != nil {
			fmt.Fprintf(out, "       %s step %d\n", r.Because(n), info.Cause)
		} else {
			fmt.Fprintf(out, "       %s\n", r.Because(n))
		}
		n = int(info.Cause)
	}
}

// writeHeld writes the goroutines that the schedule holds back, see [history.Held].
func writeHeld(out *bytes.Buffer, r *history.Run, n, node int) error {
	held, err := history.Held(r, n, node)
	for _, text := range held {
		fmt.Fprintf(out, "       %s\n", text)
	}
	return err
}

// whyViolated lists, for the step of a safety violation, the observations that violate the monitor. For a property it lists the other steps
// that wrote the data that it reads, and then those that wrote other fields of the nodes that it reads.
func whyViolated(r *history.Run, n int, out *bytes.Buffer) error {
	if f, at := r.FirstFound(); f == nil || at != n || f.Kind != sim.Safety || r.Whole != nil {
		return nil
	}
	if observed := replay.Decisive(r.Cursor.World().System(), r.Cursor.Path(), n, r.Found(n)); observed != nil {
		for _, o := range observed {
			fmt.Fprintf(out, "       the monitor observed, in step %d: %s announces %s\n", o.Step, r.Node(o.Node), o.Text)
		}
		return nil
	}
	first := max(1, n-exactGraphSteps)
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
			fmt.Fprintf(out, "       %s: %s\n", text, r.Sentence(cause, t))
		}
	}
	return nil
}
