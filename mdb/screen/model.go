// Package screen draws a debugging session on a terminal. The [Model] knows nothing of terminals: keys go in,
// frames come out, and tests read both as text.
package screen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/macemc/macemc/mdb"
)

// The smallest screen that shows something useful.
const (
	MinWidth  = 60
	MinHeight = 16
)

// Key is a key that was pressed: a character, or one of the names below.
type Key struct {
	Name string
	Rune rune // when Name is ""
}

// Names of keys.
const (
	Up, Down, Left, Right            = "up", "down", "left", "right"
	PageUp, PageDown, Home, End      = "pgup", "pgdn", "home", "end"
	Enter, Escape, Tab, Backtab      = "enter", "esc", "tab", "backtab"
	Backspace, Delete, Stop, Kill    = "backspace", "delete", "ctrl-c", "ctrl-u"
	LineStart, LineEnd, Redraw, Word = "ctrl-a", "ctrl-e", "ctrl-l", "ctrl-w"
)

// pane is a part of the screen that can have the focus.
type pane int

const (
	stepsPane pane = iota
	statePane
	lowerPane
	panes
)

// lower is what the lower pane shows.
type lower int

const (
	showGraph lower = iota
	showDiff
	showOutput
	showHelp
)

// Model is the state of the screen.
type Model struct {
	session       *mdb.Session
	width, height int

	focus   pane
	lower   lower
	before  lower // what was shown before the help
	scrolls [4]int
	state   int // first line of the state pane
	output  []string
	message string
	failed  bool // message is an error

	typing  bool
	line    []rune
	cursor  int
	history []string
	recall  int // of history; len: the line that is being typed
	draft   []rune
	offers  []string // of completion

	busy  string // the command that is being executed; "": none
	ahead []Key  // pressed meanwhile

	stopping bool // it was told to stop
	quit     bool
	shown    content
	cancel   context.CancelFunc
}

// content is what a session has to show at present.
type content struct {
	at    mdb.Position
	steps []mdb.StepLine
	state []mdb.StateLine
	lanes []mdb.LaneLine
	diff  []string
	about string
	err   error
}

// Done is the end of a command that was executed in the background.
type Done struct {
	Line   string
	Output string
	Err    error
}

// New returns the model of a session, at its start. Text is shown in the lower pane first; "": the graph is.
func New(s *mdb.Session, text string) *Model {
	m := &Model{session: s, message: "? shows help, : begins a command, q quits"}
	if text != "" {
		m.output, m.lower = lines(text), showOutput
	}
	return m
}

