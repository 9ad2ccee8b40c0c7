package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// EncodingCollisions finds pairs of states with equal encodings and different behaviour. They occur if an encoding omits data that
// handlers read.
type EncodingCollisions struct {
	on   bool
	runs []recordedRun
	seen map[stepKey]stepEnd
}

type recordedRun struct {
	path   choose.Path
	bounds []int32
}

// stepKey identifies a step: its first state, the event and the answers.
type stepKey struct{ state, picks uint64 }

type stepEnd struct {
	state     uint64
	run, step int
}

func (t *EncodingCollisions) Begin(on bool) {
	t.on, t.runs = on, t.runs[:0]
	if on && t.seen == nil {
		t.seen = map[stepKey]stepEnd{}
	}
	clear(t.seen)
}

// Look searches a recorded run. The mismatch, if any, is the run up to the step that differs from the same step of an
// earlier run.
func (t *EncodingCollisions) Look(sys *sim.System, run *replay.Run, states *Recording) *Mismatch {
	state := func(step int) (sum uint64) {
		for _, p := range states.at(step) {
			sum += p.hash.Lo
		}
		return sum
	}
	t.runs = append(t.runs, recordedRun{run.Path.Clone(), slices.Clone(run.Bounds)})
	now := &t.runs[len(t.runs)-1]
	last := min(states.First+len(states.bounds)-1, run.Steps())
	after := state(states.First)
	for step := states.First + 1; step <= last; step++ {
		key := stepKey{state: after}
		after = state(step)
		for _, pick := range now.until(step)[len(now.until(step-1)):] {
			key.picks = choose.Mix(key.picks ^ uint64(pick))
		}
		end, ok := t.seen[key]
		switch {
		case !ok:
			t.seen[key] = stepEnd{after, len(t.runs) - 1, step}
		case end.state != after:
			return describeCollision(sys, t.runs[end.run].until(end.step-1), now.until(step-1), now.until(step))
		}
	}
	return nil
}

// until returns the path to the state after a step.
func (r *recordedRun) until(step int) choose.Path {
	if step < len(r.bounds) {
		return r.path[:r.bounds[step]]
	}
	return r.path
}

// describeCollision executes two runs to states with equal encodings, and then the same step in both.
func describeCollision(sys *sim.System, first, second, whole choose.Path) *Mismatch {
	found := &Mismatch{Finding: &sim.Finding{Kind: sim.Nondeterminism, Node: -1}, Path: whole.Clone()}
	found.Message = "the same step led from equal states to different states, but not when repeated"
	a, err := runTo(sys, first)
	b, again := runTo(sys, second)
	if err != nil || again != nil {
		return found
	}
	found.Steps = b.Steps() + 1
	hidden := compare(a.World, b.World, false)
	step := whole[len(second):]
	for _, r := range []*replay.Run{a, b} {
		src := &choose.Prefix{Path: step[1:]}
		if err := r.Step(int(step[0]), src); err != nil {
			found.Message += ": " + err.Error()
			return found
		}
	}
	var shown *unlike
	for _, u := range slices.Backward(compare(a.World, b.World, true)) {
		if shown == nil || !slices.ContainsFunc(hidden, func(h unlike) bool { return h.where == u.where && h.field == u.field }) {
			shown = &u
		}
	}
	if shown == nil {
		return found
	}
	event := b.World.Last().Event
	if !event.Kind.Injection() {
		found.Node = event.Node
	}
	found.Difference = &Difference{Step: found.Steps, Where: shown.where, Field: shown.field, Values: shown.values, Collision: true}
	found.Message = fmt.Sprintf("two states have the same encoding but behave differently: the same step makes %s %s in one and %s in the other",
		shown.place(), shown.values[0], shown.values[1])
	if len(hidden) > 0 {
		h := &hidden[0]
		found.Message += fmt.Sprintf("; before the step, %s is %s and %s, which the encoding does not distinguish",
			h.place(), h.values[0], h.values[1])
	}
	for i, r := range sys.State {
		found.Message += fmt.Sprintf("%s%v", []string{"; state rules: ", ", "}[min(i, 1)], r.String())
	}
	return found
}

// runTo executes a path.
func runTo(sys *sim.System, path choose.Path) (*replay.Run, error) {
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		return nil, err
	}
	run, src := replay.NewRun(w), &choose.Prefix{Path: path}
	if err := run.Start(src); err != nil {
		return nil, err
	}
	for src.Pos() < len(path) {
		index, _ := src.Take()
		if err := run.Step(index, src); err != nil {
			return nil, err
		}
	}
	return run, src.Err()
}

// unlike is a field with different values in two states.
type unlike struct {
	where, field string
	values       [2]string
}

func (u *unlike) place() string { return strings.TrimSpace(u.where + " " + u.field) }

// compare lists the fields in which two states differ. With encoded, it compares only components with different
// encodings.
func compare(a, b kernel.World, encoded bool) (list []unlike) {
	prints := map[kernel.Component]encoding.Fingerprint{}
	for c, h := range a.Components() {
		prints[c] = h
	}
	for c, h := range b.Components() {
		if encoded && prints[c] == h {
			continue
		}
		for field, values := range differences(fieldsOf(a, c), fieldsOf(b, c)) {
			list = append(list, unlike{c.String(), field, values})
		}
	}
	return list
}
