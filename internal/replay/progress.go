package replay

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/sim"
)

// Progress is a part of the description of a run, written while the run is executed. The run may end its process, so
// another process reads it. See [Trace.Add].
type Progress struct {
	Start    *Trace         // the first boots, without steps
	Begun    *TraceStep     // a step before its execution
	Done     *TraceStep     // the same step after its execution
	Messages []TraceMessage // that are new, or have new fates
	End      *Trace         // the finding and the properties at the end of the run, without steps
	Place    string         // of the code that handled the step
}

// RecordTo is [RecordNear] for a run that may end its process. It passes the description to write, piece by piece, with the
// world. Of the step after the first n steps, it describes only the event.
func RecordTo(
	sys *sim.System, path choose.Path, n int, opts kernel.Options, near func(step int) bool, write func(kernel.World, *Progress) error,
) error {
	opts.Trace = true
	c, err := NewCursor(sys, path, opts)
	if c == nil {
		return err
	}
	rec, e := newRecorder(c.run, NewPlaces())
	if e != nil {
		return e
	}
	if err := rec.found(err); err != nil {
		return err
	}
	rec.near = near
	rec.start()
	put := func(p Progress) error { return write(c.run.World, &p) }
	start := *rec.trace
	if err := put(Progress{Start: &start, Messages: start.Messages, Place: start.Boot.place}); err != nil {
		return err
	}
	for !c.AtEnd() {
		index, err := c.peek()
		if err != nil {
			return err
		}
		rec.before(index)
		begun := rec.step
		if err := put(Progress{Begun: &begun}); err != nil {
			return err
		}
		if c.Steps() == n {
			break
		}
		if err := rec.found(c.Next()); err != nil {
			return err
		}
		rec.after()
		step := &rec.trace.Steps[len(rec.trace.Steps)-1]
		if err := put(Progress{Done: step, Messages: rec.trace.changedIn(step.Number), Place: step.place}); err != nil {
			return err
		}
	}
	end := *rec.end()
	end.Steps, end.Messages = nil, nil
	return put(Progress{End: &end})
}

// changedIn returns the messages that a step sent or decided the fate of.
func (t *Trace) changedIn(step int) (changed []TraceMessage) {
	for _, m := range t.Messages {
		if n := len(m.Fates); m.Sent == step || n > 0 && m.Fates[n-1].Step == step {
			changed = append(changed, m)
		}
	}
	return changed
}

// Add adds the next part of a description. The trace has only the completed steps.
func (t *Trace) Add(p *Progress) {
	if p.Start != nil {
		*t = *p.Start
		t.Messages, t.Boot.place = nil, p.Place
	}
	if p.Done != nil {
		t.Steps = append(t.Steps, *p.Done)
		t.Steps[len(t.Steps)-1].place = p.Place
	}
	for _, m := range p.Messages {
		if at, ok := slices.BinarySearchFunc(t.Messages, m.ID, func(m TraceMessage, id int) int { return m.ID - id }); ok {
			t.Messages[at] = m
		} else {
			t.Messages = slices.Insert(t.Messages, at, m)
		}
	}
	if p.End != nil {
		t.Finding, t.FoundAt, t.Read, t.Observed, t.Properties = p.End.Finding, p.End.FoundAt, p.End.Read, p.End.Observed, p.End.Properties
	}
}

// File returns the run of the trace as a path file, with a header as for [WriteFile].
func (t *Trace) File(sys *sim.System, header pathfile.Header) *pathfile.File {
	f := &pathfile.File{Header: HeaderOf(sys, header), Boot: Picks(t.Boot.Choices)}
	for i := range t.Steps {
		s := &t.Steps[i]
		f.Steps = append(f.Steps, pathfile.Step{Index: s.Index, Key: s.Key, Picks: Picks(s.Choices), Comment: s.comment()})
	}
	return f
}
