package check_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// shown is a service that shows its state and messages by a function.
type shown struct{ N digit }

type digit int

func (*shown) Boot(sim.Env)       {}
func (*shown) Timer(sim.Env, any) {}
func (s *shown) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	s.N = max(s.N, msg.(digit))
}

func shows(show func(digit) string) sim.System {
	return sim.System{
		Name: "shown", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return &shown{} },
		State:      []sim.StateRule{sim.ShowBy(show)},
		Actions:    []sim.AnyAction{sim.Action[*shown]{Name: "send", Times: 2, Do: func(s *shown, env sim.Env) { env.Send(1, s.N+1+digit(env.Choose("more", 2))) }}},
		Properties: []sim.Property{{Name: "small", Always: sim.Each(func(_ sim.NodeID, s *shown) bool { return s.N < 2 })}},
	}
}

// A ShowBy function that panics or ends its goroutine does not change the findings and takes no time. The report
// mentions its failure in place of its text.
func TestShowByThatFails(t *testing.T) {
	for what, fail := range map[string]func(){
		"panicked":            func() { panic("not to be shown") },
		"ended its goroutine": runtime.Goexit,
	} {
		for _, strategy := range []search.Name{search.Deepening, search.BFS, search.DFS, search.Walk} {
			if testing.Short() && (what == "panicked") != (strategy == search.Deepening || strategy == search.DFS) {
				continue
			}
			t.Run(what+" "+string(strategy), func(t *testing.T) {
				o := testOptions(shows(func(digit) string { fail(); return "" }))
				o.Respawn = nil // it would build another system
				o.Search.Strategy, o.Search.Time, o.Dir = strategy, 20*time.Minute, filepath.Join(t.TempDir(), "out")
				began := time.Now()
				rep, err := check.Run(t.Context(), o)
				if err != nil || rep.Verdict != search.Violation || rep.Kind != sim.Safety || rep.Property != "small" {
					t.Fatalf("%v, %+v", err, rep)
				}
				if took := time.Since(began); took > time.Minute {
					t.Errorf("it took %v", took)
				}
				text, err := os.ReadFile(filepath.Join(o.Dir, "report.md"))
				if err != nil || !strings.Contains(string(text), what) {
					t.Errorf("%v: no %q in\n%s", err, what, text)
				}
			})
		}
	}
}

// A finding whose files cannot be written, before and after it is shrunk, leaves one folder among the temporary files.
func TestLeave_OneFolder(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	blocking := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocking, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := testOptions(shows(func(digit) string { return "" }))
	o.Respawn, o.Dir = nil, filepath.Join(blocking, "out")
	var first bytes.Buffer
	o.Unshrunk = &first
	rep, err := check.Run(t.Context(), o)
	if err == nil || rep == nil || rep.Verdict != search.Violation || rep.PathFile == "" || !strings.HasSuffix(first.String(), "; original: "+rep.PathFile+"\n") {
		t.Fatalf("%v, %+v; before it was shrunk: %q", err, rep, first.String())
	}
	left, err := filepath.Glob(filepath.Join(temp, "macemc-finding-*", "*"))
	if err != nil || len(left) != 1 || left[0] != rep.PathFile {
		t.Errorf("%v, left %q, want %q alone", err, left, rep.PathFile)
	}
}
