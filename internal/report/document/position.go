package document

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/nodestates"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Position is a source position related to a finding.
type Position struct {
	File  string // as named by the compiler
	Line  int
	Short string // see [replay.Places.Short]
	Text  string // what happens there
}

// Positions returns the source positions of a finding. The first one is the frame that panicked, the handler of the
// critical step, or the handler of the step that led to the violation. The handler of the last step follows if it
// differs. A step that no code handled, such as the loss of a message, has the handler of the step before it. If no
// code is known, the position is the path file.
func Positions(r *report.Report) (all []Position) {
	add := func(p Position) {
		for _, q := range all {
			if q.File == p.File && q.Line == p.Line {
				return
			}
		}
		all = append(all, p)
	}
	if frames := framesOf(r.Stack); len(frames) > 0 {
		file, line := replay.SplitPlace(frames[0].Place)
		add(Position{file, line, replay.NewPlaces().Short(frames[0].Place), frames[0].Function})
	}
	for _, s := range []struct {
		name string
		step *replay.TraceStep
	}{{"critical step", r.DecisiveStep()}, {"last step", r.LastStep()}} {
		if s.step == nil || s.name == "critical step" && r.Critical == nil {
			continue
		}
		text := fmt.Sprintf("%s %d: %s", s.name, s.step.Number, s.step.Sentence())
		for n := s.step.Number; n > 0; n-- {
			handled := &r.Dead.Steps[n-1]
			file, line := handled.Place()
			if line == 0 {
				continue
			}
			if n != s.step.Number {
				text += fmt.Sprintf(" (after step %d, handled here)", n)
			}
			add(Position{file, line, handled.Source, text})
			break
		}
	}
	if len(all) == 0 && r.PathFile != "" {
		file, err := filepath.Abs(r.PathFile)
		if err != nil {
			file = r.PathFile
		}
		add(Position{file, 1, filepath.ToSlash(r.PathFile) + ":1", "the run"})
	}
	return all
}

// Headline describes a finding, or else the result of the search, in one line without a position.
func Headline(r *report.Report) string {
	if len(r.Each()) != 1 {
		return textfmt.Printable(SystemName(r) + ": " + outcome(r))
	}
	text := SystemName(r) + ": " + kindNames[r.Kind] + prefixed(": ", cmp.Or(r.Property, r.Message))
	if why := oneLine(r); why != "" && r.Property != "" {
		text += ": " + why
	}
	return textfmt.Printable(textfmt.FirstLine(text))
}

// maxFrames is the maximum number of frames shown of a stack.
const maxFrames = 12

// UserFrames returns the frames between the panic and the checker, one per line: "raft/node.go:41
// raft.(*Node).Receive", see [replay.Places.Short]. stack is the output of debug.Stack or of a dying process. Without
// a panic, UserFrames returns the frames up to the checker. The first frame is not of the standard library if another one
// is known. The result does not depend on the run.
func UserFrames(stack string) []string {
	var texts []string
	places := replay.NewPlaces()
	for _, f := range framesOf(stack) {
		texts = append(texts, places.Short(f.Place)+"  "+path.Base(f.Function))
	}
	if n := len(texts) - maxFrames; n > 0 {
		texts = append(texts[:maxFrames], fmt.Sprintf("... and %d more", n))
	}
	return texts
}

// framesOf returns the frames that [UserFrames] describes.
func framesOf(stack string) (frames []stacks.Frame) {
	_, again := stacks.RaisedAgain(stack)
	for _, g := range stacks.Read(stack) {
		for _, f := range g.Frames {
			pkg := f.Package()
			switch {
			case f.Function == "panic" && again && len(frames) > 0:
				return fromUser(frames)
			case f.Function == "panic":
				frames = frames[:0] // the frames before it caught the panic
			case pkg == "runtime" || strings.HasPrefix(pkg, "runtime/"):
			case !fromChecker(f):
				frames = append(frames, f)
			case len(frames) > 0:
				return fromUser(frames)
			}
		}
		if len(frames) > 0 {
			if fromUser(frames)[0].Standard() && g.Creator.Function != "" && !g.Creator.Standard() {
				frames = []stacks.Frame{g.Creator} // "go os.Exit(1)"
			}
			break
		}
	}
	return fromUser(frames)
}

// fromUser returns the frames from the first one outside the standard library on, and all if there is none.
func fromUser(frames []stacks.Frame) []stacks.Frame {
	if i := slices.IndexFunc(frames, func(f stacks.Frame) bool { return !f.Standard() }); i > 0 {
		return frames[i:]
	}
	return frames
}

// waitFacts lists the operations that block the goroutines of nodes at the end of a run that never recovers, one
// goroutine a line.
func waitFacts(r *report.Report) []Fact {
	if r.Critical == nil || r.Dead == nil {
		return nil
	}
	s := nodestates.After(r.Dead, len(r.Dead.Steps))
	var waits []string
	for _, at := range s.Order {
		if at.Part.Kind != replay.Program || at.Part.Name != simext.GoroutinesField || s.Values[at] == "" || s.Values[at] == simext.Outlined {
			continue
		}
		node := fmt.Sprintf("n%d ", at.Node)
		for text := range strings.SplitSeq(s.Values[at], simext.BetweenGoroutines) {
			waits = append(waits, node+text)
		}
	}
	return labeled("waits:", waits)
}

// fromChecker reports whether a frame belongs to the code that executes services.
func fromChecker(f stacks.Frame) bool {
	const module = "github.com/macemc/macemc"
	pkg := f.Package()
	// The compiler names a function literal after the function into which it inlines the code around the literal.
	root := path.Dir(stacks.Dir(sim.ParseFault)) + "/"
	if rest, ok := strings.CutPrefix(path.Dir(f.Place), root); ok && !strings.Contains(f.Place, "_test.go:") {
		pkg = path.Join(module, rest)
	}
	rest, ok := strings.CutPrefix(pkg, module+"/")
	switch {
	case !ok || strings.HasSuffix(rest, "_test"):
		return false
	case strings.HasPrefix(rest, "internal/"):
		return !strings.HasPrefix(rest, "internal/test/")
	}
	return slices.Contains([]string{"sim", "netsim", "search", "critical", "mctest", "bubble", "bubble/internal/filesystem",
		"bubble/internal/filetree", "bubble/internal/waitqueue"}, rest)
}
