//go:build unix

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// lagging is a system whose dead runs are found soon and take long to confirm and to shrink, as its steps do.
var lagging = spec.Entry{
	Name: "lagging", Summary: "takes long to confirm", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
	Build: func(spec.Config) (sim.System, error) {
		return sim.System{
			Name: "lagging", Nodes: 1, New: func(sim.NodeID) sim.Service { return &laggard{} },
			Actions: []sim.AnyAction{
				sim.Action[*laggard]{Name: "beat", Do: func(s *laggard, _ sim.Env) {
					time.Sleep(time.Millisecond)
					s.Beats = (s.Beats + 1) % 10
				}},
				sim.Action[*laggard]{Name: "lose", Do: func(s *laggard, _ sim.Env) {
					time.Sleep(time.Millisecond)
					s.Lost = s.Lost || s.Beats == 3
				}},
				sim.Action[*laggard]{Name: "finish", Do: func(s *laggard, _ sim.Env) {
					time.Sleep(time.Millisecond)
					s.Done = s.Done || s.Beats == 5 && !s.Lost
				}},
			},
			Properties: []sim.Property{{Name: "done", Eventually: sim.Each(func(_ sim.NodeID, s *laggard) bool { return s.Done })}},
		}, nil
	},
}

type laggard struct {
	sim.Nop
	Beats      int
	Lost, Done bool
}

// A search whose finding takes long to confirm and to shrink ends in 1.5 times its time and 5 s, with that finding: what is known by then.
func TestDeadlineOfFindings(t *testing.T) {
	const limit = 4 * time.Second
	dir := t.TempDir()
	began := time.Now()
	out, err := command(dir, "search", "lagging", "--strategy", "walk", "--engine", "replay", "--workers", "1", "--walks", "8", "--walk-steps", "60",
		"--time", limit.String(), "--out", "out").CombinedOutput()
	took := time.Since(began)
	if status := exitCode(err); status != check.StatusViolation {
		t.Errorf("exit status %d, want %d\n%s", status, check.StatusViolation, out)
	}
	// Steps sleep, so that a busy machine adds little.
	if most := limit + limit/2 + 5*time.Second; took > most+3*time.Second {
		t.Errorf("it took %v, want at most %v\n%s", took, most, out)
	}
	var report struct {
		Critical struct{ Case string }
		Property string
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "report.json"))
	if err != nil || json.Unmarshal(text, &report) != nil || report.Property != "done" || report.Critical.Case == "" {
		t.Errorf("%v\n%s", err, text)
	}
}
