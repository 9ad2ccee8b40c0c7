package cli

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/search"
)

// status shows how something long gets on: on a terminal as a line that is written over, elsewhere as a
// line now and then.
type status struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	next     time.Duration // when the next line is due, off a terminal
	shown    bool          // a line stands on the terminal
}

// lineEvery is how often a line is written when it is not a terminal that reads it.
const lineEvery = 10 * time.Second

func newStatus(w io.Writer, terminal bool) *status {
	return &status{w: w, terminal: terminal, next: lineEvery}
}

func (s *status) show(p search.Progress) {
	if p.Phase == check.Reporting {
		s.clear()
		return
	}
	s.tell(p.Elapsed, progressLine(p))
}

// tell says how something gets on that has been going on for so long.
func (s *status) tell(elapsed time.Duration, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.terminal:
		fmt.Fprintf(s.w, "\r\x1b[K%s", text)
		s.shown = true
	case elapsed >= s.next:
		fmt.Fprintln(s.w, text)
		s.next = elapsed.Truncate(lineEvery) + lineEvery
	}
}

// clear takes the line away.
func (s *status) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.shown = false
	}
}

func progressLine(p search.Progress) string {
	text := fmt.Sprintf("%4ds  %s", int(p.Elapsed.Seconds()), p.Phase)
	if p.Depth > 0 {
		text += fmt.Sprintf("  depth %d", p.Depth)
	}
	return text + fmt.Sprintf("  %s paths  %s states  %s events",
		grouped(p.Paths), grouped(p.States), grouped(p.Events))
}

// grouped writes n with a comma between groups of three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
