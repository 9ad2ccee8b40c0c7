package explorer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/sampling"
	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched"
)

// recording is a test with the events of each recorded run. bad returns the kind of its outcome.
func recording(events []predict.Event, bad func(*testsched.Schedule) testsched.Kind) func(*testsched.Schedule) *testsched.Outcome {
	runs := uint64(0)
	return func(s *testsched.Schedule) *testsched.Outcome {
		runs++
		o := &testsched.Outcome{Points: 1000, Choices: 500, Hash: runs, Kind: bad(s), Message: "why"}
		if s.Recorded {
			o.Events = events
		}
		return o
	}
}

// inversion has two goroutines that request two locks in different orders.
func inversion() (list []predict.Event) {
	for who, locks := range [][2]uint64{{7, 8}, {8, 7}} {
		for i, lock := range locks {
			place := uint64(10*who + i + 1)
			list = append(list, predict.Event{Who: uint64(who + 1), Object: lock, Op: predict.Lock, Context: place, Place: place})
		}
		for _, lock := range locks {
			list = append(list, predict.Event{Who: uint64(who + 1), Object: lock, Op: predict.Unlock})
		}
	}
	return list
}

// held returns the number of holds of a schedule.
func held(s *testsched.Schedule) int {
	if s.Prediction == nil {
		return 0
	}
	return len(s.Prediction.Holds)
}

// A cycle of locks is tried after the first three schedules. It is a finding if a directed schedule shows it.
func TestExplore_PredictsCycle(t *testing.T) {
	run := recording(inversion(), func(s *testsched.Schedule) testsched.Kind {
		if held(s) == 2 {
			return testsched.Deadlock
		}
		return testsched.Passed
	})
	r := Explore(Config{Seed: 1, Schedules: 100}, run)
	if how := r.predictions.by(r.By); r.Schedules != 4 || r.Finding == nil || how != "predicted from schedule 1: cycle of 2 locks" {
		t.Errorf("schedule %d, %s, finding %v", r.Schedules, how, r.Finding)
	}
	r.predictions.places = map[uint64]string{2: "x.go:2", 12: "x.go:12"}
	for want, list := range map[string][]string{
		": 1 confirmed": {"goroutine 1 waits to lock Mutex at x.go:2 in f", "goroutine 2 waits to lock Mutex at x.go:12"},
		": 0 confirmed, 1 led to another finding": {"goroutine 1 waits to lock Mutex at x.go:2", "goroutine 2 waits to send at x.go:1"},
	} {
		r.Finding.Details = list
		if got := r.predictions.counts(r.Finding).String(); !strings.Contains(got, want) || !strings.Contains(got, "not tried") {
			t.Errorf("%q: got %q, want %q", list, got, want)
		}
	}
}

