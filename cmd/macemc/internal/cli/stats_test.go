package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/task"
)

func TestStats(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"stats", "randtree", "--nodes", "3", "--walks", "50", "--seed", "2", "--svg", "plot.svg"}
	stdout, stderr, status := run(t, append(args, "--json")...)
	if status != check.StatusOK || stderr != "" {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	var r struct {
		System        string
		Nodes, Seed   int
		WalkSteps     int `json:"walk_steps"`
		Distributions []struct {
			Name        string
			Faults      bool
			Walks, Live int
			Percentiles []struct{ P, Steps int }
			Counts      []struct{ Steps, Walks int }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if r.System != "randtree" || r.Nodes != 3 || r.Seed != 2 || r.WalkSteps != 20_000 || len(r.Distributions) != 4 {
		t.Fatalf("%+v", r)
	}
	for _, d := range r.Distributions {
		if d.Walks != 50 || d.Live != 50 || len(d.Percentiles) != 3 || d.Percentiles[0].Steps == 0 {
			t.Errorf("%+v", d)
		}
		n := 0
		for _, c := range d.Counts {
			n += c.Walks
		}
		if n != 50 {
			t.Errorf("%s: counts of %d walks", d.Name, n)
		}
	}
	plot, err := os.ReadFile("plot.svg")
	if err != nil || !strings.HasPrefix(string(plot), "<svg ") || !strings.Contains(string(plot), task.PlotMark) {
		t.Fatalf("%v: %.200s", err, plot)
	}

	// A second time the plot is replaced, by the same.
	text, _, status := run(t, args...)
	again, err := os.ReadFile("plot.svg")
	if status != check.StatusOK || err != nil || string(again) != string(plot) || strings.Count(text, "\n") != 6 {
		t.Errorf("exit status %d, %v, same plot: %v\n%s", status, err, string(again) == string(plot), text)
	}
}

// A file that somebody else wrote stays, and nothing is measured for it.
func TestStatsOverwritesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("plot.svg", []byte("<svg/>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := run(t, "stats", "randtree", "--svg", "plot.svg")
	if status != check.StatusUsage || stdout != "" || !strings.Contains(stderr, "was not written by this command") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
	if b, err := os.ReadFile("plot.svg"); err != nil || string(b) != "<svg/>\n" {
		t.Errorf("%q, %v", b, err)
	}
}
