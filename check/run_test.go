package check_test

import (
	"os"
	"strings"
	"testing"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type holder struct {
	sim.Nop
	Work struct{ queue chan int }
}

// What cannot be searched is refused by name, and nothing is written.
func TestRunRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	system := sim.System{
		Name: "holder", Nodes: 1, New: func(sim.NodeID) sim.Service { return &holder{} },
		Properties: []sim.Property{{Name: "true", Always: func(*sim.View) bool { return true }}},
	}
	for _, c := range []struct {
		name   string
		change func(*search.Config)
		wants  []string
	}{
		{"state", func(*search.Config) {}, []string{"holder", "Work.queue", "chan int"}},
		{"property", func(c *search.Config) { c.Property = "truth" }, []string{`"truth"`}},
		{"strategy", func(c *search.Config) { c.Strategy = "best" }, []string{`"best"`, "deepening"}},
		{"nodes", func(c *search.Config) { c.System.Nodes = 0 }, []string{"Nodes is 0"}},
	} {
		cfg := search.Config{System: system, MaxPaths: 10, Workers: 1}
		c.change(&cfg)
		rep, err := check.Run(t.Context(), check.Options{Search: cfg})
		if err == nil || rep != nil {
			t.Errorf("%s: accepted: %v", c.name, rep)
			continue
		}
		for _, w := range c.wants {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not name %s", c.name, err, w)
			}
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}
