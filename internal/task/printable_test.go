package task

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// colorful sends, draws, logs and asserts what a terminal would obey.
type colorful struct {
	sim.Nop
	Text string
}

const beep = "\x1b[2J\a\u009b31m\xff"

func (c *colorful) act(env sim.Env) {
	n := env.Choose("draw "+beep, 3)
	c.Text = fmt.Sprint(beep, n)
	env.Log().Info("draw " + beep)
	env.Assert(n < 2, "draw %d %s", n, beep)
}

// What a checked system puts into texts reaches neither terminal nor documents as control characters or broken UTF-8.
func TestTasks_PrintableTexts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var out bytes.Buffer
	p := &Process{Program: "macemc", Stdout: &out, Stderr: &out, Front: testFront(nil), Systems: []spec.Entry{{
		Name: "colorful", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
		Build: func(spec.Config) (sim.System, error) {
			return sim.System{
				Name: "colorful", Nodes: 1, New: func(sim.NodeID) sim.Service { return &colorful{} },
				Actions: []sim.AnyAction{sim.Action[*colorful]{Name: "act", Do: (*colorful).act}},
			}, nil
		},
	}}}
	printable := func(what string, text []byte) {
		t.Helper()
		at := bytes.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
		if at >= 0 || !utf8.Valid(text) || !bytes.Contains(text, []byte("act")) {
			t.Errorf("%s: control character at %d, or bad text: %q", what, at, text)
		}
	}
	do := func(what string, task Task, want int) {
		t.Helper()
		out.Reset()
		if got := p.End(t.Context(), task.Do(t.Context(), p)); got != want {
			t.Errorf("%s: exit status %d, want %d: %s", what, got, want, &out)
		}
		printable(what, out.Bytes())
	}
	do("search", &Search{Subject: Subject{System: "colorful"}, Walks: 20, Seed: 1, Out: dir}, 1)
	for _, name := range []string{"error.path", "report.md", "report.html"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		printable(name, text)
	}
	file := filepath.Join(dir, "error.path")
	do("replay", &Replay{File: file, To: -1}, 1)
	do("mdb --batch", &Debug{File: file, Batch: true, Execute: []string{"info", "end", "choices", "graph", "steps"}}, 0)
	for _, format := range eventgraph.Formats().Names() {
		if format != "json" {
			do("graph "+format, &Graph{File: file, Format: format, Notes: true}, 0)
		}
	}
}
