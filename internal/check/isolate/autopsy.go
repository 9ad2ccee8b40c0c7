package isolate

import (
	"fmt"
	"os"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

// autopsy returns how an ended process died; nil means that it ended normally.
func autopsy(rec *flight.Recorder, state *os.ProcessState, said string) (*Death, error) {
	if _, ok := rec.Ended(); ok {
		return nil, nil
	}
	d := found(rec)
	if rec.Get(flight.Begun) == 0 && d.asked == "" {
		return nil, fmt.Errorf("a fresh process ended before it executed anything: %v: %s", state, said)
	}
	if all := stacks.Read(said); len(all) == 0 || diedOffHandler(said, 0) && all[0].Creator.Function != contain.ContainedCreator {
		d.Running = rec.Get(flight.Leaked)
	}
	if d.Running > 0 {
		d.creator = creator(said)
	}
	d.classify(state, said, rec.Get(flight.Memory))
	return d, nil
}

// found returns the position of a re-execution when it ended.
func found(rec *flight.Recorder) *Death {
	path := rec.Recorded(picksRun)
	d := &Death{Finding: sim.Finding{Node: -1}, Steps: rec.Get(flight.Steps), After: rec.Get(flight.AwaitingLeaked) != 0,
		inExplain: rec.Get(flight.Explain) != 0}
	switch rec.Get(flight.Asking) {
	case notAsked:
		d.Property = rec.Phase()
	case askedMaking:
		d.Making = d.Steps == 0
		fallthrough
	default:
		d.asked = rec.Phase()
	}
	used := min(rec.Get(flight.Used), len(path))
	kinds := rec.Recorded(kindsRun)
	at := used // the first answer of the last step
	for at > 0 && kinds[at-1] != int32(choose.Event) {
		at--
	}
	if d.Steps > 0 && at > 0 {
		d.Index, d.Before = int(path[at-1]), path[:at-1].Clone()
	}
	for i := at; i < used; i++ {
		d.Picks = append(d.Picks, pathfile.Pick{Kind: choose.Kind(kinds[i]), Pick: int(path[i])})
	}
	d.LeakStep, d.BeforeLeak = firstLeak(rec)
	return d
}

// firstLeak returns the first step that left goroutines running, and the path before it. It returns 0 if there is none.
func firstLeak(rec *flight.Recorder) (step int, before choose.Path) {
	step = max(0, rec.Get(flight.LeakedIn)-1)
	path, kinds := rec.Recorded(picksRun), rec.Recorded(kindsRun)
	begun := 0
	for i := range min(rec.Get(flight.Used), len(path)) {
		if kinds[i] == int32(choose.Event) {
			if begun++; begun == step {
				return step, path[:i].Clone()
			}
		}
	}
	return step, nil
}
