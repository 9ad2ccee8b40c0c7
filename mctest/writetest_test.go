package mctest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A regression test is a copy of the test with the finding, with Replay in place of the check, also if the system is a
// local variable.
func TestRegression(t *testing.T) {
	const code = `//go:build unix

package p

import (
	"fmt"
	"testing"

	mc "github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

func other() { fmt.Println() }

func TestRegression(t *testing.T) {
	system := sim.System{Nodes: 2}
	mc.CheckWith(t, system, mc.Options{
		Seed: 2,
	})
	system.Nodes++
}
`
	const want = `//go:build unix

package p

import (
	"testing"

	mc "github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

// TestX fails while the recorded run, or what is left of it, violates any property.
func TestX(t *testing.T) {
	system := sim.System{Nodes: 2}
	mc.Replay(t, system, "x.path")
	system.Nodes++
}
`
	file := filepath.Join(t.TempDir(), "p_test.go")
	if err := os.WriteFile(file, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	c := &checking{TB: t, source: source{file, 17}}
	got, err := c.regression("TestX", "x.path")
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}

	c.source.line = 13 // not a check
	if _, err := c.regression("TestX", "x.path"); err == nil || !strings.Contains(err.Error(), "p_test.go:13: the check is not a call of mctest.Check in the function TestRegression") {
		t.Errorf("%v", err)
	}
}
