package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Decision describes the answer to a question: "is it earlier: no", "unsynced writes that survive: none of 1",
// "rand.IntN: 1 of 0..2". A seed has no text for people.
func Decision(a stepinfo.Answer) string {
	if a.Kind.Seeds() {
		return a.Label + ": drawn"
	}
	return a.Label + ": " + Answered(a)
}

// Answered returns the answer alone, with the number of a seed: "no", "none of 1", "1 of 0..2".
func Answered(a stepinfo.Answer) string {
	switch {
	case a.Kind.Class() == choose.Compare && a.Arity == 2:
		return [...]string{"no", "yes"}[a.Pick]
	case a.Kind == choose.Outcome:
		return fmt.Sprintf("%s of %d", noneOr(a.Pick), a.Arity-1)
	case a.Kind.Seeds():
		return fmt.Sprint(a.Pick)
	case a.Kind.Class() == choose.Fault && a.Pick == 0:
		return "no"
	case a.Kind.Class() == choose.Fault:
		return fmt.Sprintf("yes, at place %d of %d", a.Pick, a.Arity-1)
	}
	return fmt.Sprintf("%d of 0..%d", a.Pick, a.Arity-1)
}

func noneOr(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// Phrase describes the effect in a few words: "send Ping{1} to n1", "write voted", "sync".
func (e *TraceEffect) Phrase() string {
	text := strings.TrimSpace(e.Kind + " " + e.Text)
	if e.Peer >= 0 {
		text += fmt.Sprintf(" to n%d", e.Peer)
	}
	return text
}

// happens reports whether a crash can prevent the effect.
func (e *TraceEffect) happens() bool { return !e.IsCall() && e.Kind != stepinfo.LogEffect.String() }

// Aftermath describes the consequences of a crash: for a crash inside the step, which of its effects happened, and
// which unsynced writes survived. It is empty if no node crashed. The first effect that did not happen has its place.
// What survived of a program's files is chosen when it boots, see [simext.Survived].
func (s *TraceStep) Aftermath() []string {
	var parts []string
	if s.Crashed {
		var done, undone []string
		for i := range s.Effects {
			switch e := &s.Effects[i]; {
			case !e.happens():
			case e.Applied:
				done = append(done, e.Phrase())
			case len(undone) == 0 && e.From != "": // where the crash takes place
				undone = append(undone, fmt.Sprintf("%s (%s)", e.Phrase(), e.From))
			default:
				undone = append(undone, e.Phrase())
			}
		}
		if len(done) > 0 {
			parts = append(parts, "happened: "+strings.Join(done, ", "))
		}
		if len(undone) > 0 {
			parts = append(parts, "did not happen: "+strings.Join(undone, ", "))
		}
	}
	switch all := len(s.Kept) + len(s.Lost); {
	case s.ofFiles() && len(s.Lost) > 0:
		parts = append(parts, "lost changes of files: "+strings.Join(textfmt.Few(s.lostChanges(), mostLost), ", "))
	case !s.ofFiles() && all > 0:
		parts = append(parts, s.survivors(all))
	}
	return parts
}

// ofFiles reports whether the writes of the node that a step takes down are changes of a program's files.
func (s *TraceStep) ofFiles() bool {
	return slices.ContainsFunc(s.Changes, func(c NodeChange) bool { return c.Node == s.Node && c.Part.Kind == diff.OfProgram })
}

// mostLost is the maximum number of lost changes of files in the text of a crash.
const mostLost = 8

// lostChanges returns the lost writes of a program without the numbers of their records.
func (s *TraceStep) lostChanges() []string {
	var list []string
	for _, key := range s.Lost {
		list = append(list, cmp.Or(fileChange(key), key)) // that of another node begins with its name
	}
	return list
}

// fileChange returns the text of a record of a program's disk without its number: that of "00000016 write 746 bytes to /data/a at 0". It is
// empty for other keys.
func fileChange(key string) string {
	const digits = 8
	if len(key) <= digits || key[digits] != ' ' || strings.Trim(key[:digits], "0123456789") != "" {
		return ""
	}
	return key[digits+1:]
}

// LastLost describes the last write that the crash of the step loses.
func (s *TraceStep) LastLost() string {
	key := s.Lost[len(s.Lost)-1]
	if s.ofFiles() {
		return cmp.Or(fileChange(key), key)
	}
	return key
}

func (s *TraceStep) survivors(all int) string {
	writes := "unsynced writes"
	if all == 1 {
		writes = "unsynced write"
	}
	text := fmt.Sprintf("%s of %d %s survived", noneOr(len(s.Kept)), all, writes)
	switch {
	case len(s.Lost) == 0:
		return fmt.Sprintf("%s (%s)", text, strings.Join(s.Kept, ", "))
	case len(s.Kept) == 0:
		return fmt.Sprintf("%s (lost: %s)", text, strings.Join(s.Lost, ", "))
	}
	return fmt.Sprintf("%s (%s; lost: %s)", text, strings.Join(s.Kept, ", "), strings.Join(s.Lost, ", "))
}

// unsynced returns the keys of the unsynced writes of a node.
func unsynced(fields []diff.Field) []string {
	var keys []string
	for _, f := range fields {
		if f.Part.Kind == diff.OfWrite {
			keys = append(keys, f.Part.Name)
		}
	}
	return keys
}

// left sets the surviving and lost writes of the step's crash. Kept are the states of all nodes before it.
func (s *TraceStep) left(kept []kernel.Snapshot) {
	pending := unsynced(kept[s.Node].Fields)
	for i := range s.Effects {
		switch e := &s.Effects[i]; {
		case !e.Applied:
		case e.Kind == stepinfo.WriteEffect.String():
			pending = append(pending, e.Text)
		case e.Kind == stepinfo.SyncEffect.String():
			pending = nil
		}
	}
	s.survive(pending, stepinfo.SurvivorsLabel)
	for _, id := range s.With {
		pending := unsynced(kept[id].Fields)
		for i, key := range pending {
			pending[i] = fmt.Sprintf("n%d: %s", id, key)
		}
		s.survive(pending, stepinfo.SurvivorsLabelOf(sim.NodeID(id)))
	}
}

// survive sets the surviving and lost writes of a node. Label is that of the question.
func (s *TraceStep) survive(pending []string, label string) {
	kept := 0
	for _, a := range s.Choices {
		if a.Kind == choose.Outcome && a.Label == label {
			kept = min(a.Pick, len(pending))
		}
	}
	s.Kept, s.Lost = append(s.Kept, pending[:kept]...), append(s.Lost, pending[kept:]...)
}

// ListNodes formats a list of nodes: "n1, n2", or "" for none.
func ListNodes[ID sim.NodeID | int](ids []ID) string {
	var names []string
	for _, id := range ids {
		names = append(names, fmt.Sprintf("n%d", id))
	}
	return strings.Join(names, ", ")
}

// AlsoFell formats the nodes that failed with another one: " with n2, n3", or "" for none.
func AlsoFell(with []int) string {
	if len(with) == 0 {
		return ""
	}
	return " with " + ListNodes(with)
}
