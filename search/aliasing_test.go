package search_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// keeper stores the values of its actions, reads them, and counts its reads.
type keeper struct {
	sim.Nop
	At    time.Time
	Err   error
	Mark  *mark
	Items []int
	Other []int
	Names map[string]int
	Index index
	Plain *plain
	Count *count
	Set   bool
	Bad   bool
	Laps  int
}

type mark struct{ N int }

type link struct {
	next *link
	mark *mark
}

// Types that others can be converted to.
type (
	index map[string]int
	plain struct{ N int }
	count int
)

var (
	twins     = [2]error{errors.New("no such thing"), errors.New("no such thing")}
	wrapped   = [2]error{fmt.Errorf("read: %w", twins[0]), fmt.Errorf("read: %w", twins[0])}
	nobody    = &mark{}
	pool      = make([]mark, 2+len(twins))
	pair      = func() *[2]mark { return new([2]mark) }()
	byName    = map[string]error{"a": errors.New("no such thing"), "b": errors.New("no such thing")}
	chain     = func() *link { return &link{&link{nil, &mark{}}, &mark{}} }()
	zoneTimes = [2]string{"2024-01-01T12:00:00+01:00", "2024-01-01T13:00:00+02:00"}
)

// Each of these systems reaches two states that a handler can distinguish, although their printed forms are equal. The
// handler that distinguishes them fails in the one that is reached last. The verdict is the same for all strategies and
// both engines.
func TestAliasing_DistinguishesStates(t *testing.T) {
	held := [2]error{errors.New("no such thing"), errors.New("no such thing")}
	marks := map[int]*mark{1: {}}
	for _, c := range []struct {
		name string
		set  func(k *keeper, pick int)
		look func(k *keeper) bool
	}{
		{"zones of one name", func(k *keeper, pick int) { k.At, _ = time.Parse(time.RFC3339, zoneTimes[pick]) },
			func(k *keeper) bool { _, offset := k.At.Zone(); return offset == 7200 }},
		{"errors of one text", func(k *keeper, pick int) { k.Err = twins[pick] },
			func(k *keeper) bool { return k.Err == twins[1] }},
		{"errors on the heap", func(k *keeper, pick int) { k.Err = wrapped[pick] },
			func(k *keeper) bool { return k.Err == wrapped[1] }},
		{"a new error", func(k *keeper, pick int) { k.Err = [2]error{errors.New("no such thing"), twins[1]}[pick] },
			func(k *keeper) bool { return errors.Is(k.Err, twins[1]) }},
		{"a pointer to a variable", func(k *keeper, pick int) { k.Mark = [2]*mark{{}, nobody}[pick] },
			func(k *keeper) bool { return k.Mark == nobody }},
		{"an element of a variable's memory", func(k *keeper, pick int) { k.Mark = &pool[1+pick] },
			func(k *keeper) bool { return k.Mark == &pool[2] }},
		{"an element of a variable's memory and another", func(k *keeper, pick int) { k.Mark = [2]*mark{{}, &pair[1]}[pick] },
			func(k *keeper) bool { return k.Mark == &pair[1] }},
		{"in a map of a variable", func(k *keeper, pick int) { k.Err = byName[[2]string{"a", "b"}[pick]] },
			func(k *keeper) bool { return k.Err == byName["b"] }},
		{"down a chain from a variable", func(k *keeper, pick int) { k.Mark = [2]*mark{chain.mark, chain.next.mark}[pick] },
			func(k *keeper) bool { return k.Mark == chain.next.mark }},
		{"held by closures", func(k *keeper, pick int) { k.Err = held[pick] },
			func(k *keeper) bool { return k.Err == held[1] }},
		{"in a map held by closures", func(k *keeper, pick int) { k.Mark = [2]*mark{{}, marks[1]}[pick] },
			func(k *keeper) bool { return k.Mark == marks[1] }},
		{"behind the length", func(k *keeper, pick int) { k.Items = [2][]int{{1, 0}, {1, 7}}[pick][:1] },
			func(k *keeper) bool { return k.Items[:2][1] == 7 }},
		{"capacity", func(k *keeper, pick int) { k.Items = [2][]int{make([]int, 1), make([]int, 1, 3)}[pick] },
			func(k *keeper) bool {
				k.Items, k.Other = append(k.Items, 1), append(k.Items, 2)
				return k.Items[1] == 2
			}},
		{"nil", func(k *keeper, pick int) { k.Names = [2]map[string]int{{}, nil}[pick] },
			func(k *keeper) bool { k.Names["a"] = 1; return false }},
		{"a map converted", func(k *keeper, pick int) {
			k.Names = map[string]int{}
			k.Index = [2]index{{}, k.Names}[pick]
		}, func(k *keeper) bool { k.Names["a"] = 1; return k.Index["a"] == 1 }},
		{"a pointer converted", func(k *keeper, pick int) {
			k.Mark = &mark{}
			k.Plain = [2]*plain{{}, (*plain)(k.Mark)}[pick]
		}, func(k *keeper) bool { k.Mark.N++; return k.Plain.N == 1 }},
		{"a field by another type", func(k *keeper, pick int) {
			k.Count = [2]*count{new(count), (*count)(&k.Laps)}[pick]
		}, func(k *keeper) bool { k.Laps++; return *k.Count == 1 }},
		{"an element by another type", func(k *keeper, pick int) {
			k.Items = []int{0}
			k.Count = [2]*count{new(count), (*count)(&k.Items[0])}[pick]
		}, func(k *keeper) bool { k.Items[0]++; return *k.Count == 1 }},
	} {
		sys := sim.System{
			Name: "keeper", Nodes: 1, New: func(sim.NodeID) sim.Service { return &keeper{} },
			Actions: []sim.AnyAction{
				sim.Action[*keeper]{Name: "set", When: func(k *keeper) bool { return !k.Set },
					Do: func(k *keeper, env sim.Env) { k.Set = true; c.set(k, env.Choose("which", 2)) }},
				sim.Action[*keeper]{Name: "look", Times: 1, When: func(k *keeper) bool { return k.Set },
					Do: func(k *keeper, _ sim.Env) { k.Bad = c.look(k) }},
			},
			Properties: []sim.Property{{Name: "good", Always: sim.Each(func(_ sim.NodeID, k *keeper) bool { return !k.Bad })}},
		}
		everywhere(t, c.name, sys, func(t *testing.T, res *search.Result) {
			if f := res.Finding; f == nil || f.Steps != 2 || f.Kind != sim.Safety && f.Kind != sim.Panic {
				t.Errorf("%s, %s: %+v", res.Verdict, res.Stopped, f)
			}
		})
	}
}

