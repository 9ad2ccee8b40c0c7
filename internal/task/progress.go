package task

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// Status shows the progress of long work: on a terminal as one line that is overwritten, elsewhere as a line at
// intervals.
type Status struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	next     time.Duration // the time of the next line, off a terminal
	shown    bool          // a line is on the terminal
	pace     pace
}

// lineEvery is the interval between lines if the output is not a terminal.
const lineEvery = 10 * time.Second

// NewStatus returns a Status that writes to w.
func NewStatus(w io.Writer, terminal bool) *Status {
	return &Status{w: w, terminal: terminal, next: lineEvery}
}

// Show shows the progress of a search.
func (s *Status) Show(p search.Progress) {
	if p.Phase == isolate.Reporting {
		s.Clear()
		return
	}
	s.Tell(p.Elapsed, progressLine(p)+s.pace.text(p))
}

// Tell shows the progress of work after the given time.
func (s *Status) Tell(elapsed time.Duration, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.terminal:
		fmt.Fprintf(s.w, "\r\x1b[K\x1b[?7l%s\x1b[?7h", text) // the terminal cuts a wide line, so that it stays one line
		s.shown = true
	case elapsed >= s.next:
		fmt.Fprintln(s.w, text)
		s.next = elapsed.Truncate(lineEvery) + lineEvery
	}
}

// Write writes lasting text in place of the line.
func (s *Status) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	return s.w.Write(text)
}

// Clear removes the line.
func (s *Status) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
}

func (s *Status) clear() {
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
		textfmt.Number(p.Paths), textfmt.Number(p.States), textfmt.Number(p.Events))
}

// pace is the speed at which a search visits states.
type pace struct {
	from  search.Progress
	found float64 // states per second
}

// paceEvery is the minimum interval of a measurement.
const paceEvery = 2 * time.Second

// text describes the waiting states and the speed.
func (m *pace) text(p search.Progress) string {
	if p.Waiting == 0 {
		return ""
	}
	if took := p.Elapsed - m.from.Elapsed; took >= paceEvery {
		m.found = float64(p.States-m.from.States) / took.Seconds()
		m.from = p
	}
	text := fmt.Sprintf("  %s waiting", textfmt.Number(p.Waiting))
	if m.found > 0 {
		text += fmt.Sprintf("  %s states/s", textfmt.Number(int(m.found)))
	}
	return text
}

// Long shows the text while work is in progress that may take a minute. Off a terminal it is a line, see [AnnounceLong].
func (s *Status) Long(text string) (done func()) {
	if s.Tell(0, text); s.terminal {
		return s.Clear
	}
	return AnnounceLong(s.w, text)
}

// AnnounceLong writes a line about work that may take a minute, unless the work is done within a few seconds.
func AnnounceLong(w io.Writer, text string) (done func()) {
	const patience = 3 * time.Second
	timer := time.AfterFunc(patience, func() { fmt.Fprintln(w, "macemc:", text) })
	return func() { timer.Stop() }
}
