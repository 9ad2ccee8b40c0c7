package history

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// WriteWaits writes what the goroutines of a test, or of nodes that run programs, wait for after step n.
func WriteWaits(out io.Writer, r *Run, n int) error {
	if r.Whole == nil {
		return writeNodeWaits(out, r, n)
	}
	holders, some := map[string]string{}, false
	for id := range r.Nodes {
		g := r.Goroutine(n, id)
		if !g.Waits() {
			continue
		}
		some = true
		fmt.Fprintf(out, "  %s %s at %s, since step %d", r.Node(id), g.Fields[FieldStatus], g.Fields[FieldAt], g.Since[FieldStatus])
		if g.Since[FieldStatus] == 0 && r.Whole.Boot.What != "" {
			fmt.Fprint(out, " or earlier")
		}
		if by := cmp.Or(g.Fields[FieldWriter], g.Fields[FieldHolder]); by != "" {
			holders[r.Node(id)] = by
		}
		fmt.Fprint(out, g.blockers())
		fmt.Fprintln(out)
	}
	if !some {
		fmt.Fprintln(out, "  no goroutine waits"+waitAtEnd(r, n))
	}
	for id := range r.Nodes {
		if cycle := waitCycle(holders, r.Node(id)); len(cycle) == 1 {
			fmt.Fprintf(out, "  %s waits for itself\n", cycle[0])
			break
		} else if cycle != nil {
			fmt.Fprintf(out, "  %s wait for one another\n", strings.Join(append(cycle, cycle[0]), " -> "))
			break
		}
	}
	return nil
}

// waitAtEnd names the goroutines that wait at the end of the run of a test. An empty string means that none does, or that step n is the
// end.
func waitAtEnd(r *Run, n int) string {
	var waiting []string
	for id := range r.Nodes {
		if g := r.Goroutine(r.Len(), id); g.Waits() {
			waiting = append(waiting, r.Node(id))
		}
	}
	if len(waiting) == 0 || n >= r.Len() {
		return ""
	}
	return fmt.Sprintf(" after this step; at the end, after step %d, these wait: %s", r.Len(), strings.Join(textfmt.Few(waiting, 8), ", "))
}

// WriteHeld writes the goroutines that the schedule holds back after step n: those of a test, of a node, or of all nodes if node is
// negative.
func WriteHeld(out io.Writer, margin string, r *Run, n, node int) error {
	for id := range r.Nodes {
		if r.Whole != nil {
			if g := r.Goroutine(n, id); g.Fields[FieldStatus] == StatusHeld {
				fmt.Fprintf(out, "%s%s %s at %s: it continues when no other goroutine can\n", margin, r.Node(id), StatusHeld, g.Fields[FieldAt])
			}
			continue
		}
		if node >= 0 && node != id {
			continue
		}
		texts, err := goroutines(r, n, id)
		if err != nil {
			return err
		}
		for _, text := range texts {
			if strings.Contains(text, simext.Pauses) {
				fmt.Fprintf(out, "%s%s %s: the schedule holds it back %s\n", margin, r.Node(id), text, untilNext(r, n, id))
			}
		}
	}
	return nil
}

// untilNext describes the step of a node in which the goroutines that are held back after step n continue.
func untilNext(r *Run, n, node int) string {
	for next := n + 1; next <= r.Len(); next++ {
		if slices.Contains(r.Step(next).nodes(), sim.NodeID(node)) {
			return fmt.Sprintf("until step %d, the next one of %s", next, r.Node(node))
		}
	}
	return fmt.Sprintf("until the next step of %s, which this run does not have", r.Node(node))
}

// goroutines describes the goroutines of a node's program after step n.
func goroutines(r *Run, n, node int) ([]string, error) {
	fields, err := r.Fields(n, sim.NodeID(node))
	for _, f := range fields {
		if f.Part.Kind == diff.OfProgram && f.Part.Name == simext.GoroutinesField {
			return strings.Split(f.Value, simext.BetweenGoroutines), err
		}
	}
	return nil, err
}

// waitCycle returns the cycle of goroutines that wait for each other and contains from; nil means none.
func waitCycle(holders map[string]string, from string) []string {
	names := []string{from}
	for at := holders[from]; at != "" && len(names) <= len(holders); at = holders[at] {
		if at == from {
			return names
		}
		names = append(names, at)
	}
	return nil
}

// writeNodeWaits writes the waits of the nodes' programs.
func writeNodeWaits(out io.Writer, r *Run, n int) error {
	some := false
	for id := range r.Nodes {
		texts, err := goroutines(r, n, id)
		if err != nil {
			return err
		}
		for _, text := range texts {
			some = true
			if !strings.Contains(text, simext.Pauses) {
				fmt.Fprintf(out, "  %s %s\n", r.Node(id), text)
			}
		}
	}
	if err := WriteHeld(out, "  ", r, n, -1); err != nil {
		return err
	}
	if !some {
		fmt.Fprintln(out, "  no node runs a program with goroutines")
	}
	return nil
}
