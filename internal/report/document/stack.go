package document

import (
	"fmt"
	"path"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
)

// maxFrames is the maximum number of frames shown of a stack.
const maxFrames = 12

// UserFrames returns the frames between the panic and the checker, one per line: "raft/node.go:41
// raft.(*Node).Receive", see [replay.Places.Short]. stack is the output of debug.Stack or of a dying process. Without
// a panic, UserFrames returns the frames up to the checker. The result does not depend on the run.
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
	for _, g := range stacks.Read(stack) {
		for _, f := range g.Frames {
			pkg := f.Package()
			switch {
			case f.Function == "panic":
				frames = frames[:0] // the frames before it caught the panic
			case pkg == "runtime" || strings.HasPrefix(pkg, "runtime/"):
			case !fromChecker(pkg):
				frames = append(frames, f)
			case len(frames) > 0:
				return frames
			}
		}
		if len(frames) > 0 {
			break
		}
	}
	return frames
}

// waitFacts lists the operations that block the goroutines of nodes at the end of a run that never recovers, one
// goroutine a line.
func waitFacts(r *report.Report) (f []Fact) {
	if r.Critical == nil || r.Dead == nil {
		return nil
	}
	s := stateAfter(r.Dead, len(r.Dead.Steps))
	label := "waits:"
	for _, at := range s.order {
		if at.part.Kind != replay.Program || s.values[at] == "" {
			continue
		}
		node := fmt.Sprintf("n%d ", at.node)
		for text := range strings.SplitSeq(s.values[at], simext.BetweenGoroutines) {
			f = append(f, Fact{label, node + text, ""})
			label = ""
		}
	}
	return f
}

// fromChecker reports whether a package belongs to the code that executes services.
func fromChecker(pkg string) bool {
	rest, ok := strings.CutPrefix(pkg, "github.com/macemc/macemc/")
	if !ok {
		return false
	}
	for _, p := range []string{"sim", "internal/kernel", "internal/table", "internal/encoding", "internal/explore", "netsim",
		"internal/replay", "search", "critical", "internal/check", "mctest"} {
		if rest == p || strings.HasPrefix(p, "internal/") && strings.HasPrefix(rest, p+"/") {
			return true
		}
	}
	return false
}
