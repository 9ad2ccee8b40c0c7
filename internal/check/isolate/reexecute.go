package isolate

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/sim"
)

// Values of [flight.Asking].
const notAsked, askedOther, askedMaking = 0, 1, 2

// Reexecute executes the request in rec and beside it: picks from the first state on, a script, or a path file. A fresh
// process calls it to execute a finding again, and to confirm that a run kills its process or does not end. The waiting
// process reads the progress from rec. The error is a finding of the last step or states why the system cannot run at all. Picks
// that do not fit end the run.
func Reexecute(sys *sim.System, rec *flight.Recorder) error {
	asking := func(what kernel.Asked) {
		rec.SetPhase(what.Name)
		asked := notAsked
		switch {
		case what.Making:
			asked = askedMaking
		case what.Name != "":
			asked = askedOther
		}
		rec.Set(flight.Asking, asked)
	}
	o, err := readJSON[executionRequest](Beside(os.Getenv(flightVar), requestFile))
	if err != nil {
		return err
	}
	o = cmp.Or(o, new(executionRequest))
	opts := kernel.Options{Contain: true, Settle: true, Leaked: countLeaked(rec), Asking: asking}
	if o.Describe != nil {
		return reexecuteDescribing(sys, opts, rec, o.Describe)
	}
	w, err := kernel.NewWorld(sys, opts)
	if err != nil {
		return err
	}
	rec.Set(flight.Begun, 1)
	if o.Compare != nil {
		return reexecuteRecordingStates(sys, opts, rec, *o.Compare)
	}
	if o.Script != nil {
		return reexecuteScript(w, rec, o.Script)
	}
	keys, err := os.Create(Beside(os.Getenv(flightVar), keysFile))
	if err != nil {
		return err
	}
	defer keys.Close()
	if o.File != nil {
		err = reexecuteFile(w, rec, o.File, keys)
	} else {
		err = reexecutePicks(w, rec, keys)
	}
	if err == nil {
		awaitLeaked(rec)
	}
	return err
}

// given returns the picks before the first [flight.None].
func given(path choose.Path) choose.Path {
	if end := slices.Index(path, flight.None); end >= 0 {
		return path[:end]
	}
	return path
}

// countLeaked returns a function that counts the goroutines that steps leave running.
func countLeaked(rec *flight.Recorder) func(n int) {
	return func(n int) {
		if rec.Get(flight.Leaked) == 0 {
			rec.Set(flight.LeakedIn, rec.Get(flight.Steps)+1)
		}
		rec.Set(flight.Leaked, rec.Get(flight.Leaked)+n)
	}
}

// awaitLeakedLimit is how long a process waits for goroutines that handlers started, after all steps.
const awaitLeakedLimit = 2 * time.Second

// awaitLeaked waits until the goroutines that handlers left running have ended, because they may end this process.
func awaitLeaked(rec *flight.Recorder) {
	if rec.Get(flight.Leaked) == 0 {
		return
	}
	rec.Set(flight.AwaitingLeaked, 1)
	for end := budget.Now() + awaitLeakedLimit; contain.Running() > 0 && budget.Now() < end; {
		time.Sleep(5 * time.Millisecond)
	}
}

// reexecutePicks executes the picks in rec.
func reexecutePicks(w kernel.World, rec *flight.Recorder, keys *os.File) (err error) {
	src := &recorded{path: rec.Recorded(picksRun), kinds: rec.Recorded(kindsRun), rec: rec}
	run := replay.NewRun(w)
	if err = run.Start(src); err == nil && !src.bad {
		err = evaluateProperties(w, rec)
	}
	for err == nil && !src.bad && src.pos < len(src.path) {
		index := int(src.path[src.pos])
		if index < 0 {
			return nil
		}
		ev, ok := run.Event(index)
		if !ok {
			return nil
		}
		if _, err := fmt.Fprintf(keys, "%q\n", w.Key(ev)); err != nil {
			return err
		}
		src.use(choose.Event)
		rec.Set(flight.Steps, run.Steps()+1)
		if err = run.Step(index, src); err == nil && !src.bad {
			err = evaluateProperties(w, rec)
		}
	}
	if src.bad {
		return nil // the execution from the first pick that did not fit is meaningless
	}
	return err
}

// evaluateProperties calls all functions of properties that a search may call in a state, and records the current one. The error is
// a finding.
func evaluateProperties(w kernel.World, rec *flight.Recorder) (err error) {
	defer contain.CatchState(&err)
	for i := range w.System().Properties {
		p := &w.System().Properties[i]
		rec.SetPhase(p.Name)
		if w.Holds(p) || p.Sometimes != nil {
			continue
		}
		if p.Always != nil {
			rec.Set(flight.Explain, 1)
		}
		w.Explain(p)
		rec.Set(flight.Explain, 0)
		if p.Always != nil {
			return &sim.Finding{Kind: sim.Safety, Property: p.Name, Node: -1}
		}
	}
	rec.SetPhase("")
	return nil
}

// reexecuteFile follows a path file and records its picks. It ends when the recorder is full.
func reexecuteFile(w kernel.World, rec *flight.Recorder, request *pathFileRequest, keys *os.File) error {
	file, err := pathfile.Parse(strings.NewReader(request.Text))
	if err != nil {
		return err
	}
	var finding, unwritten error
	steps := 0
	note := noteIn(rec)
	_, err = replay.Follow(w.System(), file, replay.Following{
		World: w, Tolerant: request.Tolerant, Record: rec.Path(picksRun),
		Noted: func(kind choose.Kind, key string) {
			if kind == choose.Event {
				steps++
				_, err := fmt.Fprintf(keys, "%q\n", key)
				unwritten = cmp.Or(unwritten, err)
				rec.Set(flight.Steps, steps)
			}
			note(kind)
		},
		Check: func() error {
			finding = evaluateProperties(w, rec)
			return finding
		},
	})
	return errors.Join(err, finding, unwritten)
}

// noteIn returns a function that records the kinds of picks, each before it takes effect. It ends this process when the
// recorder is full.
func noteIn(rec *flight.Recorder) func(kind choose.Kind) {
	kinds := rec.Recorded(kindsRun)
	return func(kind choose.Kind) {
		at := rec.Get(flight.Used)
		if at == len(kinds) {
			rec.End(exitcode.Inconclusive)
			os.Exit(exitcode.Inconclusive)
		}
		kinds[at] = int32(kind)
		rec.Set(flight.Used, at+1)
	}
}

// reexecuteScript executes a script and records its picks. It ends when the recorder is full.
func reexecuteScript(w kernel.World, rec *flight.Recorder, s *shrink.Script) error {
	p := &shrink.Player{Run: replay.NewRun(w), Check: func() error { return evaluateProperties(w, rec) }}
	p.Run.Path = rec.Path(picksRun)
	note := noteIn(rec)
	p.Noted = func(kind choose.Kind) {
		note(kind)
		if kind == choose.Event {
			rec.Set(flight.Steps, p.Run.Steps()+1)
		}
	}
	played := p.Play(*s)
	if played.Finding != nil {
		return played.Finding
	}
	return played.Err
}

// recorded answers from a path and counts the picks it used.
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

// use counts a pick before it takes effect.
func (r *recorded) use(kind choose.Kind) {
	r.kinds[r.pos] = int32(kind)
	r.pos++
	r.rec.Set(flight.Used, r.pos)
}
