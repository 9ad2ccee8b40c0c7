package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Tally is what a series of systems came to. It is what is kept between the runs of a soak test.
type Tally struct {
	Generator   int                     // version of [Drawn]
	Next        uint64                  // number of the next system
	Systems     int                     // compared
	Complete    int                     // of them, those of which the oracle visited all states
	WithFinding int                     // of them, those that violate safety, panic or diverge
	WithDead    int                     // of them, those with dead states
	States      int                     // visited by the oracle
	Transitions int                     // likewise
	Searches    int                     // compared with the oracle
	Closed      int                     // of them, those by deepening that were complete
	Kinds       [sim.EventKindCount]int // steps by kind of event
	Inside      int                     // crashes inside steps
	Together    int                     // steps by which several nodes went down
	Seconds     float64                 // that this took
	Different   []uint64                // numbers of the systems that differ
}

func (t *Tally) add(number uint64, r *Report) {
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	t.Systems++
	count(&t.Complete, r.Complete)
	count(&t.WithFinding, r.Findings > 0)
	count(&t.WithDead, r.Dead > 0)
	t.States += r.States
	t.Transitions += r.Transitions
	t.Searches += r.Searches
	t.Closed += r.Closed
	t.Inside += r.Inside
	t.Together += r.Together
	for k, n := range r.Kinds {
		t.Kinds[k] += n
	}
	if r.Difference != "" {
		t.Different = append(t.Different, number)
	}
}

// Run compares the systems of the next n numbers, by so many workers, and adds up what it sees. It stops early when ctx is
// done; the tally counts what was done until then. told is called for each system that differs, in the order of their numbers.
func (t *Tally) Run(ctx context.Context, n, workers int, told func(number uint64, difference string)) {
	began := time.Now()
	reports := make([]Report, n)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				reports[i] = Compare(Drawn(t.Next+uint64(i)), Options{})
			}
		})
	}
	wait.Wait()
	for i := range reports {
		if reports[i].Searches == 0 {
			break // it was not compared any more, so neither are those after it counted
		}
		number := t.Next
		t.add(number, &reports[i])
		t.Next++
		if d := reports[i].Difference; d != "" {
			told(number, d)
		}
	}
	t.Seconds += time.Since(began).Seconds()
}

// ReadTally reads a tally; a file that is not there is one of nothing. One by another generator is refused: its
// numbers stand for other systems.
func ReadTally(name string) (*Tally, error) {
	t := &Tally{Generator: Generator}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(text, t); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it to start over", name, err)
	}
	if t.Generator != Generator {
		return nil, fmt.Errorf("%s is of generator %d, this is %d, whose systems are others; remove it to start over", name, t.Generator, Generator)
	}
	return t, nil
}

// Write keeps the tally. What was in the file before stays there until it is written.
func (t *Tally) Write(name string) error {
	text, err := json.MarshalIndent(t, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name+".new", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// tableHead is how the table of soaks on a page begins.
const tableHead = "| generator | numbers | states of the oracle | transitions | searches compared | differences |\n| --- | --- | --- | --- | --- | --- |\n"

// Insert writes the tally into the table on a page, as the row of its generator.
func (t *Tally) Insert(page string) error {
	if t.Systems == 0 {
		return fmt.Errorf("no system of generator %d was compared so far: make soak does so", t.Generator)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, after, ok := strings.Cut(string(text), tableHead)
	if !ok {
		return fmt.Errorf("%s has no table that begins with %q", page, tableHead)
	}
	begin := fmt.Sprintf("| %d |", t.Generator)
	rows, rest, put := "", after, false
	for strings.HasPrefix(rest, "|") {
		row, more, _ := strings.Cut(rest, "\n")
		if rest = more; strings.HasPrefix(row, begin) {
			row, put = t.row(), true
		}
		rows += row + "\n"
	}
	if !put {
		rows += t.row() + "\n"
	}
	return os.WriteFile(page, []byte(before+tableHead+rows+rest), 0o644)
}

func (t *Tally) row() string {
	return fmt.Sprintf("| %d | 0 to %s | %s | %s | %s | %s |", t.Generator, textfmt.Number(int(t.Next)-1), textfmt.Number(t.States), textfmt.Number(t.Transitions),
		textfmt.Number(t.Searches), textfmt.Number(len(t.Different)))
}
