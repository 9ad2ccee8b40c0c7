// Package screen draws a debugging session on a terminal. The [Model] does not depend on a terminal: its input is keys and its output is
// frames, so that tests can use text for both.
package screen

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/macemc/macemc/mdb"
)

// Size of the smallest usable screen.
const (
	MinWidth  = 60
	MinHeight = 16
)

// Key is a pressed key: a character, or one of the names below.
type Key struct {
	Name string
	Rune rune // if Name is empty
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

// lower selects the content of the lower pane.
type lower int

const (
	showGraph lower = iota
	showDiff
	showOutput
	showHelp
	showSource
)

// Model is the state of the screen.
type Model struct {
	session       mdb.Debugger
	width, height int

	focus   pane
	lower   lower
	before  lower // content before the help
	scrolls [5]int
	state   int // first line of the state pane
	output  []string
	message string
	failed  bool // whether message is an error

	entry   commandLine
	running running

	quit  bool
	shown mdb.View
}

// running is the command in execution.
type running struct {
	line     string // "" means none
	ahead    []Key  // keys pressed meanwhile
	stopping bool   // whether it was canceled
	cancel   context.CancelFunc
}

// Done is the result of a command that was executed in the background.
type Done struct {
	Line   string
	Output string
	Err    error
}

// New returns a model of a session, at its current step, with the graph in the lower pane. text is the initial output.
func New(s mdb.Debugger, text string) *Model {
	m := &Model{session: s}
	if text != "" {
		m.output = lines(text)
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

// Press handles a key. If a command is to be executed, it returns a function that executes it. The function may take long and must not run
// concurrently with another one. Its result must be passed to [Model.Finish].
func (m *Model) Press(k Key) func(context.Context) Done {
	if m.running.line != "" {
		if k.Name == Stop || k.Name == Escape {
			if m.running.stopping { // a handler that never returns cannot be canceled
				m.quit = k.Name == Stop
				return nil
			}
			m.running.stopping = true
			m.message, m.failed = "stopping "+m.running.line+"; Ctrl-C once more gives up", false
			if m.running.cancel != nil {
				m.running.cancel()
			}
			m.running.ahead = nil
			return nil
		}
		m.running.ahead = append(m.running.ahead, k)
		return nil
	}
	if m.tooSmall() {
		if k.Name == Stop || k.Rune == 'q' {
			m.quit = true
		}
		return nil
	}
	if m.entry.typing {
		if line := m.typeIn(k); line != "" {
			return m.execute(line)
		}
		return nil
	}
	m.message, m.failed = "", false
	if k.Rune != 'q' && k.Name != Stop {
		m.session.Stay()
	}
	if k.Rune == ':' || k.Name == Enter {
		m.entry.open("")
		return nil
	}
	if k.Rune == '/' {
		m.entry.open("find event ")
		return nil
	}
	if line := m.move(k); line != "" {
		return m.execute(line)
	}
	m.refresh()
	return nil
}

// OnBusy sets the function that cancels the current command.
func (m *Model) OnBusy(cancel context.CancelFunc) { m.running.cancel = cancel }

// move handles a key outside the command line. The result is a command to execute, or "".
func (m *Model) move(k Key) string {
	p := m.session.Position()
	if m.lower == showHelp && (k.Name == Escape || k.Rune == '?' || k.Rune == 'q') {
		m.lower = m.before
		return ""
	}
	switch k.Rune {
	case 'q':
		m.leave()
	case '?':
		m.before, m.lower, m.scrolls[showHelp] = m.lower, showHelp, 0
		m.focus = lowerPane
	case 'g':
		m.lower = showGraph
	case 'd':
		m.lower = showDiff
	case 'o':
		m.lower = showOutput
	case 's':
		m.lower = showSource
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
		node := int(k.Rune - '0')
		if p.Goroutines {
			node--
		}
		m.session.Select(node)
		m.state = 0
	}
	page := max(1, m.height/3)
	switch k.Name {
	case Stop:
		m.leave()
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

// leave quits, or first shows the branches that would be lost.
func (m *Model) leave() {
	if err := m.session.Quit(); errors.Is(err, mdb.ErrQuit) {
		m.quit = true
	} else {
		m.message, m.failed = err.Error(), true
	}
}

// stepBy moves to the next step of a node in a direction; node -1 means any.
func (m *Model) stepBy(direction, node int) {
	n, ok := m.session.Neighbour(direction, node)
	if !ok {
		m.message = "no step there"
		return
	}
	m.session.Go(n)
}

// scroll scrolls the pane with the focus.
func (m *Model) scroll(by int) {
	switch m.focus {
	case stepsPane:
		m.session.Go(m.session.Position().Step + by)
	case statePane:
		m.state = max(0, min(m.state+by, len(m.shown.States)-1))
	case lowerPane:
		if m.lower == showGraph {
			m.session.Go(m.session.Position().Step + by)
			return
		}
		m.scrolls[m.lower] = max(0, min(m.scrolls[m.lower]+by, len(m.text())-1))
	}
}

// text returns the content of the lower pane if that is text.
func (m *Model) text() []string {
	switch m.lower {
	case showDiff:
		return m.shown.Differences
	case showHelp:
		return append(lines(keyHelp), m.helpText()...)
	case showSource:
		return m.shown.Source
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
  g d s o           below: event graph, difference from the live run, source, output
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

// Finish shows the output of a command, and handles the keys that were pressed meanwhile. Its result has the meaning of that of
// [Model.Press].
func (m *Model) Finish(d Done) func(context.Context) Done {
	at := m.shown.At
	m.running = running{ahead: m.running.ahead}
	switch {
	case errors.Is(d.Err, mdb.ErrQuit):
		m.quit = true
		return nil
	case errors.Is(d.Err, context.Canceled):
		m.message, m.failed = d.Line+" was stopped", true
	case d.Err != nil:
		m.message, m.failed = d.Err.Error(), true
		d.Output += "error: " + d.Err.Error()
	}
	if d.Output != "" {
		m.output, m.scrolls[showOutput] = append([]string{": " + d.Line}, lines(d.Output)...), 0
	}
	switch now := m.session.Position(); {
	case now.Step != at.Step || now.Run != at.Run: // the other panes show the result
		if m.lower == showOutput {
			m.lower = showGraph
		}
		m.focus = stepsPane
	case d.Output != "":
		m.lower, m.focus = showOutput, lowerPane
	}
	m.refresh()
	for len(m.running.ahead) > 0 && !m.quit {
		k := m.running.ahead[0]
		m.running.ahead = m.running.ahead[1:]
		if command := m.Press(k); command != nil {
			return command
		}
	}
	return nil
}

func (m *Model) tooSmall() bool { return m.width < MinWidth || m.height < MinHeight }
