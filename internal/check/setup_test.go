package check_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// owing is a monitor that acts when its obligations are evaluated.
type owing struct {
	ask func() `macemc:"-"`
}

func (owing) Observe(sim.NodeID, any) error   { return nil }
func (owing) Obliges() bool                   { return true }
func (o owing) Obligations() []sim.Obligation { o.ask(); return nil }
func (owing) Passed() (hot, settled []string) { return nil, nil }

// If a function that builds a system fails or does not return, every strategy soon reports a clear error.
func TestSetUpThatFails(t *testing.T) {
	t.Parallel()
	hang := func() { select {} }
	fails := map[string]func(*sim.System){
		"New(1) does not return: it took more than 3s": func(sys *sim.System) {
			sys.New = func(id sim.NodeID) sim.Service {
				if id == 1 {
					hang()
				}
				return &shown{}
			}
		},
		"Late(0) does not return":    func(sys *sim.System) { sys.Late = func(sim.NodeID) bool { hang(); return false } },
		"New(0) ended its goroutine": func(sys *sim.System) { sys.New = func(sim.NodeID) sim.Service { runtime.Goexit(); return nil } },
		"New(0) panicked: no":        func(sys *sim.System) { sys.New = func(sim.NodeID) sim.Service { panic("no") } },
		"the function that makes monitor 0 does not return": func(sys *sim.System) {
			sys.Monitors = []func() sim.Monitor{func() sim.Monitor { hang(); return nil }}
		},
		"Obligations() of monitor 0 does not return": func(sys *sim.System) {
			sys.Monitors = []func() sim.Monitor{func() sim.Monitor { return owing{hang} }}
		},
	}
	for want, fail := range fails {
		strategies := []search.Name{search.Deepening, search.BFS, search.DFS, search.Walk}
		if strings.Contains(want, "does not return") { // each takes seconds
			strategies = strategies[:2]
			if testing.Short() {
				strategies = strategies[:1]
			}
		}
		for _, strategy := range strategies {
			t.Run(want+" "+string(strategy), func(t *testing.T) {
				t.Parallel()
				sys := shows(func(digit) string { return "" })
				fail(&sys)
				o := testOptions(sys)
				o.Search.Strategy, o.Search.Time, o.Dir = strategy, 20*time.Minute, filepath.Join(t.TempDir(), "out")
				began := time.Now()
				rep, err := check.Run(t.Context(), o)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, %+v", err, rep)
				}
				if took := time.Since(began); took > 5*time.Minute {
					t.Errorf("it took %v", took)
				}
			})
		}
	}
}
