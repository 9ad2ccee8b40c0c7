package randtree_test

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

// setup is a system and how faulty walks over it are made.
type setup struct {
	config spec.Config
	limits sim.Limits
	// weights by kind of event.
	weights [sim.Partition + 1]int
	// faultySteps bounds the steps of a round before faults end, steps those after it.
	faultySteps, steps int
	// prefix says that every walk goes to a live state before the first fault.
	prefix bool
	// swarm draws other weights for the faulty steps of each round.
	swarm bool
	// only, when not empty, is the one property that is checked.
	only string
}

func plainSetup(nodes, crashes, errors int) setup {
	s := setup{config: spec.Config{Nodes: nodes}, limits: sim.Limits{Crashes: crashes, NetErrors: errors},
		faultySteps: 120, steps: 20_000}
	s.weights[sim.Boot], s.weights[sim.DoAction], s.weights[sim.FireTimer] = 8, 40, 1
	s.weights[sim.DeliverError], s.weights[sim.DeliverReady], s.weights[sim.Deliver] = 8, 8, 8
	s.weights[sim.Crash], s.weights[sim.Break] = 4, 4
	return s
}

func bugSetup(b *spec.Bug) setup {
	s := plainSetup(0, 0, 0)
	s.config = b.Apply(spec.Config{})
	s.limits = b.Defaults.Limits
	s.prefix = b.Defaults.Prefix
	w := b.Defaults.Weights
	for kind, weight := range map[sim.EventKind]int{
		sim.DoAction: w.Action, sim.Deliver: w.Message, sim.FireTimer: w.Timer, sim.Boot: w.Consequence,
		sim.DeliverError: w.Consequence, sim.DeliverReady: w.Consequence, sim.Crash: w.Injection, sim.Break: w.Injection,
	} {
		if weight != 0 {
			s.weights[kind] = weight
		}
	}
	return s
}

func (s *setup) system() (*sim.System, error) {
	e := randtree.Entry()
	sys, err := e.New(s.config)
	if err != nil {
		return nil, err
	}
	if sys, err = sys.WithLimits(s.limits); err != nil {
		return nil, err
	}
	if s.only != "" {
		var kept []sim.Property
		for _, p := range sys.Properties {
			if p.Name == s.only {
				kept = append(kept, p)
			}
		}
		sys.Properties = kept
	}
	return &sys, nil
}

// walker makes faulty walks.
type walker struct {
	setup
	run        *replay.Run
	random     *choose.Random
	injections []sim.Event
	now        [sim.Partition + 1]int // weights in force

	walk    int          // walks begun, from 1
	beat    atomic.Int64 // steps done, for a watchdog
	rounds  int          // live states reached after faults
	longest int          // steps from the end of the faults to a live state
}

func newWalker(s setup, seed uint64) (*walker, error) {
	sys, err := s.system()
	if err != nil {
		return nil, err
	}
	world, err := sim.NewWorld(sys, sim.Options{})
	if err != nil {
		return nil, err
	}
	return &walker{setup: s, run: replay.NewRun(world), random: choose.NewRandom(seed, 0)}, nil
}

// step executes one random event. dead means that none is left.
func (w *walker) step(faults bool) (dead bool, err error) {
	enabled := w.run.World.Enabled()
	total := 0
	for i := range enabled {
		total += w.now[enabled[i].Kind]
	}
	w.injections = w.injections[:0]
	if faults {
		w.injections = w.run.World.Injections(w.injections)
		for i := range w.injections {
			total += w.now[w.injections[i].Kind]
		}
	}
	if total == 0 {
		return true, nil
	}
	at, index := w.random.IntN(total), -1
	for i := range enabled {
		if at -= w.now[enabled[i].Kind]; at < 0 {
			index = i
			break
		}
	}
	if index < 0 {
		for i := range w.injections {
			if at -= w.now[w.injections[i].Kind]; at < 0 {
				index = len(enabled) + i
				break
			}
		}
	}
	w.beat.Add(1)
	if err := w.run.Step(index, w.random); err != nil {
		return false, err
	}
	return false, w.run.World.Check()
}

// next makes one walk of several rounds. The error is a finding.
func (w *walker) next() error {
	w.walk++
	if err := w.run.Start(w.random); err != nil {
		return err
	}
	for round := range 4 {
		w.now = w.weights
		if w.swarm {
			for kind := range w.now {
				w.now[kind] = [...]int{1, 4, 8, 40}[w.random.IntN(4)]
			}
		}
		faulty := w.random.IntN(w.faultySteps)
		if round == 0 && w.prefix {
			faulty = 0
		}
		for range faulty {
			if dead, err := w.step(true); err != nil {
				return err
			} else if dead {
				break
			}
		}
		w.now = w.weights
		from := w.run.Steps()
		for !w.run.World.Live() {
			dead, err := w.step(false)
			if err != nil {
				return err
			}
			if dead {
				return &sim.Finding{Kind: sim.Deadlock, Node: -1}
			}
			if w.run.Steps()-from >= w.steps {
				return &sim.Finding{Kind: sim.Liveness, Node: -1, Message: fmt.Sprintf("not live %d steps after the faults", w.steps)}
			}
		}
		w.rounds++
		w.longest = max(w.longest, w.run.Steps()-from)
		if len(w.run.World.Injections(w.injections[:0])) == 0 {
			break
		}
	}
	return nil
}

// story replays a path and tells its steps from first to last, with the state after each.
func (s *setup) story(path choose.Path, bounds []int32, first, last int) string {
	var b strings.Builder
	sys, err := s.system()
	if err != nil {
		return err.Error()
	}
	world, err := sim.NewWorld(sys, sim.Options{})
	if err != nil {
		return err.Error()
	}
	run := replay.NewRun(world)
	at := 0
	src := choose.SourceFunc(func(choose.Point) int { at++; return int(path[at-1]) })
	if err := run.Start(src); err != nil {
		return err.Error()
	}
	for i := range bounds {
		at = int(bounds[i]) + 1
		index := int(path[bounds[i]])
		ev, _ := run.Event(index)
		if i+1 >= first && i < last {
			fmt.Fprintf(&b, "%4d %s", i+1, world.Key(ev))
		}
		err := run.Step(index, src)
		if i+1 < first || i >= last {
			continue
		}
		for _, f := range world.Last().Effects {
			switch f.Kind {
			case sim.StreamEffect, sim.RefusedEffect:
				fmt.Fprintf(&b, "\n       %v n%d %T%+v", f.Kind, f.Peer, f.Msg.Body, f.Msg.Body)
			}
		}
		if err != nil {
			fmt.Fprintf(&b, "\n   %v", err)
		}
		if n, ok := world.Service(ev.Node).(*randtree.Node); ok {
			fmt.Fprintf(&b, "\n       n%d %v root %d parent %d children %v siblings %v peers %v bootstrap %d epoch %d",
				ev.Node, n.State, n.Root, n.Parent(), n.Children, n.Siblings, n.Peers, n.Bootstrap, n.Epoch.Count)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