// everyEngine yields each strategy with each of the engines that it supports.
func everyEngine(engines ...string) iter.Seq2[search.Name, string] {
	return func(yield func(search.Name, string) bool) {
		for _, name := range named(0) {
			for _, engine := range engines {
				if (!name.Can(strategy.VisitsStates) || engine != runloop.ReplayEngine) && !yield(name, engine) {
					return
				}
			}
		}
	}
}

// everywhere runs a search by each strategy and engine.
func everywhere(t *testing.T, name string, sys sim.System, judge func(t *testing.T, res *search.Result)) {
	verdict(t, name, sys, func(t *testing.T, res *search.Result, err error) {
		if err != nil {
			t.Fatal(err)
		}
		judge(t, res)
	})
}

// verdict is everywhere for searches that may be rejected.
func verdict(t *testing.T, name string, sys sim.System, judge func(t *testing.T, res *search.Result, err error)) {
	for by, engine := range everyEngine(runloop.ReplayEngine, runloop.TableEngine, runloop.AutoEngine) {
		t.Run(fmt.Sprintf("%s/%s/%s", name, by, engine), func(t *testing.T) {
			cfg := search.Config{System: sys, Strategy: by, Engine: engine, Alone: by == search.Deepening, WalkSteps: 200, Workers: 1, HandlerLimit: patient}
			if onlyWalks(by) {
				cfg.MaxPaths = 50
			}
			if engine == runloop.AutoEngine {
				cfg = search.Alternating(cfg)
			}
			res, err := search.Run(context.Background(), cfg)
			judge(t, res, err)
		})
	}
}

// ring overwrites its first item when it is full, and fails after laps laps unless laps is 0.
func ring(laps int) sim.System {
	return sim.System{
		Name: "ring", Nodes: 1,
		New: func(sim.NodeID) sim.Service { return &keeper{Items: make([]int, 0, 4), Mark: nobody} },
		Actions: []sim.AnyAction{sim.Action[*keeper]{Name: "put",
			When: func(k *keeper) bool { return laps == 0 || k.Laps < laps },
			Do: func(k *keeper, _ sim.Env) {
				if len(k.Items) < cap(k.Items) {
					k.Items = append(k.Items, k.Laps)
					return
				}
				k.Items = append(k.Items[:0], k.Items[1:]...)
				if laps > 0 {
					k.Laps++
				}
				k.Bad = k.Mark == nobody && laps > 0 && k.Laps == laps
			}}},
		Properties: []sim.Property{
			{Name: "good", Always: sim.Each(func(_ sim.NodeID, k *keeper) bool { return !k.Bad })},
			{Name: "bounded", Always: sim.Each(func(_ sim.NodeID, k *keeper) bool { return len(k.Items) <= 4 && cap(k.Items) == 4 })},
		},
	}
}

// The slices that tables pass to a handler have the capacity, and refer to the variables, that the state does. The
// violation is therefore found where running the service itself finds it.
func TestAliasing_CopiesKeepCapacity(t *testing.T) {
	everywhere(t, "ring", ring(20), func(t *testing.T, res *search.Result) {
		// Four puts, and from then on one that makes room and one that fills it.
		if f := res.Finding; f == nil || f.Kind != sim.Safety || f.Property != "good" || f.Steps != 4+2*20-1 {
			t.Errorf("%s, %s: %+v", res.Verdict, res.Stopped, f)
		}
	})
}

// A ring that is bounded by its capacity is correct.
func TestAliasing_CapacityBoundsRing(t *testing.T) {
	everywhere(t, "ring", ring(0), func(t *testing.T, res *search.Result) {
		if res.Verdict != search.OK {
			t.Errorf("%s, %s: %+v", res.Verdict, res.Stopped, res.Finding)
		}
	})
}
