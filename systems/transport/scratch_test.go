package transport_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/transport"
)

func scratchRun(c spec.Config, l sim.Limits, prop string, seed uint64, strat search.Name, d time.Duration) (*search.Result, sim.System, error) {
	e := transport.Entry()
	sys, err := e.New(c)
	if err != nil {
		return nil, sys, err
	}
	sys, err = sys.WithLimits(l)
	if err != nil {
		return nil, sys, err
	}
	if prop != "" {
		sys, err = sys.Only(prop)
		if err != nil {
			return nil, sys, err
		}
	}
	cfg := search.Config{System: sys, Seed: seed, Workers: 1, Time: d, Strategy: strat}
	cfg.Confirm = critical.Confirm(critical.Config{System: sys, Workers: 1, Walks: 50})
	r, err := search.Run(context.Background(), cfg)
	return r, sys, err
}

func TestScratchBugs(t *testing.T) {
	which := os.Getenv("BUGS")
	if which == "" {
		t.Skip()
	}
	e := transport.Entry()
	seeds, _ := strconv.Atoi(os.Getenv("SEEDS"))
	for i := range e.Bugs {
		b := &e.Bugs[i]
		if which != "all" && !strings.Contains(","+which+",", ","+b.ID+",") {
			continue
		}
		for _, prop := range []string{"", b.PaperProperty} {
			if prop == "" && b.PaperKind != sim.Panic && false {
				continue
			}
			for seed := 1; seed <= max(1, seeds); seed++ {
				strat := search.Name(os.Getenv("STRAT"))
				c := b.Apply(spec.Config{})
				if n := os.Getenv("NODES"); n != "" {
					c.Nodes, _ = strconv.Atoi(n)
				}
				start := time.Now()
				r, sys, err := scratchRun(c, b.Defaults.Limits, prop, uint64(seed), strat, 60*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				if r.Finding == nil {
					fmt.Printf("%-5s %-12.12s seed %d NOT FOUND %s %d paths susp %d und %d\n", b.ID, prop, seed, r.Stopped, r.Stats.Paths, r.Suspects, r.Undecided)
					continue
				}
				det := ""
				if cr, ok := r.Detail.(*critical.Result); ok {
					det = fmt.Sprintf("%v step %d", cr.Case, cr.Step)
				}
				fmt.Printf("%-5s %-12.12s seed %d %s %.40s by %s steps %d paths %d %.2fs %s\n", b.ID, prop, seed, r.Finding.Kind, r.Finding.Property+" "+r.Finding.Message, r.Finding.Strategy, r.Finding.Steps, r.Stats.Paths, time.Since(start).Seconds(), det)
				if os.Getenv("STORY") != "" {
					fmt.Println(story(&sys, r.Finding.Path))
				}
				if prop == "" && b.PaperProperty == "" {
				}
			}
			if b.PaperProperty == "" {
				break
			}
		}
	}
}

func story(sys *sim.System, path choose.Path) string {
	var b strings.Builder
	world, err := sim.NewWorld(sys, sim.Options{Trace: true})
	if err != nil {
		return err.Error()
	}
	run := replay.NewRun(world)
	at := 0
	src := choose.SourceFunc(func(choose.Point) int { at++; return int(path[at-1]) })
	if err := run.Start(src); err != nil {
		return err.Error()
	}
	for n := 1; at < len(path); n++ {
		index := int(path[at])
		at++
		ev, _ := run.Event(index)
		key := world.Key(ev)
		err := run.Step(index, src)
		fmt.Fprintf(&b, "%4d %s", n, key)
		for _, f := range world.Last().Effects {
			switch f.Kind {
			case sim.SendEffect:
				fmt.Fprintf(&b, "\n       send n%d %T%+v", f.Peer, f.Msg.Body, f.Msg.Body)
			}
		}
		if err != nil {
			fmt.Fprintf(&b, "\n   %v", err)
		}
		b.WriteByte('\n')
	}
	for i := range sys.Properties {
		p := &sys.Properties[i]
		if p.Sometimes == nil && !world.Holds(p) {
			fmt.Fprintf(&b, "%s: %s\n", p.Name, world.Explain(p))
		}
	}
	return b.String()
}

func TestScratchClean(t *testing.T) {
	d, err := time.ParseDuration(os.Getenv("CLEAN"))
	if err != nil {
		t.Skip()
	}
	for _, c := range []struct {
		nodes, messages, packets, buffer, retries int
		l                                         sim.Limits
		s                                         search.Name
	}{
		{2, 2, 1, 2, 0, sim.Limits{}, search.Walk},
		{2, 4, 2, 1, 0, sim.Limits{}, search.Walk},
		{3, 3, 1, 1, 0, sim.Limits{}, search.Walk},
		{2, 2, 1, 2, 0, sim.Limits{Crashes: 1, Loss: 1, Dup: 1}, search.Faulty},
		{2, 3, 1, 1, 0, sim.Limits{Crashes: 2, Loss: 1, Dup: 1}, search.Faulty},
		{2, 4, 1, 1, 0, sim.Limits{Crashes: 2, Loss: 2, Dup: 2}, search.Faulty},
		{2, 3, 2, 1, 0, sim.Limits{Crashes: 2, Loss: 2, Dup: 2}, search.Faulty},
		{2, 2, 1, 2, 2, sim.Limits{Crashes: 1, Loss: 1, Dup: 1}, search.Faulty},
		{3, 3, 1, 1, 0, sim.Limits{Crashes: 2, Loss: 1, Dup: 1}, search.Faulty},
		{3, 2, 2, 2, 2, sim.Limits{Crashes: 1, Loss: 1, Dup: 1}, search.Faulty},
		{2, 2, 1, 2, 0, sim.Limits{}, search.Deepening},
		{2, 2, 1, 2, 0, sim.Limits{Crashes: 1, Loss: 1, Dup: 1}, search.Deepening},
		{2, 3, 1, 1, 0, sim.Limits{Crashes: 2, Dup: 1}, search.Deepening},
		{2, 3, 1, 1, 1, sim.Limits{Crashes: 1, Dup: 1}, search.Deepening},
		{2, 3, 1, 1, 0, sim.Limits{Crashes: 2, Dup: 1, Partitions: 2}, search.Deepening},
		{3, 2, 1, 1, 0, sim.Limits{Crashes: 2, Dup: 1}, search.Deepening},
	} {
		cfg := spec.Config{Nodes: c.nodes, Params: map[string]string{"messages": strconv.Itoa(c.messages),
			"packets": strconv.Itoa(c.packets), "buffer": strconv.Itoa(c.buffer), "retries": strconv.Itoa(c.retries)}}
		seed, _ := strconv.Atoi(os.Getenv("SEEDS"))
		r, sys, err := scratchRun(cfg, c.l, "", uint64(seed), c.s, d)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%+v: %s paths %d events %d (%.2f M/s) states %d depth %d susp %d und %d never %v\n", c, r.Verdict, r.Stats.Paths, r.Stats.Events, float64(r.Stats.Events)/r.Stats.Seconds/1e6, r.Stats.States, r.Stats.ExhaustedDepth, r.Suspects, r.Undecided, r.Stats.NeverHappened)
		for _, p := range r.Stats.Phases {
			if p.Name == "walks" || p.Name == "faulty walks" || p.Name == "leaf walks" {
				fmt.Printf("     %s: %d paths, %d live, too long %d, out of events %d, steps %d..%d\n", p.Name, p.Paths, p.Live, p.TooLong, p.OutOfEvents, p.Steps.Min, p.Steps.Max)
			}
		}
		if r.Finding != nil {
			fmt.Println(r.Finding.Kind, r.Finding.Property, r.Finding.Message)
			if cr, ok := r.Detail.(*critical.Result); ok {
				fmt.Printf("%v step %d\n", cr.Case, cr.Step)
			}
			s := story(&sys, r.Finding.Path)
			if len(s) > 12000 {
				s = s[:9000] + "\n ... \n" + s[len(s)-3000:]
			}
			fmt.Println(s)
			break
		}
	}
}
