package check

import (
	"fmt"
	"iter"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A process that waits for another one asks it with these words what it is doing.
const (
	blockedWord = "blocked" // tell, and end, if the handler waits for something that the process does itself
	stackWord   = "stack"   // tell, and end
	stuckMark   = "macemc: the handler does not return\n"
)

// answer does what a process that re-executes is asked for by word; it does not return if that is to tell.
func answer(word string) {
	stack, waits := handlerStack()
	if word == stackWord || word == blockedWord && waits {
		fmt.Fprint(os.Stderr, stuckMark, stack)
		os.Exit(StatusInconclusive)
	}
}

// waiting are the states, as the Go runtime tells them, of a goroutine that goes on only when another one does something.
var waiting = regexp.MustCompile(`^goroutine \d+ \[(chan |select|sync\.|semacquire)`)

// handlerStack is the stack of the goroutine that executes checked code, and whether that waits for another one; "" if there
// is none. Worlds that contain it call it on goroutines that they make for that.
func handlerStack() (stack string, waits bool) {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	all := strings.Split(string(buf), "\n\n")
	for _, block := range all {
		if !strings.Contains(block, "created by github.com/macemc/macemc/internal/kernel.contained") {
			continue
		}
		if !strings.Contains(block, "/bubble.(*node).step(") {
			return block, waiting.MatchString(block)
		}
		// A handler of package bubble waits while the goroutines of its node run.
		for _, other := range all {
			if restless.MatchString(other) && !strings.Contains(other, "/bubble.(*node).loop(") && !strings.Contains(other, "internal/synctest.Run(") {
				return other, false
			}
		}
		return block, false
	}
	return "", false
}

// askedAt is the file:line of checked code whose stack that is; "" when it is not known. What packages sim and kernel have between
// that and their own caller is left out, also where the compiler made it a part of another package.
func askedAt(stack string) string {
	var calls [][2]string
	for frame := range frames(stack) {
		calls = append(calls, frame)
		if strings.HasPrefix(frame[0], "github.com/macemc/macemc/internal/kernel.contained") {
			break
		}
	}
	if len(calls) == 0 {
		return ""
	}
	kernel := path.Dir(calls[len(calls)-1][1])
	own := []string{kernel, path.Join(kernel, "../../sim")}
	for _, frame := range slices.Backward(calls) {
		if !slices.Contains(own, path.Dir(frame[1])) {
			at, _, _ := strings.Cut(frame[1], " ")
			return at
		}
	}
	return ""
}

// frames yields function and place of each call in the stack of a goroutine.
func frames(stack string) iter.Seq[[2]string] {
	return func(yield func([2]string) bool) {
		_, rest, _ := strings.Cut(stack, "\n")
		lines := strings.Split(rest, "\n")
		for i := 0; i+1 < len(lines); i += 2 {
			if !yield([2]string{lines[i], strings.TrimSpace(lines[i+1])}) {
				return
			}
		}
	}
}

// restless is a goroutine of a bubble that keeps a step from ending.
var restless = regexp.MustCompile(`^goroutine \d+ \[[^(\]]*, synctest bubble \d+`)
