//go:build macemc_overlay

package memberlist_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/memberlist"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// dying returns a system with a last node that ends silently once it has joined. The others need not have seen each
// other: if it ends before it has introduced them, none does.
func dying(suspicion int) sim.System {
	end := bubble.Signal(os.Interrupt)
	end.At = func(id sim.NodeID) bool { return id == nodes-1 }
	end.When = func(p *bubble.Program) bool {
		seen, _ := p.Seen.(Members)
		return p.Ended == "" && len(seen) == nodes
	}
	return sim.System{
		Name: "a member dies", Nodes: nodes, State: bubble.Rules, Actions: []sim.AnyAction{end},
		Network: netsim.Both{Datagrams: netsim.Datagrams{Loss: 2}, Streams: netsim.Streams{}},
		New: func(id sim.NodeID) sim.Service {
			return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
				config := memberlist.DefaultLANConfig()
				config.SuspicionMult = suspicion
				if id < nodes-1 {
					return run(ctx, h, config)
				}
				go run(context.Background(), h, config)
				<-ctx.Done()
				return nil
			})
		},
		Properties: []sim.Property{{Name: "the others notice", Eventually: func(v *sim.View) bool {
			p, ok := v.Service(nodes - 1).(*bubble.Program)
			if !ok || p.Ended == "" {
				return false
			}
			for id := range sim.NodeID(nodes - 1) {
				if seen, up := bubble.SeenAt[Members](v, id); !up || slices.Contains(seen, name(nodes-1)) {
					return false
				}
			}
			return true
		}}},
	}
}

// All other members detect the death of a member.
func TestDead(t *testing.T) { mctest.Check(t, dying(memberlist.DefaultLANConfig().SuspicionMult)) }

// endless is set in the environment of a process with infinite suspicion.
const endless = "MACEMC_TEST_ENDLESS"

func TestEndless(t *testing.T) {
	if os.Getenv(endless) == "" {
		t.Skip("for TestSuspicionWithoutEnd")
	}
	mctest.CheckWith(t, dying(1<<30), mctest.Options{MaxPaths: 1000, Workers: 1, Walks: 40, WalkSteps: 500})
}

// Without an end of suspicion the death is not detected. No time limit decides the result.
func TestSuspicionWithoutEnd(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestEndless$")
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), endless+"=1")
	out, err := cmd.CombinedOutput()
	if text := string(out); err == nil || !strings.Contains(text, "LIVENESS VIOLATION") || !strings.Contains(text, "the others notice") {
		t.Errorf("%v:\n%s", err, text)
	}
}
