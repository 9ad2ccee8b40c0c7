package kernel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// doer has the actions of its system.
type doer struct{ sim.Nop }

// doing is a system in which node 0 may call each of the functions once, in any order.
func doing(network sim.Network, crashes int, things ...func(sim.Env)) *sim.System {
	sys := &sim.System{Name: "doing", Nodes: 2, Network: network, Crashes: crashes,
		New: func(sim.NodeID) sim.Service { return &doer{} }}
	for i, f := range things {
		sys.Actions = append(sys.Actions, sim.Action[*doer]{Name: fmt.Sprint(i), Times: 1,
			At: func(id sim.NodeID) bool { return id == 0 }, Do: func(_ *doer, env sim.Env) { f(env) }})
	}
	return sys
}

func take(t *testing.T, w kernel.World, key string, src choose.Source) {
	t.Helper()
	for _, ev := range w.Injections(slices.Clone(w.Enabled())) {
		if w.Key(ev) == key {
			if err := w.Step(ev, src); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%q is not among %q", key, keys(w))
}

// fields returns the timers and the disk of node 0.
func fields(w kernel.World) (list []string) {
	for _, f := range w.NodeFields(0) {
		if f.Path != "" && !strings.HasPrefix(f.Path, "(action") {
			list = append(list, f.Path+" "+f.Value)
		}
	}
	return list
}

func TestDiskWithinAStep(t *testing.T) {
	w := start(t, doing(nil, 0, func(env sim.Env) {
		d := env.Disk()
		d.Put("a", []byte("1"))
		d.Put("ab", []byte("2"))
		d.Sync()
		d.Put("b", []byte("3"))
		d.Delete("a")
		if v, ok := d.Get("a"); ok || v != nil {
			t.Errorf("a was deleted, and is %q", v)
		}
		if v, ok := d.Get("b"); !ok || string(v) != "3" {
			t.Errorf("b is %q", v)
		}
		if got := d.Keys("a"); !slices.Equal(got, []string{"ab"}) {
			t.Errorf("keys with a: %q", got)
		}
		d.Sync()
		d.Put("c", []byte("4"))
		d.Put("json", []byte(`{"c":4}`)) // is shown unquoted
	}))
	take(t, w, "action n0 0", choose.First)
	if got, want := fields(w), []string{`(disk ab) "2"`, `(disk b) "3"`, `(unsynced write 1) c = "4"`,
		"(unsynced write 2) json = `{\"c\":4}`"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A crash keeps any prefix of the writes that were not synced.
func TestCrashKeepsAPrefixOfWrites(t *testing.T) {
	write := func(env sim.Env) {
		d := env.Disk()
		d.Put("a", []byte("1"))
		d.Sync()
		d.Put("b", []byte("2"))
		d.Delete("a")
		d.Put("b", []byte("3"))
	}
	for kept, want := range [][]string{{`(disk a) "1"`}, {`(disk a) "1"`, `(disk b) "2"`}, {`(disk b) "2"`}, {`(disk b) "3"`}} {
		w := start(t, doing(nil, 1, write))
		take(t, w, "action n0 0", choose.First)
		take(t, w, "crash n0", choose.SourceFunc(func(p choose.Point) int {
			if p.Kind != choose.Outcome || p.Arity != 4 {
				t.Errorf("got %+v, want an outcome of 4 alternatives", p)
			}
			return kept
		}))
		if got := fields(w)[1:]; !slices.Equal(got, want) { // the first says that the node is down
			t.Errorf("%d writes kept: got %q, want %q", kept, got, want)
		}
	}
}

// Under ByDeadline a node's time advances to the deadline of the timer that fires.
func TestDeadlines(t *testing.T) {
	w := start(t, doing(nil, 0,
		func(env sim.Env) { env.SetTimer("three", 3*time.Second); env.SetTimer("five", 5*time.Second) },
		func(env sim.Env) { env.SetTimer("one", time.Second) },
	))
	take(t, w, "action n0 0", choose.First)
	take(t, w, `timer n0 "three"`, choose.First)
	if got, want := fields(w), []string{`(timer "five") in 2s`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	take(t, w, "action n0 1", choose.First)
	if got, want := keys(w), []string{`timer n0 "one"`}; !slices.Equal(got, want) {
		t.Errorf("enabled: %q, want %q", got, want)
	}
	take(t, w, `timer n0 "one"`, choose.First)
	if got, want := fields(w), []string{`(timer "five") in 1s`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Room counts the messages sent in the step. A stream closed in the step is empty.
func TestRoomWithinAStep(t *testing.T) {
	var got []int
	send := func(env sim.Env) {
		s := env.Stream(1)
		note := func() { got = append(got, s.Room()) }
		note()
		for range 3 {
			if err := s.Send(vote{1}); (err == nil) != (len(got) < 3) {
				t.Errorf("room %v: %v", got, err)
			}
			note()
		}
		s.Close()
		note()
		if err := s.Send(vote{1}); err != nil {
			t.Error(err)
		}
		note()
	}
	w := start(t, doing(netsim.Streams{Buffer: 2}, 0, send, func(env sim.Env) { got = append(got, env.Stream(1).Room()) }))
	take(t, w, "action n0 0", choose.First)
	take(t, w, "action n0 1", choose.First)
	if want := []int{2, 1, 0, 0, 2, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("room was %v, want %v", got, want)
	}
}
