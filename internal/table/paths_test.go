package table_test

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// A step from a state fails, and so does a property in a state that was reached before. The path leads to the
// state, without the answers of the step. Here the timer announces more than the monitor allows, and the third
// alternative of the action leads to a state that violates a property.
func TestPath_EarlierFinding(t *testing.T) {
	var p script.Program
	p[0][0] = []script.Instr{{Op: script.OpSetTimer}}
	p[1][0] = []script.Instr{{Op: script.OpChoose, B: 2}}
	p[2][0] = []script.Instr{{Op: script.OpAnnounce}}
	sys := (&script.Config{
		Nodes: 1, Crashes: 1, Late: 1, Sturdy: -1, Monitor: 1, Programs: []script.Program{p},
		Network: netsim.Both{Streams: netsim.Streams{Buffer: 1}},
	}).System()
	x, err := table.Explore(context.Background(), sys, options.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := x.Finding.(*sim.Finding); !ok || f.Property != "not all in phase 2" || !slices.Equal(x.Path, choose.Path{0, 2}) {
		t.Errorf("found %v by %v", x.Finding, x.Path)
	}
}
