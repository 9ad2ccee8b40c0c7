package kernel_test

import (
	"fmt"
	"log/slog"
	"path"
	"runtime"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// logger logs in the ways that there are.
type logger struct {
	sim.Nop
	line int `macemc:"-"`
}

type hidden string

func (hidden) LogValue() slog.Value { return slog.StringValue("***") }

func (l *logger) Boot(env sim.Env) {
	log := env.Log().With("a", 1).WithGroup("g").With("b", 2)
	_, _, l.line, _ = runtime.Caller(0)
	log.Warn("slow", "c", hidden("secret"))
	helper(log)
	log.WithGroup("").Info("done", slog.Group("h", "d", 4), slog.Group("", "e", 5))
}

func helper(log *slog.Logger) { log.Info("called") }

// Log lines are effects: a key has the groups that were open when it was given, values are resolved, and the
// line is that of the call.
func TestLogLines(t *testing.T) {
	service := &logger{}
	w, err := kernel.NewWorld(&sim.System{Name: "logger", Nodes: 1, New: func(sim.NodeID) sim.Service { return service }},
		kernel.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range w.Last().Effects {
		got = append(got, e.Text+" "+path.Base(e.From))
	}
	want := []string{
		fmt.Sprintf("WARN slow a=1 g.b=2 g.c=*** tracing_test.go:%d", service.line+1),
		fmt.Sprintf("called a=1 g.b=2 tracing_test.go:%d", service.line+6),
		fmt.Sprintf("done a=1 g.b=2 g.h.d=4 g.e=5 tracing_test.go:%d", service.line+3),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