func lines(text string) []string {
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// Resize sets the size of the screen.
func (m *Model) Resize(width, height int) {
	m.width, m.height = width, height
	m.refresh()
}

// Quit reports whether the session is over.
func (m *Model) Quit() bool { return m.quit }

// Busy reports whether a command is being executed.
func (m *Model) Busy() bool { return m.busy != "" }

// Press handles a key. When a command is to be executed it returns the function that does so, which may take
// long and must be the only one that runs; its result goes to [Model.Finish].
func (m *Model) Press(k Key) func(context.Context) Done {
	if m.busy != "" {
		if k.Name == Stop || k.Name == Escape {
			if m.stopping { // a handler that never returns cannot be stopped
				m.quit = k.Name == Stop
				return nil
			}
			m.stopping = true
			m.message, m.failed = "stopping "+m.busy+"; Ctrl-C once more gives up", false
			if m.cancel != nil {
				m.cancel()
			}
			m.ahead = nil
			return nil
		}
		m.ahead = append(m.ahead, k)
		return nil
	}
	if m.tooSmall() {
		if k.Name == Stop || k.Rune == 'q' {
			m.quit = true
		}
		return nil
	}
	if m.typing {
		return m.edit(k)
	}
	m.message, m.failed = "", false
	if k.Rune == ':' || k.Name == Enter {
		m.typing, m.line, m.cursor, m.recall = true, nil, 0, len(m.history)
		return nil
	}
	if k.Rune == '/' {
		m.typing, m.line, m.recall = true, []rune("find event "), len(m.history)
		m.cursor = len(m.line)
		return nil
	}
	if line := m.move(k); line != "" {
		return m.execute(line)
	}
	m.refresh()
	return nil
}

// OnBusy sets what stops a command that is being executed.
func (m *Model) OnBusy(cancel context.CancelFunc) { m.cancel = cancel }

// move handles a key that is not typed into the command line. The result is a command to execute.
func (m *Model) move(k Key) string {
	p := m.session.Position()
	if m.lower == showHelp && (k.Name == Escape || k.Rune == '?' || k.Rune == 'q') {
		m.lower = m.before
		return ""
	}
	switch k.Rune {
	case 'q':
		m.quit = true
	case '?':
		m.before, m.lower, m.scrolls[showHelp] = m.lower, showHelp, 0
		m.focus = lowerPane
	case 'g':
		m.lower = showGraph
	case 'd':
		m.lower = showDiff
	case 'o':
		m.lower = showOutput
	case 'j', 'n':
		m.stepBy(1, -1)
	case 'k', 'p':
		m.stepBy(-1, -1)
	case 'N':
		m.stepBy(1, p.Node)
	case 'P':
		m.stepBy(-1, p.Node)
	case 'c':
		return "critical"
	case 'r':
		return "again"
	case 'w':
		return "why"
	case 'x':
		m.session.Select(-1)
		m.state = 0
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		m.session.Select(int(k.Rune - '0'))
		m.state = 0
	}
	page := max(1, m.height/3)
	switch k.Name {
	case Stop:
		m.quit = true
	case Tab:
		m.focus = (m.focus + 1) % panes
	case Backtab:
		m.focus = (m.focus + panes - 1) % panes
	case Left:
		m.stepBy(-1, p.Node)
	case Right:
		m.stepBy(1, p.Node)
	case Up:
		m.scroll(-1)
	case Down:
		m.scroll(1)
	case PageUp:
		m.scroll(-page)
	case PageDown:
		m.scroll(page)
	case Home:
		m.scroll(-p.Last)
	case End:
		m.scroll(p.Last)
	}
	return ""
}

// stepBy goes to the next step of a node in a direction; -1: of any.
func (m *Model) stepBy(direction, node int) {
	n, ok := m.session.Neighbour(direction, node)
	if !ok {
		m.message = "no step there"
		return
	}
	m.session.Go(n)
}

// scroll moves what has the focus.
func (m *Model) scroll(by int) {
	switch m.focus {
	case stepsPane:
		m.session.Go(m.session.Position().Step + by)
	case statePane:
		m.state = max(0, min(m.state+by, len(m.shown.state)-1))
	case lowerPane:
		if m.lower == showGraph {
			m.session.Go(m.session.Position().Step + by)
			return
		}
		m.scrolls[m.lower] = max(0, min(m.scrolls[m.lower]+by, len(m.text())-1))
	}
}

// text is what the lower pane shows, when that is text.
func (m *Model) text() []string {
	switch m.lower {
	case showDiff:
		return m.shown.diff
	case showHelp:
		return append(lines(keyHelp), m.helpText()...)
	}
	return m.output
}

const keyHelp = `Keys
  up down, j k      previous, next step (or scroll the pane in focus)
  left right, P N   previous, next step of the selected node
  PgUp PgDn Home End
  0..9, x           select a node, none
  Tab               next pane
  c                 the critical transition
  g d o             below: event graph, difference from the live run, output
  w                 what caused this step
  /                 find an event;  r: again
  :                 a command; Tab completes, up and down recall
  ? q               help, quit
Commands
`

func (m *Model) helpText() []string {
	var b bytes.Buffer
	if err := m.session.Do(context.Background(), "help", &b); err != nil {
		return []string{err.Error()}
	}
	return lines(b.String())
}

// edit handles a key in the command line.
func (m *Model) edit(k Key) func(context.Context) Done {
	if k.Name != Tab {
		m.offers = nil
	}
	m.message, m.failed = "", false
	switch k.Name {
	case "":
		m.line = append(m.line[:m.cursor:m.cursor], append([]rune{k.Rune}, m.line[m.cursor:]...)...)
		m.cursor++
	case Escape, Stop:
		m.typing = false
	case Enter:
		m.typing = false
		if line := strings.TrimSpace(string(m.line)); line != "" {
			if n := len(m.history); n == 0 || m.history[n-1] != line {
				m.history = append(m.history, line)
			}
			return m.execute(line)
		}
	case Backspace:
		if m.cursor == 0 && len(m.line) == 0 {
			m.typing = false
		} else if m.cursor > 0 {
			m.line = append(m.line[:m.cursor-1:m.cursor-1], m.line[m.cursor:]...)
			m.cursor--
		}
	case Delete:
		if m.cursor < len(m.line) {
			m.line = append(m.line[:m.cursor:m.cursor], m.line[m.cursor+1:]...)
		}
	case Left:
		m.cursor = max(0, m.cursor-1)
	case Right:
		m.cursor = min(len(m.line), m.cursor+1)
	case Home, LineStart:
		m.cursor = 0
	case End, LineEnd:
		m.cursor = len(m.line)
	case Kill:
		m.line, m.cursor = m.line[m.cursor:], 0
	case Word:
		at := strings.LastIndexByte(strings.TrimRight(string(m.line[:m.cursor]), " "), ' ') + 1
		m.line, m.cursor = append(m.line[:at:at], m.line[m.cursor:]...), at
	case Up:
		m.remember(-1)
	case Down:
		m.remember(1)
	case Tab:
		m.complete()
	}
	return nil
}

// remember recalls an earlier line.
func (m *Model) remember(by int) {
	to := m.recall + by
	if to < 0 || to > len(m.history) {
		return
	}
	if m.recall == len(m.history) {
		m.draft = m.line
	}
	if m.recall = to; to == len(m.history) {
		m.line = m.draft
	} else {
		m.line = []rune(m.history[to])
	}
	m.cursor = len(m.line)
}

// complete completes the word at the cursor as far as it is the same for all that it may become.
func (m *Model) complete() {
	head, tail := string(m.line[:m.cursor]), m.line[m.cursor:]
	words, begin := m.session.Complete(head)
	if len(words) == 0 {
		m.offers, m.message = nil, "nothing to complete"
		return
	}
	same := words[0]
	for _, w := range words {
		for !strings.HasPrefix(w, same) {
			same = same[:len(same)-1]
		}
	}
	if len(words) == 1 && len(tail) == 0 && !strings.HasSuffix(same, "=") {
		same += " "
	}
	if len(words) > 1 {
		m.offers = words
	}
	head = head[:begin] + same
	m.line, m.cursor = append([]rune(head), tail...), len([]rune(head))
}

// execute begins a command.
func (m *Model) execute(line string) func(context.Context) Done {
	m.busy = line
	return func(ctx context.Context) Done {
		var b bytes.Buffer
		err := m.session.Do(ctx, line, &b)
		return Done{line, b.String(), err}
	}
}

// Finish shows what a command said, and handles the keys that were pressed meanwhile. The result is as that
// of [Model.Press].
func (m *Model) Finish(d Done) func(context.Context) Done {
	at := m.shown.at
	m.busy, m.cancel, m.stopping = "", nil, false
	switch {
	case errors.Is(d.Err, mdb.ErrQuit):
		m.quit = true
		return nil
	case errors.Is(d.Err, context.Canceled):
		m.message, m.failed = d.Line+" was stopped", true
	case d.Err != nil:
		m.message, m.failed = d.Err.Error(), true
	}
	if d.Output != "" {
		m.output, m.scrolls[showOutput] = append([]string{": " + d.Line}, lines(d.Output)...), 0
	}
	switch now := m.session.Position(); {
	case now.Step != at.Step || now.Run != at.Run: // the other panes show what the command said
		if m.lower == showOutput {
			m.lower = showGraph
		}
		m.focus = stepsPane
	case d.Output != "":
		m.lower, m.focus = showOutput, lowerPane
	}
	m.refresh()
	for len(m.ahead) > 0 && !m.quit {
		k := m.ahead[0]
		m.ahead = m.ahead[1:]
		if command := m.Press(k); command != nil {
			return command
		}
	}
	return nil
}

func (m *Model) tooSmall() bool { return m.width < MinWidth || m.height < MinHeight }

// refresh asks the session for what is to be shown.
func (m *Model) refresh() {
	if m.busy != "" || m.tooSmall() {
		return
	}
	l := m.layout()
	var c content
	c.at = m.session.Position()
	half := l.steps.h / 2
	from := max(0, min(c.at.Step-half, c.at.Last-l.steps.h+2))
	c.steps = m.session.Steps(from, from+l.steps.h)
	c.about = m.session.Summary()
	var err error
	if c.state, err = m.session.States(); err != nil {
		c.err = err
	}
	if m.lower == showGraph || l.second.w > 0 {
		reach := l.lower.h
		if c.lanes, err = m.session.Lanes(c.at.Step-reach, c.at.Step+reach, l.lower.w); err != nil {
			c.err = err
		}
	}
	if m.lower == showDiff || l.second.w > 0 {
		if c.diff, err = m.session.Differences(); err != nil {
			c.diff = []string{err.Error()}
		}
	}
	if old := m.shown.at; c.at.Step != old.Step || c.at.Run != old.Run {
		m.state = inSight(c, l.state.h-1)
	}
	m.state = max(0, min(m.state, len(c.state)-1))
	m.shown = c
	if c.err != nil {
		m.message, m.failed = c.err.Error(), true
	}
}

// inSight is the first line of the state pane, of some height, with which what the step changed is seen,
// or else the node of the step.
func inSight(c content, height int) int {
	node, first := -1, 0
	for _, s := range c.steps {
		if s.Step == c.at.Step {
			node = s.Node
		}
	}
	for i, l := range c.state {
		switch {
		case l.Path == "" && l.Node == node:
			first = i
		case l.Path != "" && l.Changed:
			if i-first >= height {
				return i - 1 // whose place the node's name takes
			}
			return first
		}
	}
	return first
}

// heading is the first line of the screen.
func (m *Model) heading() string {
	p := m.shown.at
	text := fmt.Sprintf(" mdb  %s  %s  step %d of %d", p.System, p.Run, p.Step, p.Last)
	if p.Node >= 0 {
		text += fmt.Sprintf("  n%d selected", p.Node)
	}
	switch {
	case p.Critical > 0 && p.Step == p.Critical:
		text += "  CRITICAL"
	case p.Critical > 0:
		text += fmt.Sprintf("  critical: %d", p.Critical)
	}
	if p.Live {
		text += "  live"
	} else {
		text += "  not live"
	}
	return text
}
