package screen_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/cmd/macemc/internal/bundled"
	"github.com/macemc/macemc/cmd/macemc/internal/screen"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
)

func session(t *testing.T) *mdb.Session {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "..", "mdb", "testdata", "rt13")
	file := filepath.Join(folder, "error.path")
	l, err := check.Load(t.Context(), bundled.Systems(), file, -1, nil)
	if err != nil {
		t.Fatal(err)
	}
	live, err := check.LoadFor(t.Context(), filepath.Join(folder, "live.path"), &l.System, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mdb.Open(mdb.Config{
		System: &l.System, Header: l.Header, Path: l.Path, Live: live.Path, CriticalTransition: mdb.ReadCriticalTransition(file),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// press presses keys: single characters, or names between angle brackets. Commands are executed at once.
func press(t *testing.T, m *screen.Model, keys string) string {
	t.Helper()
	for keys != "" {
		k := screen.Key{Rune: []rune(keys)[0]}
		rest := string([]rune(keys)[1:])
		if k.Rune == '<' {
			if name, after, ok := strings.Cut(rest, ">"); ok && !strings.Contains(name, " ") {
				k, rest = screen.Key{Name: name}, after
			}
		}
		keys = rest
		for command := m.Press(k); command != nil; {
			command = m.Finish(command(t.Context()))
		}
	}
	return m.View().String()
}

func contains(t *testing.T, view string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(view, w) {
			t.Errorf("%q is missing in\n%s", w, view)
		}
	}
}

func TestView(t *testing.T) {
	m := screen.New(session(t), "")
	m.Resize(80, 24)
	golden.Compare(t, "critical-80x24.txt", []byte(press(t, m, "c")))
	golden.Compare(t, "diff-80x24.txt", []byte(press(t, m, "d")))
	golden.Compare(t, "help-80x24.txt", []byte(press(t, m, "?")))
	press(t, m, "?g")
	m.Resize(160, 50)
	golden.Compare(t, "critical-160x50.txt", []byte(m.View().String()))
}

// The current step, the critical step and changes have styles in addition to marks.
func TestStyles(t *testing.T) {
	m := screen.New(session(t), "")
	m.Resize(80, 24)
	press(t, m, "c")
	count := func() map[screen.Style]int {
		n := map[screen.Style]int{}
		for _, c := range m.View().Cells {
			n[c.Style]++
		}
		return n
	}
	if n := count(); n[screen.Current] < 36 || n[screen.Changed] > 0 {
		t.Errorf("at the critical step, which changes nothing: %v", n)
	}
	press(t, m, "jj") // n1 joinOverlay, which changes the node's state
	if n := count(); n[screen.Critical] < 30 || n[screen.Changed] < 20 {
		t.Errorf("two steps on: %v", n)
	}
}

func TestKeys(t *testing.T) {
	m := screen.New(session(t), "")
	m.Resize(80, 24)
	contains(t, press(t, m, "jjj"), "step 3 of 40", "@   3 ")
	contains(t, press(t, m, "k<up>"), "step 1 of 40")
	contains(t, press(t, m, "<end>"), "step 40 of 40")
	contains(t, press(t, m, "j"), "no step there")
	contains(t, press(t, m, "<home>"), "step 0 of 40")
	contains(t, press(t, m, "1N"), "n1 selected", "state of n1", "step 3 of 40")
	contains(t, press(t, m, "x<tab><tab>o"), "output")
	contains(t, press(t, m, ":find event /crashes/<enter>"), "step 16 of 40")
	contains(t, press(t, m, ":prop<tab><enter>"), "output", "eventually does not hold")
	failed := press(t, m, ":fly<enter>")
	contains(t, failed, "output", `error: unknown command "fly"`)
	if strings.Contains(failed, "eventually does not hold") {
		t.Errorf("an error stands beside what was said before:\n%s", failed)
	}
	contains(t, press(t, m, ":<up><up>"), ":properties")
	contains(t, press(t, m, "<esc>:r<tab>"), "rfind  run  runs")
	contains(t, press(t, m, "<esc>:goto 12x<backspace><left><left><delete><delete>20<enter>"), "step 20 of 40")
	contains(t, press(t, m, "w"), "was sent by n0 in")
	if press(t, m, "q"); !m.Quit() {
		t.Error("q does not quit")
	}
}

// The cursor position in a word counts characters, not bytes.
func TestWords(t *testing.T) {
	m := screen.New(session(t), "")
	m.Resize(80, 24)
	for _, c := range []struct{ keys, want string }{
		{":find event é é é<ctrl-w><ctrl-w>x", ":find event é x\n"},
		{":ééééé éé  <left><ctrl-w>x", ":ééééé x\n"},
		{":ééé<ctrl-w>x", ":x\n"},
		{":<ctrl-w>x", ":x\n"},
	} {
		contains(t, press(t, m, c.keys), c.want)
		press(t, m, "<esc>")
	}
}

// A command that does not react to its cancellation is abandoned.
func TestGivingUp(t *testing.T) {
	m := screen.New(session(t), "")
	m.Resize(80, 24)
	press(t, m, ":next")
	if m.Press(screen.Key{Name: screen.Enter}) == nil {
		t.Fatal("no command is being executed")
	}
	stopped := false
	m.OnBusy(func() { stopped = true })
	m.Press(screen.Key{Rune: 'q'}) // waits for its turn
	m.Press(screen.Key{Name: screen.Stop})
	contains(t, m.View().String(), "stopping next")
	if !stopped || m.Quit() {
		t.Errorf("stopped: %v, given up: %v", stopped, m.Quit())
	}
	if m.Press(screen.Key{Name: screen.Stop}); !m.Quit() {
		t.Error("it is not given up")
	}
}

// A recorded test has goroutines, which are numbered from 1.
func TestGoroutines(t *testing.T) {
	step := func(n, node int, status string) replay.TraceStep {
		return replay.TraceStep{Number: n, Node: node, What: "locks #1", Key: status, Event: netmodel.Event{Kind: eventkind.DoAction, Node: sim.NodeID(node), Peer: -1},
			Changes: []replay.NodeChange{{Node: node, Path: history.PathStatus, New: status}}}
	}
	trace := func(second string) *replay.Trace {
		return &replay.Trace{System: "TestX", Goroutines: true, Nodes: 2, Names: []string{"TestX", "f"}, Steps: []replay.TraceStep{step(1, 0, "runs"), step(2, 1, second)}}
	}
	s, err := mdb.Open(mdb.Config{Trace: trace("waits to lock a Mutex"), LiveTrace: trace("ended")})
	if err != nil {
		t.Fatal(err)
	}
	m := screen.New(s, "")
	m.Resize(120, 40)
	view := press(t, m, "2Nd")
	contains(t, view, "step 2 of 2  g2 selected", "state of g2", "status  waits to lock a Mutex", "difference from the passing run", "g2  waits to lock a Mutex | ended")
	if strings.Contains(view, "live") {
		t.Errorf("states of a test are not live:\n%s", view)
	}
}

// Steps of an infinite cycle are marked in the list.
func TestRound(t *testing.T) {
	idles := machine.Define[struct{}]("idler", machine.In("idle", machine.Null(func(*struct{}, *machine.Ctx) {})))
	var ms machine.System
	ms.Add(idles, struct{}{})
	sys := ms.Sim("idle")
	for round, want := range map[int]string{1: "@o+1 n0 internal step", 0: "@ +1 n0 internal step"} {
		s, err := mdb.Open(mdb.Config{System: &sys, Header: pathfile.Header{Endless: true, Round: round}, Path: choose.Path{0}})
		if err != nil {
			t.Fatal(err)
		}
		m := screen.New(s, "")
		m.Resize(100, 30)
		contains(t, press(t, m, "j"), want)
	}
}

func TestSizes(t *testing.T) {
	m := screen.New(session(t), "")
	m.Resize(30, 10)
	contains(t, m.View().String(), "30x10 is too small", "60x16 is needed")
	if press(t, m, "jc"); m.Quit() {
		t.Error("a key quits")
	}
	for _, size := range [][2]int{{60, 16}, {80, 24}, {81, 25}, {149, 30}, {150, 30}, {300, 100}, {1, 1}, {80, 24}} {
		m.Resize(size[0], size[1])
		f := m.View()
		if f.Width != size[0] || len(f.Cells) != size[0]*size[1] {
			t.Errorf("%v: %d cells", size, len(f.Cells))
		}
		press(t, m, "jcgd<tab>o?")
		press(t, m, "?")
	}
}

// The loop draws on a screen, handles keys and changes of size, and ends at q.
func TestLoop(t *testing.T) {
	for _, noColor := range []bool{false, true} {
		sim := tcell.NewSimulationScreen("")
		if err := sim.Init(); err != nil {
			t.Fatal(err)
		}
		sim.SetSize(80, 24)
		ended := make(chan error, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		m := screen.New(session(t), "")
		go func() { ended <- screen.Loop(ctx, m, sim, screen.Options{NoColor: noColor}) }()
		for _, r := range ":goto 7" {
			sim.InjectKey(tcell.KeyRune, r, tcell.ModNone)
			time.Sleep(5 * time.Millisecond) // unread events are few
		}
		sim.InjectKey(tcell.KeyEnter, 0, tcell.ModNone)
		sim.InjectKey(tcell.KeyRune, 'q', tcell.ModNone)
		if err := <-ended; err != nil || ctx.Err() != nil {
			t.Errorf("%v, %v", err, ctx.Err())
		}
		cancel()
		cells, w, h := sim.GetContents()
		shown := ""
		for i := range w * h {
			shown += string(cells[i].Runes)
		}
		contains(t, shown, "event graph", "n0")
		contains(t, m.View().String(), "step 7 of 40") // keys are handled in order, whatever is going on
		sim.Fini()
	}
}
