package simext_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// closing and failing are services with a Close method of each kind, which calls end.
type (
	closing struct {
		sim.Nop
		end func() error
	}
	failing closing
)

func (c closing) Close()       { _ = c.end() }
func (f failing) Close() error { return f.end() }

var errClose = errors.New("close")

func TestClose_ReturnsMethodOfEitherKind(t *testing.T) {
	if simext.Close(sim.Nop{}) != nil {
		t.Error("a service without a Close method has one")
	}
	calls := 0
	end := func() error { calls++; return errClose }
	for i, c := range []struct {
		s    sim.Service
		want error
	}{{closing{end: end}, nil}, {failing{end: end}, errClose}} {
		if err := simext.Close(c.s)(); err != c.want || calls != i+1 {
			t.Errorf("%T: got %v after %d calls, want %v after %d", c.s, err, calls, c.want, i+1)
		}
	}
}

func TestDiscard_IgnoresFailures(t *testing.T) {
	calls := 0
	fails := func() error { calls++; return errClose }
	panics := func() error { calls++; panic("close") }
	for i, s := range []sim.Service{failing{end: fails}, failing{end: panics}, closing{end: panics}} {
		if simext.Discard(s); calls != i+1 {
			t.Errorf("%T: got %d calls of Close, want %d", s, calls, i+1)
		}
	}
	simext.Discard(sim.Nop{})
}

// The instant of a system precedes that of the command, and this the default.
func TestInstantOf_Precedence(t *testing.T) {
	defer func(old int64) { simext.Instant = old }(simext.Instant)
	for _, c := range []struct{ system, command, want int64 }{{5, 7, 5}, {5, 0, 5}, {0, 7, 7}, {0, 0, 946684800e9}} {
		var sys sim.System
		if c.system != 0 {
			sys = sys.At(time.Unix(0, c.system))
		}
		simext.Instant = c.command
		if got := simext.InstantOf(&sys); got != c.want {
			t.Errorf("system %d, command %d: got %d, want %d", c.system, c.command, got, c.want)
		}
	}
}

func TestAsLive_ChangesLiveNetworksOnly(t *testing.T) {
	for _, c := range []struct{ network, want sim.Network }{
		{netsim.Streams{Buffer: 2}, netsim.Streams{Buffer: 2}.AsLive()},
		{netsim.Both{}, netsim.Both{}.AsLive()},
		{netsim.Datagrams{}, netsim.Datagrams{}},
		{nil, nil},
	} {
		_, can := c.network.(simext.LiveNetwork)
		got := simext.AsLive(sim.System{Network: c.network}).Network
		if !reflect.DeepEqual(got, c.want) || simext.IsLive(got) != can || simext.IsLive(c.network) {
			t.Errorf("%#v: got %#v, want %#v", c.network, got, c.want)
		}
	}
}

func TestErrors_ExactTexts(t *testing.T) {
	cannot := &simext.CannotRun{Err: errClose}
	if cannot.Error() != "close" || !errors.Is(cannot, errClose) {
		t.Errorf("got %q, want the error that it wraps", cannot)
	}
	got := (&simext.NotSimulated{Node: 2, What: "it starts a process at main.go:12 main.run"}).Error()
	want := "the program of node 2 cannot be checked: " +
		"it starts a process at main.go:12 main.run, which is not simulated (docs/goroutines.md)"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

type tracing struct {
	sim.Env
	record simext.CodeRecord
}

func (e tracing) Traced() simext.CodeRecord { return e.record }

type record struct{ simext.CodeRecord }

func TestTraced_ReturnsRecordOfEnv(t *testing.T) {
	for _, c := range []struct {
		env  sim.Env
		want simext.CodeRecord
	}{{nil, nil}, {struct{ sim.Env }{}, nil}, {tracing{}, nil}, {tracing{record: record{}}, record{}}} {
		if got := simext.Traced(c.env); got != c.want {
			t.Errorf("%T: got %v, want %v", c.env, got, c.want)
		}
	}
}

func TestRestores_MatchesBothEnds(t *testing.T) {
	for label, want := range map[string]bool{
		"unsynced changes of page 2 of a that survive":            true,
		"unsynced pages of a that survive [none all some]":        true,
		"writes to a that survive although their sync failed":     true,
		"writes to a that a later one overtakes":                  true,
		"halves of the next write to a that survive":              true,
		"bytes of the next write to a that survive [0 4096 8192]": true,
		"unsynced changes of a":                                   false,
		"writes to a that a later one overtakes now":              false,
		"unsynced writes of n0 that survive":                      false,
		"the writes to a that survive":                            false,
	} {
		if got := simext.Restores(label); got != want {
			t.Errorf("%q: got %v, want %v", label, got, want)
		}
	}
}
