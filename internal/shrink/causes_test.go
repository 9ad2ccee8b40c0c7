package shrink

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// relay sends numbers to and fro, one less each time, until 0.
type relay struct {
	sim.Nop
	Sum int
}

func (r *relay) Receive(env sim.Env, from sim.NodeID, m any) {
	n := m.(int)
	if r.Sum += n + 1; n > 0 {
		env.Send(from, n-1)
	}
}

// Each delivery is caused by the step that sent its message.
func TestPlayer_Causes(t *testing.T) {
	sys := sim.System{
		Name: "relay", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return &relay{} },
		Actions: []sim.AnyAction{sim.Action[*relay]{Name: "start", Do: func(_ *relay, env sim.Env) { env.Send(1-env.Self(), 2) }}},
	}
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &Player{Run: replay.NewRun(w)}
	if err := p.Run.Start(p); err != nil {
		t.Fatal(err)
	}
	take := func(key string) {
		for i := 0; ; i++ {
			ev, ok := p.Run.Event(i)
			if !ok {
				t.Fatalf("%s is not enabled", key)
			}
			if w.Key(ev) == key {
				if err := p.Run.Step(i, p); err != nil {
					t.Fatal(err)
				}
				return
			}
		}
	}
	for _, key := range []string{
		"action n0 start", "action n1 start", "deliver n1<-n0 2", "deliver n0<-n1 2", "deliver n0<-n1 1", "deliver n1<-n0 1", "deliver n1<-n0 0",
	} {
		take(key)
	}
	whole, err := p.Follow(p.Run.Path.Clone())
	if err != nil {
		t.Fatal(err)
	}
	played, causes := p.Causes(whole.Script)
	if want := []int{-1, -1, 0, 1, 2, 3, 4}; len(played.Steps) != 7 || !slices.Equal(causes, want) {
		t.Errorf("%d steps, causes %v, want %v", len(played.Steps), causes, want)
	}
	if got := consequences(causes)[0]; !slices.Equal(got, []int{0, 2, 4, 6}) {
		t.Errorf("steps that follow from the first one: %v", got)
	}
}

// scripted returns a script with a step for each letter, and lettered its letters.
func scripted(letters string) (s Script) {
	for _, l := range letters {
		s.Steps = append(s.Steps, Step{Key: string(l), Class: string(l)})
	}
	return s
}

func lettered(s Script) string {
	var b strings.Builder
	for i := range s.Steps {
		b.WriteString(s.Steps[i].Key)
	}
	return b.String()
}

// Two causes that are needed only together are left out, and the result is known for it. Without them it is known of single steps only.
func TestReducer_DropsPairs(t *testing.T) {
	for _, c := range []struct {
		known bool
		want  string
	}{{true, "z"}, {false, "aabbz"}} {
		// b follows from a: whole causes may be left out two at a time.
		r := &reducer{best: scripted("aabbz")}
		r.report, r.spent, r.halfSpent = func(*reducer) {}, func() bool { return false }, func() bool { return true }
		r.judge = func(_ context.Context, s Script) (Script, bool, error) {
			text := lettered(s)
			a, b := strings.Count(text, "a"), strings.Count(text, "b")
			return s, strings.HasSuffix(text, "z") && a == b && a != 1, nil
		}
		if c.known {
			r.causes = func(s Script) (Script, []int) {
				if lettered(s) == "aabbz" {
					return s, []int{-1, -1, 0, 1, -1}
				}
				return s, slices.Repeat([]int{-1}, len(s.Steps))
			}
		}
		// Blocks have two steps at most.
		if r.reduce(t.Context()); lettered(r.best) != c.want || !r.minimal || r.pairs != c.known {
			t.Errorf("causes known: %v: %q, minimal %v, pairs %v", c.known, lettered(r.best), r.minimal, r.pairs)
		}
	}
}

// Many classes of steps are dropped at once.
func TestReducer_DropsClasses(t *testing.T) {
	r := &reducer{best: scripted("abcdefghijklmnopqrstuvwxyabcdefghijklmnopqrstuvwxyz")}
	r.report, r.spent, r.halfSpent = func(*reducer) {}, func() bool { return false }, func() bool { return true }
	r.judge = func(_ context.Context, s Script) (Script, bool, error) {
		text := lettered(s)
		return s, strings.Contains(text, "c") && strings.HasSuffix(text, "z"), nil
	}
	// One at a time takes a candidate for each of the 26 classes.
	if r.dropClasses(t.Context()); lettered(r.best) != "ccz" || r.tried > 18 {
		t.Errorf("%q after %d candidates", lettered(r.best), r.tried)
	}
}
