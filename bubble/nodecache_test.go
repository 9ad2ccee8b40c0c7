//go:build macemc_overlay

package bubble

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// States that reference an evicted node do not keep it in memory.
func TestGivesWay(t *testing.T) {
	stepping.Lock()
	defer stepping.Unlock()
	var all []*running
	kept := nodeCache.limit
	for i := range kept + 1 {
		nodeCache.used++
		r := &running{n: start(boot{nodes: 1}), at: &input{}, used: nodeCache.used}
		all = append(all, r)
		cacheNode(r)
		if i == kept && (all[0].n != nil || all[0].at != nil || all[1].n == nil) {
			t.Errorf("the first node is %p, the second %p", all[0].n, all[1].n)
		}
	}
	for _, r := range all {
		r.at = nil
	}
}

// The capacity grows when the steps of a search alternate between more nodes than fit.
func TestNodeCache_KeepsMore(t *testing.T) {
	before := nodeCache.limit
	defer func() { nodeCache.limit = before }()
	nodeCache.limit = fewRuns
	var all []*history
	program := func(ctx context.Context, _ *Host) error { <-ctx.Done(); return nil }
	for i := range 2 * fewRuns {
		p := &history{program: program}
		in := &input{kind: bootInput, boot: &boot{nodes: 1, seed: uint64(i)}}
		if err := p.extend(in, func(n *node) { n.perform(in, program) }); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	for range 2 * window / fewRuns {
		for _, p := range all {
			in := &input{kind: readyInput}
			if err := p.extend(in, func(n *node) { n.perform(in, program) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if nodeCache.limit != 2*fewRuns || len(nodeCache.all) > 2*fewRuns {
		t.Errorf("%d nodes are kept, at most %d", len(nodeCache.all), nodeCache.limit)
	}
}

// A history that is executed again offers a full stream the same messages.
func TestResume_Refused(t *testing.T) {
	program := func(ctx context.Context, h *Host) error {
		_, err := h.Dial(ctx, "tcp", "n1:7")
		return err
	}
	p, room := &history{program: program}, false
	take := func(sim.NodeID, Message) bool { return room }
	for _, in := range []*input{{kind: bootInput, boot: &boot{nodes: 2}}, {kind: readyInput, peer: 1}} {
		err := p.extend(in, func(n *node) {
			if in.kind == readyInput {
				in.flushed = n.flush(in.peer, take)
			}
			n.perform(in, program)
			for i := range n.effects {
				n.stream(&n.effects[i], take)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		p.run = nil
		stepping.Lock()
		r, err := p.resume()
		stepping.Unlock()
		if want := map[bool]int{false: 1, true: 0}[room]; err != nil || len(r.n.backlog[1]) != want {
			t.Errorf("room %v: %v, or %d messages wait, want %d", room, err, len(r.n.backlog[1]), want)
		}
		room = true
	}
}

// Steps in which Observe returns equal values share one.
func TestLook_Shared(t *testing.T) {
	p := &Program{goroutines: &history{program: func(_ context.Context, h *Host) error {
		h.Observe(func() any { return []int{1} })
		select {}
	}}}
	var seen []*int
	for _, in := range []*input{{kind: bootInput, boot: &boot{nodes: 1}}, {kind: readyInput}} {
		err := p.goroutines.extend(in, func(n *node) {
			n.perform(in, p.goroutines.program)
			p.copyShown(n)
		})
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, &p.Seen.([]int)[0])
	}
	if seen[0] != seen[1] {
		t.Error("each step keeps a copy")
	}
}

// A search does not keep the systems of all earlier ones in memory.
func TestEarlierSystems(t *testing.T) {
	const searches = 40
	var all [searches]weak.Pointer[[1 << 16]byte]
	for i := range all {
		big := new([1 << 16]byte)
		all[i] = weak.Make(big)
		program := func(ctx context.Context, h *Host) error {
			h.Observe(func() any { return big[0] == 0 })
			<-ctx.Done()
			return nil
		}
		_, err := search.Run(t.Context(), search.Config{MaxPaths: 2, WalkSteps: 4, System: sim.System{
			Name: "big", Nodes: 1, State: Rules, New: func(sim.NodeID) sim.Service { return Service(program) },
			Properties: []sim.Property{{Name: "zero", Always: func(*sim.View) bool { return true }}},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.GC()
	kept := 0
	for _, p := range all {
		if p.Value() != nil {
			kept++
		}
	}
	if kept > searches/2 {
		t.Errorf("%d of %d systems are kept", kept, searches)
	}
}
