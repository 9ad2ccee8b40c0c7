package isolate

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/sim"
)

// Execution is the result of executing a path once. Executions of different processes can be compared.
type Execution struct {
	States   [][]part     // the first state, and that after each step
	Ends     []int        // Ends[i] is the length of the path up to States[i]
	Finding  *sim.Finding // that ended the run; its step left no state
	Mismatch string       // why the path does not fit further; an empty string means that it fits
	Live     []bool       // whether all Eventually properties hold in States[i]
	Other    *Execution   // of the same path in the same process, if one differs
}

// part is the hash of a component of a state.
type part struct {
	Component kernel.Component
	Hash      encoding.Fingerprint
}

// Step returns the number of the last step that began.
func (x *Execution) Step() int {
	if x.Finding != nil || x.Mismatch != "" {
		return len(x.States)
	}
	return len(x.States) - 1
}

// Comparison sets by what executions of a path are compared, besides their states.
type Comparison struct {
	Messages bool // with CheckMessages of [kernel.Options]
	// Last is the index of a property that is evaluated in the last state; -1 means none. Searches stop to evaluate a
	// Sometimes property when it holds, so no state before shows whether it panics.
	Last int
}

// execute executes path on w, which contains checked code. last is the property of a [Comparison], or nil.
func execute(w kernel.World, path choose.Path, last *sim.Property, begun func(step int) error) (*Execution, error) {
	x := new(Execution)
	run, src := replay.NewRun(w), &choose.Prefix{Path: path}
	var ended error
	err := x.follow(run, src, last, func(step int) error {
		ended = begun(step)
		return ended
	})
	if ended != nil {
		return nil, ended
	}
	if err == nil {
		if found := kernel.Finish(w); found != nil {
			err = found
			x.States = x.States[:len(x.States)-1] // the last step includes the end
		}
	}
	switch found := (*sim.Finding)(nil); {
	case errors.As(err, &found):
		x.Finding = found
	case err != nil:
		x.Mismatch = err.Error()
	}
	return x, nil
}

// Limits of the executions of one path. Code that draws a random bit repeats the result of the search ten times with
// probability 1/1,024.
const (
	MaxExecutions = 10
	repeatFor     = 500 * time.Millisecond // a step that is repeated must not be taken for one that does not return
)

// Repeat executes path up to times, each time in a new world with opts, until one ends differently. It calls begun with the
// number of each step before the step; 0 is the first boots. If begun returns an error, it ends the execution.
func Repeat(
	times int, sys *sim.System, opts kernel.Options, path choose.Path, by Comparison, begun func(step int) error,
) (*Execution, error) {
	opts.CheckMessages = by.Messages
	var last *sim.Property
	if by.Last >= 0 {
		last = &sys.Properties[by.Last]
	}
	var first *Execution
	began := budget.Now()
	for n := 0; n < times && (n == 0 || budget.Now()-began < repeatFor); n++ {
		w, err := kernel.NewWorld(sys, opts)
		if err != nil {
			return nil, err
		}
		x, err := execute(w, path, last, begun)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = x
		} else if _, _, same := first.FirstDifference(x); !same {
			if first.Other = x; !first.endsLike(x) {
				break
			}
		}
	}
	return first, nil
}

// endsLike reports whether both executions end in the same finding in the same step, or in none.
func (x *Execution) endsLike(y *Execution) bool {
	if x.Finding == nil || y.Finding == nil {
		return x.Finding == y.Finding && (x.Mismatch == "") == (y.Mismatch == "")
	}
	return x.Step() == y.Step() && SameFinding(x.Finding, y.Finding)
}

