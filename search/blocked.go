package search

import (
	"regexp"
	"runtime"
	"strings"
)

// waitingGoroutine begins the stack of a goroutine that goes on only when another one does something.
var waitingGoroutine = regexp.MustCompile(`^goroutine \d+ \[(chan |select|sync\.|semacquire)`)

// programStep is in the stack of a handler of package bubble, which waits while the goroutines of its node run.
const programStep = "/bubble.(*node).step("

// blocked reports whether the handler of some worker waits for another goroutine. Finding out stops all of them, so it is not done at
// each tick.
func blocked(ticks int) bool {
	const each = 8
	if ticks%each != 0 {
		return false
	}
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for block := range strings.SplitSeq(string(buf), "\n\n") {
		if strings.Contains(block, "/internal/kernel.(*machine).run(") && waitingGoroutine.MatchString(block) && !strings.Contains(block, programStep) {
			return true
		}
	}
	return false
}
