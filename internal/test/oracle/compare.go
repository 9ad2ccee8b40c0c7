package oracle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Options configures [Compare].
type Options struct {
	Defect Defect // planted into the oracle
	Brief  bool   // only breadth-first search with exact states
}

// Report is the result of [Compare].
type Report struct {
	States, Transitions int  // visited by the oracle
	Complete            bool // all states were visited
	Findings            int
	Dead                int
	Difference          string               // the first difference, or ""
	Closed              int                  // complete searches by deepening
	Searches            int                  // compared searches
	Kinds               [eventkind.Count]int // steps by kind of event
	Inside              int                  // crashes inside steps
	Together            int                  // steps that took several nodes down
}

// mostPaths is the maximum number of paths of a search that executes runs to completion.
const mostPaths = 150

// mostReenacted is the maximum number of events that a search may execute on services that cannot be copied, for a
// comparison with the table engine. There a step costs as much as the history of its node.
const mostReenacted = 10_000

// Compare makes the system of a script, and compares all strategies, engines and state stores on it with the
// oracle.
func Compare(sc *Script, o Options) (r Report) {
	c := comparison{script: sc, opts: o, sys: sc.System(), model: &model{sc, o.Defect}, graph: visitAll(sc, o.Defect), r: &r}
	r.States, r.Transitions, r.Complete, r.Findings = len(c.graph.states), c.graph.steps, c.graph.complete, len(c.graph.findings)
	r.Dead, _ = c.graph.deadStates()
	r.Kinds, r.Inside, r.Together = c.graph.kinds, c.graph.inside, c.graph.together
	if err := c.all(); err != nil {
		r.Difference = err.Error()
	}
	return r
}

type comparison struct {
	script *Script
	opts   Options
	sys    *sim.System
	model  *model
	graph  *graph
	r      *Report
	long   bool // runs are too long for the table engine, see mostReenacted
}

func (c *comparison) all() error {
	for k, visited := range stateset.Kinds {
		for n, frontier := range explore.Frontiers {
			if c.opts.Brief && k+n > 0 {
				continue
			}
			c.r.Searches++
			if err := c.exploration(visited, frontier); err != nil {
				return fmt.Errorf("frontier %s, visited set %s: %w", frontier.Name, visited.Name, err)
			}
		}
	}
	for _, cfg := range c.searches() {
		if c.long && cfg.Engine == runloop.TableEngine {
			continue
		}
		c.r.Searches++
		if err := c.search(cfg); err != nil {
			return fmt.Errorf("%s, alone %v, engine %s, states kept %q, reduction %q: %w", cfg.Strategy, cfg.Alone, cfg.Engine, cfg.Visited,
				cfg.Reduce, err)
		}
	}
	return nil
}

// searches returns the searches that execute runs, each with both engines. The number of the system selects the
// state store of deepening, the strategy over states that is also run as a search with confirmation, and its
// reduction.
func (c *comparison) searches() (list []search.Config) {
	if c.opts.Brief {
		return nil
	}
	k := c.script.Number
	kept := []string{"", stateset.Fingerprints64, runs.AllStates, "40"}[k%4]
	for _, engine := range []string{runloop.ReplayEngine, runloop.TableEngine} {
		list = append(list,
			search.Config{Strategy: search.Deepening, Engine: engine},
			search.Config{Strategy: search.Deepening, Engine: engine, Visited: kept, Alone: true, DeepenBy: 3},
		)
		for _, s := range strategy.All {
			if s.New == nil {
				continue
			}
			cfg := search.Config{Strategy: search.Name(s.Name), Engine: engine, MaxPaths: 20}
			if s.Can(strategy.Faults) { // these walks are longer
				cfg.MaxPaths = 10
			}
			list = append(list, cfg)
		}
	}
	if k%2 == 1 && c.graph.complete {
		list = append(list, search.Config{Strategy: []search.Name{search.BFS, search.DFS}[k/2%2], Engine: runloop.TableEngine,
			Reduce: options.Reductions()[int(k/4)%len(options.Reductions())]})
	}
	return list
}

