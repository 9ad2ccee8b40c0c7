package isolate

import (
	"context"
	"encoding/gob"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

// description describes a run that another process executed.
type description struct {
	trace  *replay.Trace     // the completed steps
	fatal  *replay.TraceStep // the step that began and was not completed; nil means none
	script shrink.Script     // all steps
}

// descriptionFile is the file beside the recorder with the pieces of a description, one for each state and step.
const descriptionFile = "description"

// piece is a part of a description.
type piece struct {
	replay.Progress
	Step shrink.Step // that begins
}

// reexecuteDescribing executes the picks in rec once and describes the run, piece by piece.
func reexecuteDescribing(sys *sim.System, opts kernel.Options, rec *flight.Recorder, of *extent) error {
	f, err := os.Create(Beside(os.Getenv(flightVar), descriptionFile))
	if err != nil {
		return err
	}
	defer f.Close()
	to := gob.NewEncoder(f)
	path := given(rec.Recorded(picksRun))
	rec.Set(flight.Begun, 1)
	near := func(step int) bool { return step >= of.Near }
	err = replay.RecordTo(sys, path, of.Until, opts, near, func(w kernel.World, p *replay.Progress) error {
		next := piece{Progress: *p}
		if b := p.Begun; b != nil {
			rec.Set(flight.Steps, b.Number)
			player := shrink.Player{Run: replay.NewRun(w)}
			next.Step, _ = player.Event(b.Index)
		}
		return to.Encode(&next)
	})
	if err == nil {
		awaitLeaked(rec)
	}
	return err
}

// readDescription reads the pieces that reexecuteDescribing wrote to a folder before its process ended.
func readDescription(dir string) (*description, error) {
	f, err := os.Open(filepath.Join(dir, descriptionFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := &description{trace: new(replay.Trace)}
	for from := gob.NewDecoder(f); ; {
		var next piece
		if from.Decode(&next) != nil {
			break // the process ended here
		}
		switch {
		case next.Start != nil:
			d.script.Boot = replay.Picks(next.Start.Boot.Choices)
		case next.Begun != nil:
			d.fatal = next.Begun
			d.script.Steps = append(d.script.Steps, next.Step)
		case next.Done != nil:
			d.fatal = nil
			d.script.Steps[len(d.script.Steps)-1].Picks = replay.Picks(next.Done.Choices)
		}
		d.trace.Add(&next.Progress)
	}
	if d.trace.System == "" {
		return nil, errors.New("a fresh process ended before it described anything")
	}
	return d, nil
}

// Describe executes the run in a fresh process, and records the description that Trace, File and Script need. The fatal
// step is not executed if it ends each process. Steps before near are outlined, as by [replay.RecordNear].
func (d *Death) Describe(ctx context.Context, f Fresh, near int) error {
	if d.Steps == 0 || d.described != nil { // the first boots leave nothing to describe
		return nil
	}
	n := d.Steps - 1
	if d.Running > 0 {
		n = d.Steps
	}
	left, err := f.execute(ctx, executionRequest{path: d.Path(), Describe: &extent{n, near}})
	if err != nil {
		return err
	}
	d.described = left.described
	if again := left.death; again != nil {
		d.described.trace.Finding, d.described.trace.FoundAt = again.finding(), again.Steps
	}
	return nil
}

func (d *Death) finding() *sim.Finding {
	f := d.Finding
	return &f
}

// Trace describes the run. It needs Describe, except for a death in the first boots.
func (d *Death) Trace(sys *sim.System) *replay.Trace {
	if d.described == nil {
		return &replay.Trace{System: sys.Name, Nodes: sys.Nodes, Finding: d.finding(), FoundAt: d.Steps}
	}
	t := *d.described.trace
	if d.Running > 0 && t.Finding != nil {
		t.Finding.Node = -1
	} else {
		t.Finding, t.FoundAt = d.finding(), d.Steps
	}
	s := d.fatalStep()
	if s == nil {
		return &t
	}
	if d.Running == 0 {
		t.Finding.Node = sim.NodeID(s.Node)
	}
	before := &t.Boot
	if n := len(t.Steps); n > 0 {
		before = &t.Steps[n-1]
	}
	s.Live, s.Failing = before.Live, before.Failing // it has no state after it
	t.Steps = append(slices.Clone(t.Steps), *s)
	return &t
}

// fatalStep describes the step that was not completed; nil means none.
func (d *Death) fatalStep() *replay.TraceStep {
	if d.described.fatal == nil {
		return nil
	}
	s := *d.described.fatal
	if s.Number == d.Steps {
		for _, p := range d.Picks {
			s.Choices = append(s.Choices, stepinfo.Answer{Kind: p.Kind, Label: p.Label, Pick: p.Pick})
		}
	}
	return &s
}

// File returns the run as a path file.
func (d *Death) File(sys *sim.System, h pathfile.Header) (*pathfile.File, error) {
	switch {
	case d.Steps == 0:
		return &pathfile.File{Header: replay.HeaderOf(sys, h), Boot: d.Picks}, nil
	case d.outline != nil:
		return d.Outline(sys, h), nil
	case d.described == nil || d.described.fatal == nil:
		return nil, errors.New("the run is not known")
	}
	f := d.described.trace.File(sys, h)
	s := d.described.fatal
	f.Steps = append(f.Steps, pathfile.Step{Index: d.Index, Key: s.Key, Picks: d.Picks, Comment: d.Message})
	return f, nil
}

// Script returns the run in the form for shrinking. It needs Describe.
func (d *Death) Script() (shrink.Script, error) {
	if d.described == nil || len(d.described.script.Steps) != d.Steps {
		return shrink.Script{}, errors.New("the run is not known")
	}
	s := d.described.script
	s.Steps = slices.Clone(s.Steps)
	s.Steps[d.Steps-1].Picks = d.Picks
	return s, nil
}

// creator returns the function that started the goroutine on which a process died, and its place. An empty string means
// unknown, as after an exit.
func creator(output string) string {
	all := stacks.Read(output)
	if len(all) == 0 || all[0].Creator.Function == "" || all[0].Calls(kernel.HandlerCaller) {
		return ""
	}
	c := all[0].Creator
	return c.Function + " (" + replay.NewPlaces().Short(c.Place) + ")"
}

// keysFile is the file beside the recorder in which a re-execution records the keys of the steps that it begins.
const keysFile = "keys"

// outline returns a path file without header and comments, from the picks in rec and the keys in the folder of rec, as
// far as the keys are known. nil means that they are not known.
func outline(rec *flight.Recorder, dir string) *pathfile.File {
	keys, err := quotedLines(filepath.Join(dir, keysFile))
	if err != nil {
		return nil
	}
	f := new(pathfile.File)
	picks := &f.Boot
	path, kinds := rec.Recorded(picksRun), rec.Recorded(kindsRun)
	for i := range min(rec.Get(flight.Used), len(path)) {
		kind, pick := choose.Kind(kinds[i]), int(path[i])
		switch {
		case kind == choose.Event && len(f.Steps) == len(keys):
			return nil
		case kind == choose.Event:
			f.Steps = append(f.Steps, pathfile.Step{Index: pick, Key: keys[len(f.Steps)]})
			picks = &f.Steps[len(f.Steps)-1].Picks
		case !kind.Implied(pick):
			*picks = append(*picks, pathfile.Pick{Kind: kind, Pick: pick})
		}
	}
	return f
}

// Outline returns the run as a path file without executing it. nil means that its steps are not known.
func (d *Death) Outline(sys *sim.System, h pathfile.Header) *pathfile.File {
	if d.outline == nil {
		return nil
	}
	f := *d.outline
	f.Header = replay.HeaderOf(sys, h)
	f.Steps = slices.Clone(f.Steps)
	if d.described != nil {
		for i, s := range d.described.trace.File(sys, h).Steps[:min(len(d.described.trace.Steps), len(f.Steps))] {
			f.Steps[i].Comment = s.Comment
		}
	}
	if n := len(f.Steps); n > 0 {
		f.Steps[n-1].Comment = d.Message
	}
	return &f
}
