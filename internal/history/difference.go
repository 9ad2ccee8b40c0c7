package history

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Match returns the step of b that corresponds to step n of a, see [replay.Align], and whether both have the same event.
func Match(a, b *Run, n int) (int, bool) {
	c := replay.Align(occurrences(a, n), occurrences(b, b.Len()), Common(a, b))[n]
	return c.Step, c.Same
}

// Counterparts returns the step of b that corresponds to each step of a, see [replay.Align].
func Counterparts(a, b *Run) []replay.Counterpart {
	return replay.Align(occurrences(a, a.Len()), occurrences(b, b.Len()), Common(a, b))
}

// occurrences returns the occurrences of the first n steps.
func occurrences(r *Run, n int) []replay.Occurrence {
	all := make([]replay.Occurrence, n)
	for i := range all {
		s := r.Step(i + 1)
		all[i] = replay.Occurrence{Key: s.Key, Kind: s.Ev.Kind}
	}
	return all
}

// Difference is a difference between two states.
type Difference struct {
	Node     int // -1 means the network
	Path     string
	Old, New string
}

// Differences compares two states: first the nodes, then the network.
func Differences(a *Run, n int, b *Run, m int) ([]Difference, error) {
	var all []Difference
	before, err := allFields(a, n)
	if err != nil {
		return nil, err
	}
	after, err := allFields(b, m)
	if err != nil {
		return nil, err
	}
	for i := range before {
		node := i
		if i == a.Nodes {
			node = -1
		}
		for _, c := range diff.Between(before[i], after[i]) {
			all = append(all, Difference{node, c.Path, c.Old, c.New})
		}
	}
	return all, nil
}

// WriteDifferences writes the differences of two states, one a line.
func WriteDifferences(out io.Writer, a *Run, n int, b *Run, m int) error {
	if a.Whole != nil {
		writeGoroutineDifferences(out, a, n, b, m)
		return nil
	}
	all, err := Differences(a, n, b, m)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(out, "  the states are the same")
	}
	cut := false
	for _, d := range all {
		parts := func(e Difference) bool { return e.Node == d.Node && replay.PartOf(e.Path, d.Path) }
		if d.Node >= 0 && slices.ContainsFunc(all, parts) {
			continue // empty in one of the states; its parts are listed
		}
		where := "network "
		if d.Node >= 0 {
			where = a.Node(d.Node) + "."
		}
		from, to := cmp.Or(d.Old, "none"), cmp.Or(d.New, "none")
		if d.Old != "" && d.New != "" {
			from, to = textfmt.CutPair(from, to, mostCompared)
			cut = cut || from != d.Old || to != d.New
		}
		fmt.Fprintf(out, "  %s%s  %s | %s\n", where, d.Path, from, to)
	}
	if cut {
		fmt.Fprintln(out, "  long values are cut around their first difference; \"field PATH\" shows them whole")
	}
	return nil
}

// writeGoroutineDifferences writes a line for each goroutine that differs. Positions of goroutines that run or can run differ in every
// step, so only their states are compared.
func writeGoroutineDifferences(out io.Writer, a *Run, n int, b *Run, m int) {
	same := true
	for id := range max(a.Nodes, b.Nodes) {
		from, to := a.Goroutine(n, id), b.Goroutine(m, id)
		if x, y := from.summary(), to.summary(); x != y {
			same = false
			fmt.Fprintf(out, "  %s  %s | %s\n", a.Node(id), x, y)
		}
	}
	if same {
		fmt.Fprintln(out, "  the goroutines wait at the same places")
	}
}

// mostCompared is the maximum length of a value in a comparison.
const mostCompared = 60

// allFields returns the fields of each node after step n, and last those of the network.
func allFields(r *Run, n int) (all [][]diff.Field, err error) {
	for id := range r.Nodes {
		fields, err := r.Fields(n, sim.NodeID(id))
		if err != nil {
			return nil, err
		}
		all = append(all, fields)
	}
	if r.Whole != nil {
		return append(all, nil), nil
	}
	w, err := r.World(n)
	if err != nil {
		return nil, err
	}
	return append(all, w.NetFields()), nil
}