// exploration compares an exploration of states.
func (c *comparison) exploration(visited stateset.Kind, frontier explore.FrontierKind) error {
	// It stops even if the oracle is wrong
	opts := options.Options{Visited: visited, Frontier: frontier, MaxStates: 4*len(c.graph.states) + 4000}
	if !c.graph.complete {
		opts.MaxDepth = max(c.graph.depth, 1)
	}
	x, err := table.Explore(context.Background(), c.sys, opts)
	if err != nil {
		return err
	}
	nearest := c.graph.nearestFinding()
	if opts.MaxDepth > 0 && nearest > opts.MaxDepth {
		nearest = -1
	}
	if (x.Finding != nil) != (nearest >= 0) {
		return fmt.Errorf("found %v; the oracle: %v", x.Finding, c.graph.findings)
	}
	if x.Finding != nil {
		return c.stopped(x, frontier.Shortest, nearest)
	}
	if x.Stopped == "states" || x.Complete != c.graph.complete || x.Omission > 1e-3 {
		return fmt.Errorf("complete: %v, omission %g; the oracle: complete: %v", x.Complete, x.Omission, c.graph.complete)
	}
	if x.States != len(c.graph.states) || x.Transitions != c.graph.steps || x.Live != c.graph.liveStates() {
		return fmt.Errorf("%d states, %d of them live, %d transitions; the oracle: %d, %d, %d",
			x.States, x.Live, x.Transitions, len(c.graph.states), c.graph.liveStates(), c.graph.steps)
	}
	if frontier.Shortest && x.Depth != c.graph.depth {
		return fmt.Errorf("depth %d; the oracle: %d", x.Depth, c.graph.depth)
	}
	for i, p := range c.script.Sometimes {
		if seen := c.graph.seen(c.model, p); x.Coverage.Sometimes[i] != seen {
			return fmt.Errorf("property %s held: %v; the oracle: %v", p.Kind, x.Coverage.Sometimes[i], seen)
		}
	}
	return c.liveness(x)
}

// stopped compares the finding of an exploration.
func (c *comparison) stopped(x *table.Exploration, breadth bool, nearest int) error {
	end, err := c.follow(x.Path)
	switch {
	case err != nil:
		return err
	case end.bad == nil:
		return fmt.Errorf("found %v; nothing is wrong at the end of its path %v", x.Finding, x.Path)
	case !sameFinding(x.Finding, end.bad):
		return fmt.Errorf("found %v; at the end of its path %v there is %v", x.Finding, x.Path, end.bad)
	case breadth && end.steps != nearest:
		return fmt.Errorf("found %v after %d steps; the oracle: one after %d, %v", x.Finding, end.steps, nearest, c.graph.findings)
	}
	return nil
}

func (c *comparison) liveness(x *table.Exploration) error {
	if !c.graph.complete {
		return nil
	}
	if x.LivenessChecked != c.graph.goals {
		return fmt.Errorf("liveness checked: %v, should be %v", x.LivenessChecked, c.graph.goals)
	}
	if !x.LivenessChecked {
		return nil
	}
	dead, nearest := c.graph.deadStates()
	if x.Dead != dead {
		return fmt.Errorf("%d states are dead; the oracle: %d", x.Dead, dead)
	}
	if dead == 0 {
		return nil
	}
	end, err := c.follow(x.DeadPath)
	switch {
	case err != nil:
		return err
	case end.bad != nil || !c.graph.dead[end.number] || end.steps != nearest || x.DeadCritical != nearest ||
		x.DeadOutOfEvents != c.graph.states[end.number].stuck:
		return fmt.Errorf("dead after %d steps, number %d being critical, out of events: %v; the oracle: %v, dead: %v, out of "+
			"events: %v, the nearest dead one after %d steps",
			end.steps, x.DeadCritical, x.DeadOutOfEvents, end.bad, end.bad == nil && c.graph.dead[end.number], end.bad == nil &&
				c.graph.states[end.number].stuck, nearest)
	}
	return nil
}

