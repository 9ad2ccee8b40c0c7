package replay

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// WriteFile executes path on sys and returns it as a path file: events by their stable keys, picks by kind and
// label, and a comment per step. System, nodes, limits, timing, interleaving and crash cut of the header come from
// sys, the rest from header. The error describes why the path does not fit.
func WriteFile(sys *sim.System, header pathfile.Header, path choose.Path) (*pathfile.File, error) {
	rec, err := record(sys, path, kernel.Options{}, Outlined)
	if err != nil {
		return nil, err
	}
	return rec.trace.File(sys, header), nil
}

// HeaderOf returns h with the settings of the system.
func HeaderOf(sys *sim.System, h pathfile.Header) pathfile.Header {
	h.System, h.Nodes = sys.Name, sys.Nodes
	h.Limits, h.Timing = headerLimits(sys.Limits()), sys.Timing.String()
	if h.Interleave = ""; sys.Interleave != sim.Rotate {
		h.Interleave = sys.Interleave.String()
	}
	h.AsLive = simext.IsLive(sys.Network)
	h.Instant = Instant(sys)
	if h.CrashCut = ""; sys.CrashCut != sim.CutPrefix {
		h.CrashCut = sys.CrashCut.String()
	}
	return h
}

// Instant returns the instant at which clocks of programs begin, in nanoseconds since 1970; 0 means that no file has to mention it.
func Instant(sys *sim.System) uint64 {
	if at := simext.InstantOf(sys); at != simext.Epoch && hosts(sys) {
		return uint64(at)
	}
	return 0
}

// hosts reports whether a system has nodes that are programs, which read clocks.
func hosts(sys *sim.System) bool {
	defer func() { _ = recover() }() // a panic in New is a finding of the search
	return declared.Limited(sys) != nil
}

// Notable reports whether an answer is worth showing: it had alternatives, and is not implied.
func Notable(a stepinfo.Answer) bool { return a.Arity > 1 && !a.Kind.Implied(a.Pick) }

// Meaningful reports whether an answer is notable and means something to a reader, as a seed of pseudo-random numbers does not.
func Meaningful(a stepinfo.Answer) bool { return Notable(a) && !a.Kind.Seeds() }

// Picks returns the notable answers as picks of a path file.
func Picks(answers []stepinfo.Answer) []pathfile.Pick {
	var p []pathfile.Pick
	for _, a := range answers {
		if Notable(a) {
			p = append(p, pathfile.Pick{Kind: a.Kind, Pick: a.Pick, Label: a.Label})
		}
	}
	return p
}

// comment describes the changes of a step.
func (s *TraceStep) comment() string {
	var parts []string
	node := -1
	for _, c := range Readable(s.Changes) {
		if c.Minor() {
			continue
		}
		if c.Node != node {
			node = c.Node
			parts = append(parts, fmt.Sprintf("n%d", node))
		}
		parts = append(parts, c.Short())
	}
	if s.Crashed {
		kind := eventkind.Crash
		if s.Halted {
			kind = eventkind.Halt
		}
		parts = append(parts, kind.String()+AlsoFell(s.With)+"; "+strings.Join(s.Aftermath(), "; "))
	}
	if s.Live {
		parts = append(parts, "(live)")
	}
	return Shorten(strings.Join(parts, " "), 100)
}

func headerLimits(l sim.Limits) []pathfile.Limit {
	var out []pathfile.Limit
	for f := range sim.FaultCount {
		if l[f] > 0 {
			out = append(out, pathfile.Limit{Key: f.String(), Value: l[f]})
		}
	}
	return out
}

// HeaderLimits returns the fault limits in a path file's header; missing ones are 0. The error names the first
// unknown one.
func HeaderLimits(h *pathfile.Header) (sim.Limits, error) {
	var l sim.Limits
	for _, e := range h.Limits {
		f, err := sim.ParseFault(e.Key)
		if err != nil {
			return l, err
		}
		l[f] = e.Value
	}
	return l, nil
}

// A Reading is the result of following a path file.
type Reading struct {
	Path choose.Path
	// Moved lists the steps with an event index other than in the file. Indices of faults depend on fault limits;
	// those of other events show that the system has changed.
	Moved []Moved
	// Renamed lists the steps with an answer labelled differently from its question. A different label shows that
	// the system or the file has changed.
	Renamed []Renamed
	// Mismatches lists the steps that did not fit. Only [FollowFile] sets it.
	Mismatches []*MismatchError
	// Followed is the number of steps executed as in the file.
	Followed int
}

// Moved is a step with another event index than in the file.
type Moved struct{ Step, From, To int }

func (m Moved) String() string {
	return fmt.Sprintf("the code has changed since this run was recorded (step %d: its event is now number %d, not %d); this "+
		"shows what the code does now", m.Step, m.To, m.From)
}

// Renamed is a step that asks a question with another label in the file.
type Renamed struct {
	Step int    // 0 for the first boots
	What string // "asks for draw "x", the file answers "y""
}

func (r Renamed) String() string {
	if r.Step == 0 {
		return "the first boot " + r.What
	}
	return fmt.Sprintf("step %d %s", r.Step, r.What)
}

