package report

import (
	"fmt"
	"path"
	"strings"

	"github.com/macemc/macemc/internal/replay"
)

// maxFrames is how many frames of a stack are shown at most.
const maxFrames = 12

// userFrames keeps of a stack, as debug.Stack or a dying process writes it, the frames between the
// panic and the checker, one per line: "raft/node.go:41  raft.(*Node).Receive", see [replay.Places.Short]. Without a panic in it
// the frames up to the checker are kept. Nothing in the result depends on the run.
func userFrames(stack string) []string {
	var frames []string
	places := replay.NewPlaces()
	lines := strings.Split(stack, "\n")
scan:
	for i, function := range lines[:len(lines)-1] {
		place, isFrame := strings.CutPrefix(lines[i+1], "\t")
		switch {
		case strings.HasPrefix(function, "goroutine ") && len(frames) > 0:
			break scan
		case !isFrame || strings.HasPrefix(function, "\t"):
			continue
		case strings.HasPrefix(function, "panic("):
			frames = frames[:0] // above it is only how the panic was caught
			continue
		case strings.HasPrefix(function, "created by "):
			break scan
		case strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "runtime/"):
			continue
		case fromChecker(function):
			if len(frames) > 0 {
				break scan
			}
			continue
		}
		place, _, _ = strings.Cut(place, " +0x")
		if at := strings.LastIndexByte(function, '('); at > 0 {
			function = function[:at]
		}
		frames = append(frames, places.Short(place)+"  "+path.Base(function))
	}
	if n := len(frames) - maxFrames; n > 0 {
		frames = append(frames[:maxFrames], fmt.Sprintf("... and %d more", n))
	}
	return frames
}

// fromChecker reports whether a function belongs to the packages that run services.
func fromChecker(function string) bool {
	rest, ok := strings.CutPrefix(function, "github.com/macemc/macemc/")
	if !ok {
		return false
	}
	rest, _, _ = strings.Cut(rest, "(")
	for _, p := range []string{"sim", "internal/kernel", "internal/table", "internal/encoding", "internal/explore", "netsim", "internal/replay", "search", "critical", "internal/check", "mctest"} {
		if strings.HasPrefix(rest, p+".") || p == "internal/table" && strings.HasPrefix(rest, p+"/") {
			return true
		}
	}
	return false
}
