package search_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// holder stores a value that cannot be encoded, behind an interface.
type holder struct {
	sim.Nop
	box   any
	start func(sim.Env)
}

type reply struct{ done chan int }

func (h *holder) Boot(env sim.Env) { h.start(env) }

func (h *holder) Timer(sim.Env, any) { h.box = reply{make(chan int)} }

// A value that cannot be encoded is an error that names the field and the rule to add, wherever it occurs.
func TestRun_EncodingErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		start func(sim.Env)
		want  string
	}{
		{"state", func(env sim.Env) { env.SetTimer(1, 1) }, "step 1: state of *search_test.holder: field box.done (chan int) cannot be encoded: " +
			"add sim.IgnoreField[search_test.reply](\"done\") to System.State, or tag the field `macemc:\"-\"`"},
		{"message", func(env sim.Env) { env.Send(0, reply{}) }, "at the start: message search_test.reply: field done (chan int) cannot be encoded: " +
			"add sim.IgnoreField[search_test.reply](\"done\") to System.State, or tag the field `macemc:\"-\"`"},
		{"value in a message", func(env sim.Env) { env.Send(0, []any{1, make(chan int)}) },
			"at the start: message []interface {}: field [1] (chan int) cannot be encoded: it is a chan"},
		{"event", func(env sim.Env) { env.Announce(reply{}) }, "at the start: announced event search_test.reply: field done (chan int) cannot be encoded: " +
			"add sim.IgnoreField[search_test.reply](\"done\") to System.State, or tag the field `macemc:\"-\"`"},
		{"timer", func(env sim.Env) { env.SetTimer(reply{}, 1) }, "at the start: timer search_test.reply: field done (chan int) cannot be encoded: " +
			"add sim.IgnoreField[search_test.reply](\"done\") to System.State, or tag the field `macemc:\"-\"`"},
		{"timer that is no key", func(env sim.Env) { env.SetTimer([1]any{[]int{1}}, 1) },
			"at the start: timer [1]interface {}: cannot be a timer: timers must be comparable; use a struct of names and numbers"},
		{"timer that points", func(env sim.Env) { env.SetTimer(new(int), 1) },
			"at the start: timer *int: cannot be a timer: timers must not hold pointers, because two that look alike would be one timer; use names and numbers"},
		{"no timer", func(env sim.Env) { env.SetTimer(nil, 1) },
			"at the start: timer nil: cannot be a timer: timers must be comparable; use a struct of names and numbers"},
	} {
		for _, cfg := range []search.Config{
			{}, {Engine: runloop.TableEngine}, {Strategy: search.BFS}, {Strategy: search.Walk}, {Workers: 2},
		} {
			cfg.System = sim.System{
				Name: "holder", Nodes: 1, Network: netsim.Datagrams{}, Timing: sim.AnyOrder,
				New:        func(sim.NodeID) sim.Service { return &holder{start: c.start} },
				State:      []sim.StateRule{sim.IgnoreField[holder]("start")},
				Properties: []sim.Property{{Name: "none", Always: func(*sim.View) bool { return true }}},
			}
			cfg.MaxPaths = 1000
			_, err := search.Run(t.Context(), cfg)
			_, what, _ := strings.Cut(c.want, ": field ")
			var state *encoding.Error
			switch {
			case err == nil:
				t.Errorf("%s: no error with strategy %q, engine %v", c.name, cfg.Strategy, cfg.Engine)
			case !errors.As(err, &state):
				t.Errorf("%s: error %v is a %T with strategy %q, engine %v", c.name, err, err, cfg.Strategy, cfg.Engine)
			case cfg.Strategy != search.BFS && err.Error() != c.want,
				!strings.HasSuffix(err.Error(), what): // the tables may find it in another place
				t.Errorf("%s, strategy %q, engine %v:\ngot  %v\nwant %s", c.name, cfg.Strategy, cfg.Engine, err, c.want)
			}
		}
	}
}