// MismatchError reports the first step of a path file that does not fit the system.
type MismatchError struct {
	Line   int // in the file; 0 if unknown
	Step   int // from 1; 0 for the header or the first boots
	Key    string
	Reason string
	// Near lists the stable keys of the enabled events most similar to Key, at most 5.
	Near []string
	// Instead is the key of the event that [FollowFile] executed instead, or "" if it left the step out.
	Instead string
}

func (e *MismatchError) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Step == 0 {
		b.WriteString(e.Reason)
	} else {
		fmt.Fprintf(&b, "step %d (%s): %s", e.Step, e.Key, e.Reason)
	}
	if e.Near != nil {
		fmt.Fprintf(&b, "; what can happen: %s", strings.Join(e.Near, "; "))
	}
	return b.String()
}

// ReadFile follows f on sys. Each step's event is the one with the stable key in the file, and its questions are
// answered by the picks of the same kind in order. Fault limits may differ from the header. A finding ends the
// reading, without an error for the remaining steps. The error is a [*MismatchError] about the header or the first
// step that does not fit, or about sys.
func ReadFile(sys *sim.System, f *pathfile.File) (*Reading, error) {
	return Follow(sys, f, Following{})
}

// FollowFile is ReadFile for a system that may have changed since the file was written. A step without an enabled
// event is replaced by a similar one, or left out. A similar event has the same class, nodes and type with other content.
// If there is none, a type that the file does not name is taken for a new name. Missing picks are answered by the first
// alternative, and extra picks are ignored. The run continues, and the Reading lists these changes. The error is a
// [*MismatchError] about the header, or about sys. The picks of the run are appended to record, an empty path, during the
// execution. Record may be nil.
func FollowFile(sys *sim.System, f *pathfile.File, record choose.Path) (*Reading, error) {
	return Follow(sys, f, Following{Tolerant: true, Record: record})
}

// Following sets how a path file is followed. The zero value is that of [ReadFile].
type Following struct {
	Tolerant bool        // as by [FollowFile]
	Record   choose.Path // as in FollowFile
	// World executes the run; nil means a new world.
	World kernel.World
	// Noted, if non-nil, is called before each pick. Key is that of the event for [choose.Event], else empty.
	Noted func(kind choose.Kind, key string)
	// Check, if non-nil, is called in each state. Its error ends the run.
	Check func() error
}

// Follow is [ReadFile] or [FollowFile] as o sets it.
func Follow(sys *sim.System, f *pathfile.File, o Following) (*Reading, error) {
	tolerant := o.Tolerant
	if h := &f.Header; h.System != sys.Name || h.Nodes != sys.Nodes {
		return nil, &MismatchError{Line: f.Lines["system"], Reason: fmt.Sprintf(
			"the path is of system %q with %d nodes, not of %q with %d", h.System, h.Nodes, sys.Name, sys.Nodes)}
	}
	w := o.World
	if w == nil {
		var err error
		if w, err = kernel.NewWorld(sys, kernel.Options{Contain: true}); err != nil {
			return nil, err
		}
	}
	r := follower{run: NewRun(w), o: o, steps: f.Steps, fitted: map[string]bool{}}
	r.run.Path = o.Record
	out := &Reading{}
	r.src.Reset(f.Boot)
	failed := r.checked(r.run.Start(&r))
	r.renamed(0, out)
	if err := r.src.Done(); err != nil {
		out.Mismatches = append(out.Mismatches, &MismatchError{Line: f.Lines["boot"], Reason: "first boots: " + err.Error()})
	}
	for i := 0; i < len(f.Steps) && failed == nil; i++ {
		if len(out.Mismatches) > 0 && !tolerant {
			break
		}
		s := &f.Steps[i]
		mismatch := &MismatchError{Line: s.Line, Step: i + 1, Key: s.Key}
		index, ok := r.matchExact(s)
		if !ok {
			mismatch.Reason, mismatch.Near = "this cannot happen here", r.near(s.Key)
			out.Mismatches = append(out.Mismatches, mismatch)
			if !tolerant {
				continue
			}
			if index, ok = r.matchSimilar(s.Key); !ok {
				if index, ok = r.matchRenamed(s.Key); !ok {
					continue
				}
			}
			ev, _ := r.run.Event(index)
			mismatch.Instead = r.run.World.Key(ev)
		} else if index != s.Index {
			out.Moved = append(out.Moved, Moved{i + 1, s.Index, index})
		}
		r.src.Reset(s.Picks)
		failed = r.step(index)
		r.renamed(i+1, out)
		if mismatch.Reason != "" {
			continue
		}
		if err := r.src.Done(); err != nil {
			mismatch.Reason, mismatch.Instead = err.Error(), s.Key
			out.Mismatches = append(out.Mismatches, mismatch)
			continue
		}
		out.Followed++
	}
	if len(out.Mismatches) > 0 && !tolerant {
		return nil, out.Mismatches[0]
	}
	out.Path = r.run.Path.Clone()
	return out, nil
}
