package live

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// down returns the nodes that are not up.
func (x *fleet) down() (list []int) {
	for node, p := range x.nodes {
		if !p.isUp() {
			list = append(list, node)
		}
	}
	return list
}

// missing lists the nodes that are down but should be up, or returns "" if there are none. As many processes may be down as the system's
// limit of halts.
func (x *fleet) missing() string {
	sys, down, away := &x.subject.System, x.down(), 0
	for _, node := range down {
		if p := x.nodes[node]; p != nil || sys.MayHalt != nil && !sys.MayHalt(sim.NodeID(node)) {
			return replay.ListNodes(down)
		}
		if x.processOf(node)[0] == node {
			away++
		}
	}
	if away > sys.Halts {
		return replay.ListNodes(down)
	}
	return ""
}

// endsLive reports whether the system is live while all nodes are frozen, so that the run can end. Otherwise the nodes continue.
func (x *fleet) endsLive(ctx context.Context) bool {
	if x.freeze() == "" && x.judge(ctx, false) {
		return true
	}
	x.order("thaw")
	return false
}

// failing returns the properties that do not hold. The error is a panic of a property.
func failing(w kernel.World) (names []string, err error) {
	defer contain.CatchState(&err)
	sys := w.System()
	for i := range sys.Properties {
		if p := &sys.Properties[i]; p.Sometimes == nil && !w.Holds(p) {
			names = append(names, p.Name)
		}
	}
	return names, nil
}

// recordedState returns the state that the recordings lead to so far; nil means that not all nodes have begun.
func (x *fleet) recordedState() (*recording.Reached, error) {
	set, err := recording.ReadDir(x.recordings())
	if err != nil {
		return nil, nil
	}
	set.Tear()
	sys, err := x.subject.System.WithLimits(sim.Limits{})
	if err != nil {
		return nil, err
	}
	return recording.Reach(sys, set, x.codec)
}

// judge prints the properties that do not hold, if that has changed or all is set. It reports whether the system is live and no node is
// missing.
func (x *fleet) judge(ctx context.Context, all bool) bool {
	down := x.missing()
	var state *recording.Reached
	var err error
	if !patient(ctx, 0, func() { state, err = x.recordedState() }) {
		return false
	}
	if err == nil && state == nil {
		return false // not all nodes have begun
	}
	if err != nil {
		if line := err.Error(); line != x.lastLine || all {
			x.say("%s", line)
			x.lastLine = line
		}
		return false
	}
	w := state.World
	sound := state.Finding == nil && state.Disagreement == nil && w.Check() == nil
	failing, err := failing(w)
	live := sound && err == nil && len(failing) == 0
	if !live || down != "" {
		x.liveSince = 0
	} else if x.liveSince == 0 {
		x.liveSince = time.Since(x.begun)
	}
	line := ""
	switch {
	case err != nil:
		line = err.Error() // a property panicked
	case state.Disagreement != nil:
		line = "the recording differs from the checked system: " + state.Disagreement.Error()
	case state.Finding != nil:
		line = state.Finding.Error()
	case live && down != "":
		line = "all properties hold in the recorded states, but not up: " + down
	case live:
		if line = "live: all properties hold"; len(x.down()) > 0 {
			line += " without " + replay.ListNodes(x.down())
		}
	default:
		line = "does not hold: " + strings.Join(failing, "; ")
	}
	if line != x.lastLine || all {
		x.say("%s", line)
		x.lastLine = line
	}
	if all {
		for node := range x.nodes {
			if !x.nodes[node].isUp() {
				fmt.Fprintf(x.out(), "        n%d is not up\n", node)
				continue
			}
			fmt.Fprintf(x.out(), "        %s\n", stateLine(node, w.NodeFields(sim.NodeID(node))))
		}
	}
	return live && down == ""
}
