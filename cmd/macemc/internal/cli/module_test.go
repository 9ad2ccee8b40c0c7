package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/macemc/macemc/internal/scaffold"
)

// testModule writes a module with packages of several kinds and returns its folder. All of them share one build of this module's packages,
// which the go command caches.
func testModule(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds tests")
	}
	leanBuilds(t)
	dir := filepath.Join(t.TempDir(), "mysvc")
	checkout, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scaffold.Write(dir, checkout, scaffold.Service); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"broken/broken_test.go": "package broken\n\nvar x int = \"text\"\n",
		"none/none_test.go":     "package none\n\nimport \"testing\"\n\nfunc TestNothing(t *testing.T) {}\n",
		"plain/plain.go":        "package plain\n",
		"odd/odd_test.go": `package odd

import (
	"testing"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

func TestOdd(t *testing.T) {
	mctest.Check(t, sim.System{Name: "odd\xff", Nodes: 1, New: func(sim.NodeID) sim.Service { return &sim.Nop{} }})
}
`,
		"slow/slow_test.go": `//go:build check

package slow

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

type service struct{ sim.Nop; N, Wasted int }

func (s *service) Boot(env sim.Env) { env.SetTimer("tick", 1) }

// While the run that was found is shrunk, steps are slow, and the file of SLOW_SIGN has the ID of the test's process.
func (s *service) Timer(env sim.Env, _ any) {
	s.N++
	env.SetTimer("tick", 1)
	if _, err := os.Stat(os.Getenv("SLOW_FOUND")); err == nil {
		sign := os.Getenv("SLOW_SIGN")
		os.WriteFile(sign+"-", []byte(strconv.Itoa(os.Getppid())), 0o600)
		os.Rename(sign+"-", sign)
		time.Sleep(100 * time.Millisecond)
	}
}

func TestSlow(t *testing.T) {
	mctest.Check(t, sim.System{
		Nodes: 1, New: func(sim.NodeID) sim.Service { return &service{} },
		Actions: []sim.AnyAction{sim.Action[*service]{Name: "waste", Do: func(s *service, _ sim.Env) { s.Wasted++ }}},
		Properties: []sim.Property{{Name: "few", Always: sim.Each(func(_ sim.NodeID, s *service) bool { return s.N < 20 })}},
	})
}
`,
		"late/late_test.go": `//go:build check

package late

import (
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

type service struct{ sim.Nop; N int }

func (s *service) Boot(env sim.Env) { env.SetTimer("tick", 1) }

var over atomic.Bool

// With LATE_EXIT, the process of the test ends in the first step. With LATE_SEARCH, the processes that it starts end in the sixth step: by
// the handler, or by a goroutine of an earlier step.
func (s *service) Timer(env sim.Env, _ any) {
	s.N++
	env.SetTimer("tick", 1)
	status, err := strconv.Atoi(os.Getenv("LATE_EXIT"))
	how := os.Getenv("LATE_SEARCH")
	switch {
	case os.Getenv("MACEMC_ROLE") == "":
		if err == nil {
			go os.Exit(status)
			select {}
		}
	case how == "goroutine" && s.N == 2:
		go func() {
			for !over.Load() {
				time.Sleep(time.Millisecond)
			}
			os.Exit(0)
		}()
	case how == "goroutine" && s.N == 6:
		over.Store(true)
		select {}
	case how == "handler" && s.N == 6:
		os.Exit(7)
	}
}

// With LATE_START, the process of the tests ends before it reaches the check that it listed.
func TestLate(t *testing.T) {
	if how := os.Getenv("LATE_START"); how != "" && os.Getenv("MACEMC_DRIVE") != "" {
		status, err := strconv.Atoi(how)
		if err != nil {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
		os.Exit(status)
	}
	most := 3
	if os.Getenv("LATE_SEARCH") != "" {
		most = 100
	}
	mctest.Check(t, sim.System{
		Nodes: 1, New: func(sim.NodeID) sim.Service { return &service{} },
		Properties: []sim.Property{{Name: "few", Always: sim.Each(func(_ sim.NodeID, s *service) bool { return s.N < most })}},
	})
}
`,
		"bad/bad_test.go": "package bad\n\nimport _ \"github.com/macemc/macemc/mctest\"\n\nvar x int = \"text\"\n",
		"dep/dep.go":      "package dep\n",
		"dep/go.mod":      "module example.org/dep\n\ngo 1.26.0\n",
		"two/two_test.go": `//go:build check

package two

import (
	"os"
	"testing"

	_ "example.org/dep"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

type service struct{ sim.Nop; N int }

func (s *service) Boot(env sim.Env) { env.SetTimer("tick", 1) }
func (s *service) Timer(sim.Env, any) { s.N++ }

func system(most int) sim.System {
	return sim.System{
		Nodes: 1, New: func(sim.NodeID) sim.Service { return &service{} },
		Properties: []sim.Property{{Name: "few", Always: sim.Each(func(_ sim.NodeID, s *service) bool { return s.N <= most })}},
	}
}

func TestSub(t *testing.T) {
	t.Run("none", func(t *testing.T) { mctest.Check(t, system(0)) })
	t.Run("one", func(t *testing.T) { mctest.Check(t, system(1)) })
}

func TestTwice(t *testing.T) {
	for most := range 2 {
		t.Run("same", func(t *testing.T) { mctest.Check(t, system(1-most)) })
	}
	for most := range 2 {
		mctest.Check(t, system(1-most))
	}
}

// TestDangerous is not run to find the others.
func TestDangerous(t *testing.T) { os.Exit(9) }
`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mod := exec.Command("go", "mod", "edit", "-require=example.org/dep@v1.2.0", "-replace=example.org/dep=./dep")
	mod.Dir = dir
	if out, err := mod.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}
