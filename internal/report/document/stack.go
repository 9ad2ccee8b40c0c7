package document

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

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
	s := stateAfter(r.Dead, len(r.Dead.Steps))
	var waits []string
	for _, at := range s.order {
		if at.part.Kind != replay.Program || at.part.Name != simext.GoroutinesField || s.values[at] == "" {
			continue
		}
		node := fmt.Sprintf("n%d ", at.node)
		for text := range strings.SplitSeq(s.values[at], simext.BetweenGoroutines) {
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
	return slices.Contains([]string{"sim", "netsim", "search", "critical", "mctest", "bubble", "bubble/internal/filetree",
		"bubble/internal/waitqueue"}, rest)
}
