package check

import (
	"github.com/macemc/macemc/check/flight"
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/sim"
)

// The recorder of a re-execution holds the picks to execute, and beside them the kinds of the points
// that they turned out to answer.
const picksRun, kindsRun = 0, 1

// Reexecute executes the picks that rec holds, from the first state on, and keeps
// count in rec. It is what a fresh process does to confirm that a run kills its process or does not
// end: the process that waits for it reads from rec how far it came. The error is a finding of the
// last step, or says why the system cannot run at all. Picks that do not fit end the run.
func Reexecute(sys *sim.System, rec *flight.Recorder) error {
	w, err := sim.NewWorld(sys, sim.Options{})
	if err != nil {
		return err
	}
	rec.Set(flight.Begun, 1)
	src := &recorded{path: rec.Left(picksRun), kinds: rec.Left(kindsRun), rec: rec}
	run := replay.NewRun(w)
	err = run.Start(src)
	for err == nil && !src.bad && src.pos < len(src.path) {
		index := int(src.path[src.pos])
		if index < 0 {
			return nil
		}
		if _, ok := run.Event(index); !ok {
			return nil
		}
		src.use(choose.Event)
		rec.Set(flight.Steps, run.Steps()+1)
		err = run.Step(index, src)
	}
	if src.bad {
		return nil // what was executed from the first pick that did not fit means nothing
	}
	return err
}

// recorded answers from a path and counts what it used.
type recorded struct {
	path, kinds choose.Path
	rec         *flight.Recorder
	pos         int
	bad         bool
}

func (r *recorded) Choose(p choose.Point) int {
	if r.bad || r.pos >= len(r.path) || int(r.path[r.pos]) >= p.Arity || r.path[r.pos] < 0 {
		r.bad = true
		return 0
	}
	r.use(p.Kind)
	return int(r.path[r.pos-1])
}

// use counts a pick before anything is done with it.
func (r *recorded) use(kind choose.Kind) {
	r.kinds[r.pos] = int32(kind)
	r.pos++
	r.rec.Set(flight.Used, r.pos)
}
