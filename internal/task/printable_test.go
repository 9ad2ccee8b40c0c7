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
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// colorful sends, draws, logs and asserts texts with control characters.
type colorful struct {
	sim.Nop
	Text string
	Acts int
}

const beep = "\x1b[2J\a\u009b31m\u202e\xff"

func (c *colorful) act(env sim.Env) {
	c.Acts++
	n := env.Choose("draw "+beep, 3)
	c.Text = fmt.Sprint(beep, n)
	env.Log().Info("draw " + beep)
	env.Assert(n < 2, "draw %d %s", n, beep)
}

// Texts of a checked system do not reach terminals or documents with control characters or broken UTF-8.
func TestTasks_PrintableTexts(t *testing.T) {
	t.Run("assertion", func(t *testing.T) { testPrintable(t, sim.Property{}) })
	t.Run("property", func(t *testing.T) {
		testPrintable(t, sim.Property{Name: "few " + beep, Always: sim.Each(func(_ sim.NodeID, c *colorful) bool { return c.Acts == 0 })})
	})
}

func testPrintable(t *testing.T, property sim.Property) {
	dir := filepath.Join(t.TempDir(), "out")
	var out bytes.Buffer
	p := &Process{Program: "macemc", Stdout: &out, Stderr: &out, Systems: []spec.Entry{{
		Name: "colorful", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
		Build: func(spec.Config) (sim.System, error) {
			sys := sim.System{
				Name: "colorful", Nodes: 1, New: func(sim.NodeID) sim.Service { return &colorful{} },
				Actions: []sim.AnyAction{sim.Action[*colorful]{Name: "act", Do: (*colorful).act}},
			}
			if property.Name != "" {
				sys.Properties = []sim.Property{property}
			}
			return sys, nil
		},
	}}}
	printable := func(what string, text []byte) {
		t.Helper()
		at := bytes.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u202e' })
		if at >= 0 || !utf8.Valid(text) || !bytes.Contains(text, []byte("act")) {
			t.Errorf("%s: control character at %d, or bad text: %q", what, at, text)
		}
	}
	do := func(what string, task Task, want int) {
		t.Helper()
		out.Reset()
		if got := p.ExitStatus(t.Context(), task.Do(t.Context(), p)); got != want {
			t.Errorf("%s: exit status %d, want %d: %s", what, got, want, &out)
		}
		printable(what, out.Bytes())
	}
	do("search", &Search{Subject: Subject{System: "colorful"}, Config: search.Config{Walks: 20, Seed: 1}, Out: dir}, 1)
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
	for _, format := range render.Formats().Names() {
		if format != "json" {
			do("report "+format, &Report{File: file, Format: format}, 0)
		}
	}
	for _, format := range eventgraph.Formats().Names() {
		if format != "json" && format != "jsonl" { // they are for programs
			do("graph "+format, &Graph{File: file, Format: format, Notes: true}, 0)
		}
	}
}