// search compares a search that executes runs.
func (c *comparison) search(cfg search.Config) error {
	cfg.System, cfg.Workers, cfg.WalkSteps = *c.sys, 1, 100
	if c.script.Uncopyable && !c.graph.complete {
		// A step from a state that cannot be copied costs as much as its history, and longer walks have longer
		// faulty phases
		cfg.WalkSteps = 60
	}
	cfg.HandlerLimit = patient
	if cfg.MaxPaths == 0 && !cfg.Strategy.Can(strategy.VisitsStates) {
		cfg.MaxPaths = mostPaths
	}
	cfg.Confirm = func(context.Context, search.Suspect) (search.Confirmed, error) { return search.Confirmed{}, nil }
	if c.graph.complete { // otherwise dead states are unknown, and queues may grow forever
		cfg.Confirm = critical.Confirm(critical.Config{System: *c.sys, WalkSteps: 100, Walks: 24, Workers: 1, Engine: cfg.Engine})
	}
	res, err := search.Run(context.Background(), cfg)
	if err != nil {
		return err
	}
	c.long = c.long || c.script.Uncopyable && res.Stats.Events > mostReenacted
	dead, _ := c.graph.deadStates()
	if res.Stats.Complete && res.Verdict == search.OK && res.Stats.Omission <= 1e-3 {
		c.r.Closed++
		if dead > 0 || len(c.graph.findings) > 0 {
			return fmt.Errorf("complete and nothing found; the oracle: %d dead states, %v", dead, c.graph.findings)
		}
		if cfg.Visited == runs.AllStates || cfg.Strategy.Can(strategy.VisitsStates) && cfg.Reduce != options.ReduceNone {
			return nil // it counts none, or not all
		}
		if c.graph.complete && res.Stats.States != len(c.graph.states) || res.Stats.States < len(c.graph.states) {
			return fmt.Errorf("complete with %d states; the oracle: %d, complete: %v", res.Stats.States, len(c.graph.states), c.graph.complete)
		}
	}
	f := res.Finding
	if f == nil {
		if cfg.Strategy.Can(strategy.VisitsStates) && (dead > 0 || len(c.graph.findings) > 0) {
			return fmt.Errorf("nothing found; the oracle: %d dead states, %v", dead, c.graph.findings)
		}
		return nil
	}
	end, err := c.follow(f.Path)
	if err != nil {
		return err
	}
	if f.Kind != sim.Liveness && f.Kind != sim.Deadlock {
		if end.bad == nil || !sameFinding(&sim.Finding{Kind: f.Kind, Property: f.Property, Message: f.Message, Node: f.Node}, end.bad) {
			return fmt.Errorf("found %s %s %s; at the end of its path there is %v", f.Kind, f.Property, f.Message, end.bad)
		}
		return nil
	}
	return c.death(res, end)
}

// death compares a run reported as dead.
func (c *comparison) death(res *search.Result, end *followed) error {
	if !c.graph.complete {
		return nil
	}
	if end.bad != nil || !c.graph.dead[end.number] {
		return fmt.Errorf("%s at a state that is not dead: %v", res.Finding.Kind, res.Finding.Path)
	}
	if res.Finding.Kind == sim.Deadlock && !c.graph.states[end.number].stuck {
		return errors.New("a deadlock, where something can happen")
	}
	d, ok := res.Detail.(*critical.Result)
	if !ok {
		return nil
	}
	run, err := c.follow(d.Dead)
	if err != nil {
		return err
	}
	if d.Proof == critical.Exact {
		if d.ProvenAt >= len(run.trail) || !c.graph.dead[run.trail[d.ProvenAt]] || c.graph.ahead(run.trail[d.ProvenAt]) != d.States {
			return fmt.Errorf("%d states that follow step %d of path %v are reported as dead; the oracle disagrees", d.States, d.ProvenAt, d.Dead)
		}
	}
	if d.Case == critical.Located {
		if d.Step < 1 || d.Step >= len(run.trail) || c.graph.dead[run.trail[d.Step-1]] || !c.graph.dead[run.trail[d.Step]] {
			return fmt.Errorf("step %d of path %v is reported as critical; the oracle disagrees", d.Step, d.Dead)
		}
	}
	return nil
}

// patient is the time limit of handlers, for a busy machine.
const patient = 10 * time.Minute

// sameFinding reports whether both describe the same finding.
func sameFinding(err error, bad *finding) bool {
	var f *sim.Finding
	if !errors.As(err, &f) {
		return false
	}
	if f.Kind == sim.Divergence {
		return bad.kind == sim.Divergence && f.Node == sim.NodeID(bad.node)
	}
	return f.Kind == bad.kind && f.Property == bad.property && f.Message == bad.message && f.Node == sim.NodeID(bad.node)
}
