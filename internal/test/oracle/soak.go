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

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/textfmt"
)

// Tally is the result for a series of systems. A soak test stores it between its runs.
type Tally struct {
	Generator   int                  // version of [Drawn]
	Next        uint64               // number of the next system
	Systems     int                  // compared
	Complete    int                  // of these, with all states visited by the oracle
	WithFinding int                  // of these, with a safety violation, panic or divergence
	WithDead    int                  // of these, with dead states
	States      int                  // visited by the oracle
	Transitions int                  // executed by the oracle
	Searches    int                  // compared with the oracle
	Closed      int                  // of these, complete ones by deepening
	Kinds       [eventkind.Count]int // steps by kind of event
	Inside      int                  // crashes inside steps
	Together    int                  // steps that took several nodes down
	Seconds     float64              // total duration
	Different   []uint64             // numbers of the systems that differ
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

// Run compares the systems of the next n numbers with several workers, and adds the results. It stops early when
// ctx is done; the tally has the results until then. It calls told for each system that differs, in the order of
// their numbers.
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
			break // it was not compared, so the later ones are not counted either
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

// ReadTally reads a tally; a missing file is an empty one. It rejects a tally of another generator, because
// its numbers stand for other systems.
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
		return nil, fmt.Errorf("%s is of generator %d, but this is generator %d with other systems; remove it to start over",
			name, t.Generator, Generator)
	}
	return t, nil
}

// Write stores the tally, replacing the file atomically.
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

// tableHead is the head of the table of soaks on a page.
const tableHead = "| generator | numbers | states of the oracle | transitions | searches compared | differences |\n" +
	"| --- | --- | --- | --- | --- | --- |\n"

// Insert writes the tally into the table on a page, as the row of its generator.
func (t *Tally) Insert(page string) error {
	if t.Systems == 0 {
		return fmt.Errorf("no system of generator %d was compared yet: run make soak", t.Generator)
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
	return fmt.Sprintf("| %d | 0 to %s | %s | %s | %s | %s |", t.Generator, textfmt.Number(int(t.Next)-1), textfmt.Number(t.States),
		textfmt.Number(t.Transitions),
		textfmt.Number(t.Searches), textfmt.Number(len(t.Different)))
}