// The lines of a report name what was predicted.
func TestPredictedLines(t *testing.T) {
	places := map[uint64]string{1: "x.go:1", 2: "x.go:2", 3: "x.go:3"}
	at := func(op predict.Op, place uint64) predict.Operation { return predict.Operation{Op: op, Place: place} }
	pairs := []predict.Pair{{at(predict.RLock, 1), at(predict.RLock, 2)}, {at(predict.Lock, 3), at(predict.Lock, 3)}}
	for what, first := range map[string]string{"cycle of 2 locks": "  cycle: ", "read lock requested again": "  read lock requested again: "} {
		want := []string{first + "read-locks at x.go:1, then read-locks at x.go:2", first + "locks at x.go:3"}
		if got := predictedLines(&predict.Prediction{What: what, Pairs: pairs}, places); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Directed runs of several goroutines at the same places are counted together.
func TestPredictions_ListsPlacesOnce(t *testing.T) {
	p := predictions{predicted: 3, tried: 3, places: map[uint64]string{1: "x.go:1", 2: "x.go:2"}}
	for who := range uint64(3) {
		p.pass(&predict.Prediction{What: "close before send", Pairs: []predict.Pair{{{Who: who, Op: predict.Send, Place: 1},
			{Who: who + 1, Op: predict.Close, Place: 2}}}})
	}
	want := []string{"3 predictions: 0 confirmed, 3 not confirmed",
		"not confirmed by 3 directed schedules: close before send (sends at x.go:1, then closes at x.go:2)"}
	if got := p.list(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The record of a long run has a limit, which is reported.
func TestExplore_LongRecord(t *testing.T) {
	run := recording(inversion(), func(*testsched.Schedule) testsched.Kind { return testsched.Passed })
	r := Explore(Config{Seed: 1, Schedules: 3}, func(s *testsched.Schedule) *testsched.Outcome {
		o := run(s)
		o.Unrecorded = predict.MaxEvents
		return o
	})
	if got, want := r.predictions.list()[0], "recorded 32768 of 32776 operations"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := r.predictions.counts(nil).String(), "the first 32768 operations of runs recorded in 1 test"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Unconfirmed predictions do not change which sampled schedules follow, and each run has the same schedules.
func TestExplore_UnconfirmedPredictions(t *testing.T) {
	seeds := func(events []predict.Event) (sampled, all []uint64) {
		run := recording(events, func(s *testsched.Schedule) testsched.Kind {
			if s.Prediction == nil || s.Prediction.Carried {
				sampled = append(sampled, s.Walk)
			}
			all = append(all, s.Walk^uint64(held(s)))
			return testsched.Passed
		})
		r := Explore(Config{Seed: 1, Schedules: 100}, run)
		r.predictions.places = map[uint64]string{1: "a:1", 2: "a:2", 11: "b:1", 12: "b:2"}
		lines := r.predictions.list()
		want := []string{"5 predictions: 0 confirmed, 5 not confirmed",
			"not confirmed by 10 directed schedules: cycle of 2 locks (locks at a:1, then locks at a:2; locks at b:1, then locks at b:2)",
			"not confirmed by 6 directed schedules: lock before lock (locks at b:1, then locks at a:2)"}
		if events != nil && !slices.Equal(lines, want) {
			t.Errorf("got %q, want %q", lines, want)
		}
		return sampled, all
	}
	without, _ := seeds(nil)
	with, all := seeds(inversion())
	if _, again := seeds(inversion()); !slices.Equal(all, again) {
		t.Error("two explorations differ")
	}
	// Directed schedules replace some kinds of sampled schedules, and the others keep their numbers.
	missing := 0
	for i, seed := range without[:60] {
		if !slices.Contains(with, seed) {
			missing++
			if kind := (i - 2) % 8; i < sampling.First || kind != 1 && kind != 4 {
				t.Errorf("sampled schedule %d is missing", i)
			}
		}
	}
	if missing == 0 || missing > 16 {
		t.Errorf("%d of 60 sampled schedules are missing", missing)
	}
}

// A test that only fails if a goroutine is held for longer than usual has a note. A deadlock then is a finding, unless it follows a failure.
// No goroutine is held for longer than the user permits.
func TestExplore_PredictsDelay(t *testing.T) {
	for _, c := range []struct {
		kind           testsched.Kind
		message, where string
		delay          time.Duration
		failed         bool   // before
		note           string // empty means a finding
	}{
		{testsched.Failed, "why", "", 50, false, "fails if a goroutine is held for 50ms where it accesses atomic at x.go:3: why"},
		{testsched.Deadlock, "", "", 50, false, ""},
		{testsched.Deadlock, "blocked", "", 101, false, "DEADLOCK: blocked, if a goroutine is held for 101ms where it accesses atomic at x.go:3"},
		{testsched.Deadlock, "blocked", "", 50, true, "DEADLOCK: blocked, if a goroutine is held for 50ms where it accesses atomic at x.go:3"},
		{testsched.Panic, "hangs", "x.go:9", 50, false, "PANIC: hangs, if a goroutine is held for 50ms where it accesses atomic at x.go:3"},
		{testsched.Panic, "runtime error: index", "x.go:9", 50, false, ""},
		{testsched.Panic, "runtime error: index", "x_test.go:9", 50, false,
			"PANIC: runtime error: index, if a goroutine is held for 50ms where it accesses atomic at x.go:3"},
		{testsched.Panic, "hangs", "x_test.go:9", 50, false, "PANIC: hangs, if a goroutine is held for 50ms where it accesses atomic at x.go:3"},
		{testsched.Panic, "close of closed channel", "x_test.go:9", 50, false, ""},
		{testsched.Exit, "exits", "x.go:9", 50, false, "EXIT: exits, if a goroutine is held for 50ms where it accesses atomic at x.go:3"},
		{testsched.Exit, "exits", "x_test.go:9", 50, false, "EXIT: exits, if a goroutine is held for 50ms where it accesses atomic at x.go:3"},
		{testsched.Panic, "hangs", "x.go:9", 1000, false, "PANIC: hangs, if a goroutine is held for 1s where it accesses atomic at x.go:3"},
	} {
		delay := c.delay * time.Millisecond
		late := []predict.Event{
			{Who: 1, Object: 7, Op: predict.Atomic, Context: 1, Place: 1},
			{Who: 2, Object: 7, Op: predict.Atomic, Method: predict.Loads, Context: 2, Place: 2, Time: int64(delay)},
		}
		run := func(s *testsched.Schedule) *testsched.Outcome {
			o := &testsched.Outcome{Points: 100, Choices: 50, Hash: s.Walk}
			if s.Recorded {
				o.Events = late
			}
			if s.Delay >= delay {
				o.Kind, o.Message, o.Where = c.kind, c.message, c.where
				if c.failed {
					o.ShowFailure("TestX", "why", nil, nil)
				}
			}
			return o
		}
		if r := Explore(Config{Seed: 1, Schedules: 100, Delay: time.Millisecond}, run); r.Finding != nil || r.predictions.delayed != nil {
			t.Errorf("%s after %v, although the user permits 1ms: finding %v", c.kind, delay, r.Finding)
		}
		r := Explore(Config{Seed: 1, Schedules: 100}, run)
		r.predictions.places = map[uint64]string{1: "x.go:3"}
		note := ""
		if n := r.predictions.delayNote(); n != nil {
			note = n.Text
		}
		if note != c.note || (r.Finding != nil) != (c.note == "") {
			t.Errorf("%s %q at %q after %v: finding %v, note %q, want %q", c.kind, c.message, c.where, delay, r.Finding, note, c.note)
		}
		if x := r.predictions.delayed; x != nil && c.kind == testsched.Failed {
			x.prediction.Pairs[0][1].Place = 0
			if got, want := r.predictions.delayNote().Text, "fails if a goroutine of the standard library is held for 50ms: why"; got != want {
				t.Errorf("without a place of the test: %q, want %q", got, want)
			}
		}
	}
}

// A run in which a goroutine is held for long is analysed, because the function of a timer may run only there.
func TestExplore_AnalysesDelays(t *testing.T) {
	const delay = 50 * time.Millisecond
	run := func(s *testsched.Schedule) *testsched.Outcome {
		o := &testsched.Outcome{Points: 100, Choices: 50, Hash: s.Walk}
		if s.Recorded {
			o.Events = []predict.Event{{Who: 1, Object: 8, Op: predict.Close, Context: 1, Place: 1},
				{Who: 1, Object: 7, Op: predict.Timer, Context: 2, Place: 2, Due: int64(delay)}}
		}
		if s.Recorded && s.Delay >= delay {
			o.Events = append(o.Events, predict.Event{Who: 2, Object: 8, Op: predict.Close, Context: 3, Place: 3, Time: int64(delay)})
		}
		if held(s) == 2 {
			o.Kind = testsched.Deadlock
		}
		return o
	}
	if r := Explore(Config{Seed: 1, Schedules: 200}, run); r.Finding == nil || r.prediction == nil || r.prediction.What != "close before close" {
		t.Errorf("finding %v, prediction %v", r.Finding, r.prediction)
	}
}

// A directed run is analysed if it has operations of code that no other recorded run has. What it predicts is tried as soon as what a
// sampled run does.
func TestExplore_AnalysesFlips(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		run := func(s *testsched.Schedule) *testsched.Outcome {
			o := &testsched.Outcome{Points: 100, Choices: 50, Hash: s.Walk}
			if s.Recorded {
				o.Events = []predict.Event{{Who: 1, Object: 8, Op: predict.Atomic, Context: 1, Place: 1},
					{Who: 2, Object: 8, Op: predict.Atomic, Context: 2, Place: 2}}
			}
			if s.Recorded && held(s) == 1 && fresh {
				for _, e := range inversion() {
					e.Context += 100
					o.Events = append(o.Events, e)
				}
			}
			if held(s) == 3 {
				o.Kind = testsched.Deadlock
			}
			return o
		}
		r := Explore(Config{Seed: 1, Schedules: 200}, run)
		if found := r.Finding != nil && r.prediction.What == "cycle of 2 locks" && r.prediction.Depth == 1; found != fresh {
			t.Errorf("new code: %v; finding %v", fresh, r.Finding)
		} else if found && (r.Schedules != 5 || r.prediction.Carried) {
			t.Errorf("found by schedule %d, %+v", r.Schedules, r.prediction)
		}
	}
}

// Predictions do not depend on how many schedules of a batch are executed.
func TestExplore_PredictsInBatches(t *testing.T) {
	explore := func(part func(int) int) (walks []uint64, tried int) {
		run := recording(inversion(), func(s *testsched.Schedule) testsched.Kind {
			walks = append(walks, s.Walk^uint64(held(s)))
			return testsched.Passed
		})
		c := Config{Seed: 1, Schedules: 300}
		c.Agents = together(func(list []*testsched.Schedule) (outcomes []*testsched.Outcome) {
			for _, s := range list[:part(len(list))] {
				outcomes = append(outcomes, run(s))
			}
			return outcomes
		})
		r := Explore(c, run)
		return walks, r.tried
	}
	all, tried := explore(func(n int) int { return n })
	some, triedSome := explore(func(n int) int { return (n + 2) / 3 })
	if !slices.Equal(all, some) || tried != triedSome || tried == 0 {
		t.Errorf("%d and %d tried; the schedules are the same: %v", tried, triedSome, slices.Equal(all, some))
	}
}

// A finding of a sampled schedule is shown by the pauses of a prediction from its own run, without random schedules.
func TestMinimize_Predicted(t *testing.T) {
	var long []testsched.Switch
	for i := range uint64(100) {
		long = append(long, testsched.Switch{Who: 1, Place: i, To: 2})
	}
	pauses := []testsched.Switch{{Who: 1, Place: 2, To: testsched.Pauses}, {Who: 2, Place: 2, To: testsched.Pauses}}
	drawn := 0
	run := func(s *testsched.Schedule, _ bool) *testsched.Outcome {
		o := &testsched.Outcome{Switches: s.Switches}
		if s.Recorded {
			o.Events = inversion()
		}
		switch {
		case s.Policy != testsched.Default && s.Until == 0:
			drawn++
		case held(s) == 2:
			o.Kind, o.Switches = testsched.Deadlock, pauses
		case slices.Equal(s.Switches, long) || slices.Equal(s.Switches, pauses):
			o.Kind = testsched.Deadlock
		}
		return o
	}
	m := minimize.Run(&testsched.Schedule{Switches: long}, &testsched.Outcome{Kind: testsched.Deadlock}, nil, time.Time{}, run)
	if !slices.Equal(m.Schedule.Switches, pauses) || drawn > 0 {
		t.Errorf("%v after %d random schedules", m.Schedule.Switches, drawn)
	}
}