// follow executes the path of src and records the states. The error is a finding or states where the path does not
// fit.
func (x *Execution) follow(run *replay.Run, src *choose.Prefix, last *sim.Property, begun func(step int) error) (err error) {
	defer contain.CatchState(&err)
	if err := begun(0); err != nil {
		return err
	}
	err = run.Start(src)
	for {
		switch {
		case err != nil:
			return err
		case src.Err() != nil:
			return src.Err()
		}
		if err := run.World.Check(); err != nil {
			return err
		}
		live := run.World.Live()
		var parts []part
		for c, h := range run.World.Components() {
			parts = append(parts, part{c, h})
		}
		x.States, x.Ends, x.Live = append(x.States, parts), append(x.Ends, src.Pos()), append(x.Live, live)
		index, ok := src.Take()
		if !ok {
			if last != nil {
				n := len(x.States)
				x.States = x.States[:n-1] // the last step includes the evaluation, which may panic
				run.World.Holds(last)
				x.States = x.States[:n]
			}
			return nil
		}
		if _, ok := run.Event(index); !ok {
			return fmt.Errorf("event %d is not enabled", index)
		}
		if err := begun(len(x.States)); err != nil {
			return err
		}
		err = run.Step(index, src)
	}
}

// FirstDifference compares two executions of one path. It returns the first step after which they differ, and the component
// in which they differ. A nil component means that they differ in the step's outcome or in an Eventually property.
// same means that they do not differ.
func (x *Execution) FirstDifference(y *Execution) (step int, in *kernel.Component, same bool) {
	for step := range min(len(x.States), len(y.States)) {
		for i, p := range x.States[step] {
			if i >= len(y.States[step]) || p != y.States[step][i] {
				return step, &p.Component, false
			}
		}
		if x.Live[step] != y.Live[step] {
			return step, nil, false
		}
	}
	if len(x.States) != len(y.States) || (x.Finding == nil) != (y.Finding == nil) || (x.Mismatch == "") != (y.Mismatch == "") {
		return min(len(x.States), len(y.States)), nil, false
	}
	if x.Finding != nil && !SameFinding(x.Finding, y.Finding) {
		return len(x.States), nil, false
	}
	return 0, nil, true
}

// SameFinding reports whether two findings are of the same kind and property and, if both have one, of the same place
// of a panic.
func SameFinding(a, b *sim.Finding) bool {
	if a.Kind != b.Kind || a.Property != b.Property {
		return false
	}
	if a.Kind != sim.Panic {
		return true
	}
	at, other := shrink.Place(a), shrink.Place(b)
	return at == "" || other == "" || at == other
}

// End describes how the execution ended.
func (x *Execution) End() string {
	switch {
	case x.Finding != nil:
		return fmt.Sprintf("ends in step %d: %v", x.Step(), x.Finding)
	case x.Mismatch != "":
		return fmt.Sprintf("cannot be followed beyond step %d: %s", len(x.States)-1, x.Mismatch)
	}
	return "ends without a finding"
}

// executionFile is the name of an execution's file beside the recorder.
const executionFile = "execution"

// reexecuteRecordingStates executes the picks in rec repeatedly and writes the execution, with its states, beside rec.
func reexecuteRecordingStates(sys *sim.System, opts kernel.Options, rec *flight.Recorder, by Comparison) error {
	path := given(rec.Recorded(picksRun))
	x, err := Repeat(MaxExecutions, sys, opts, path, by, func(step int) error { rec.Set(flight.Steps, step); return nil })
	if err != nil {
		return err
	}
	f, err := os.Create(Beside(os.Getenv(flightVar), executionFile))
	if err != nil {
		return err
	}
	return errors.Join(gob.NewEncoder(f).Encode(x), f.Close())
}

// readExecution reads the file that reexecuteRecordingStates wrote to a folder.
func readExecution(dir string) (*Execution, error) {
	f, err := os.Open(filepath.Join(dir, executionFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x := new(Execution)
	if err := gob.NewDecoder(f).Decode(x); err != nil {
		return nil, fmt.Errorf("incomplete result from a fresh process: %w", err)
	}
	return x, nil
}

// Beside returns the name of a file in the folder of the recorder's file.
func Beside(flightFile, name string) string { return filepath.Join(filepath.Dir(flightFile), name) }
