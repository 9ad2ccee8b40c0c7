package replay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
	"github.com/macemc/macemc/systems/spec"
)

// long is a run without an end: two nodes send each other lists, over datagrams and streams, keep what
// they received, change it, and draw.
func long() *sim.System {
	return &sim.System{
		Name: "long", Nodes: 2, Crashes: 3,
		New:      func(sim.NodeID) sim.Service { return &keeper{} },
		Network:  netsim.Both{Datagrams: netsim.Datagrams{Loss: 3, Dup: 3}, Streams: netsim.Streams{Buffer: 3, Errors: 3}},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &counting{} }},
	}
}

type (
	list   struct{ At []int }
	tick   struct{}
	keeper struct {
		sim.Nop
		Mine, Heard [][]int
	}
	counting struct{ By []int }
)

func (c *counting) Observe(from sim.NodeID, ev any) error {
	c.By = append(c.By[:min(len(c.By), 5)], int(from), ev.(int))
	return nil
}

func (k *keeper) Boot(env sim.Env) { env.SetTimer(tick{}, 1) }

func (k *keeper) Timer(env sim.Env, _ any) {
	n := env.Choose("number", 3)
	k.Mine = append(k.Mine, []int{n, n + 1})
	if len(k.Mine) > 4 {
		k.Mine = k.Mine[1:]
	}
	for _, l := range k.Mine {
		env.Send(1-env.Self(), list{l})
		_ = env.Stream(1 - env.Self()).Send(list{l})
	}
	env.Announce(n)
	env.Disk().Put("n", []byte{byte(n)})
	if n == 1 {
		env.Disk().Sync()
	}
	k.Boot(env)
}

func (k *keeper) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	l := msg.(list)
	k.Heard = append(k.Heard, l.At) // keeps the message's memory
	if len(k.Heard) > 3 {
		k.Heard = k.Heard[1:]
	}
	for _, h := range k.Heard {
		h[0]++ // and changes it
	}
}

// everything about a state that a run could notice.
func everything(c *replay.Cursor) string {
	w := c.World()
	text := fmt.Sprint(w.Fingerprint())
	for _, ev := range w.Injections(slices.Clone(w.Enabled())) {
		text += "\n" + w.Key(ev)
	}
	for m := range w.InFlight() {
		text += fmt.Sprintf("\n%d", m.ID)
	}
	return text
}

// A moved cursor that keeps states is in the same state as plain execution at that step, and describes the steps around
// it in the same way.
func TestKeptStates(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	all := []*sim.System{long()}
	for _, e := range papers.All() {
		e.Limits = sim.Limits{}
		if cfg, err := e.Configure(spec.Config{}); err == nil {
			sys, err := e.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if with, err := sys.WithLimits(sim.Limits{sim.Crashes: 2}); err == nil {
				sys = with
			}
			all = append(all, &sys)
		}
	}
	for _, sys := range all {
		t.Run(sys.Name, func(t *testing.T) {
			path := walk(t, sys, 11, 500).Path
			plain, err := replay.NewCursor(sys, path, kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			states := []string{everything(plain)}
			for !plain.AtEnd() {
				if err := plain.Next(); err != nil {
					break
				}
				states = append(states, everything(plain))
			}
			whole := record(t, sys, path)
			c, err := replay.NewCursor(sys, path, kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c.Keep()
			last := len(states) - 1
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(0, last).Draw(t, "to")
				if err := c.To(n); err != nil || everything(c) != states[n] {
					t.Fatalf("step %d: %v\ngot  %s\nwant %s", n, err, everything(c), states[n])
				}
				from := max(1, n-rapid.IntRange(0, 30).Draw(t, "before"))
				part, err := c.Record(from, n)
				if err != nil {
					t.Fatal(err)
				}
				sameSteps(t, whole, part, from, n)
			})
			foreign := sys.Name == "etcdraft" // its nodes hold functions
			if err := c.Uncopied(); (err != nil) != foreign {
				t.Errorf("states are not copied: %v", err)
			}
		})
	}
}

// sameSteps compares a part of a run with the whole.
func sameSteps(t *rapid.T, whole, part *replay.Trace, from, to int) {
	got, want := asJSON(t, part.Steps), asJSON(t, whole.Steps[from-1:max(from-1, to)])
	if to >= from && got != want {
		t.Fatalf("steps %d to %d:\ngot  %s\nwant %s", from, to, got, want)
	}
	for _, m := range part.Messages {
		w := *whole.Message(m.ID)
		w.Fates = slices.DeleteFunc(slices.Clone(w.Fates), func(f replay.TraceFate) bool {
			return f.Step > to || f.Step < from && m.Sent < from
		})
		w.InFlight = len(w.Fates) == 0 || w.Fates[len(w.Fates)-1].Fate == netmodel.Duplicated
		if m.Sent < from {
			w.CopyOf = 0 // a part of a trace lacks earlier information
		}
		if g, w := asJSON(t, m), asJSON(t, w); g != w {
			t.Fatalf("message %d in steps %d to %d:\ngot  %s\nwant %s", m.ID, from, to, g, w)
		}
	}
}

func asJSON(t *rapid.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A branch continues from any step, and does not change the run that it left.
func TestBranch(t *testing.T) {
	sys := long()
	path := walk(t, sys, 3, 400).Path
	c, err := replay.NewCursor(sys, path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Keep()
	if err := c.To(300); err != nil {
		t.Fatal(err)
	}
	before := everything(c)
	n := 0 // a step that sent something, after which a state was kept
	for id, ok := sim.MessageID(1), true; ok && (n == 0 || n%c.Distance() != 0); id++ {
		n, ok = c.SentAt(id)
	}
	if n == 0 {
		t.Fatal("this run sends nothing in such a step")
	}
	b, err := c.Branch(n)
	if err != nil {
		t.Fatal(err)
	}
	if everything(c) != before || c.Steps() != 300 || b.Steps() != n || !b.AtEnd() {
		t.Fatalf("the cursor is at step %d, the branch at %d", c.Steps(), b.Steps())
	}
	for id := sim.MessageID(1); ; id++ {
		sent, ok := c.SentAt(id)
		if !ok {
			break
		}
		if at, ok := b.SentAt(id); ok != (sent <= n) || ok && at != sent {
			t.Fatalf("message %d was sent in step %d; the branch says %d, %v", id, sent, at, ok)
		}
	}
	for range 150 {
		if err := b.Extend(0, choose.First); err != nil {
			t.Fatal(err)
		}
	}
	want := everything(b)
	if err := b.To(10); err != nil {
		t.Fatal(err)
	}
	if err := b.Extend(0, choose.First); err == nil {
		t.Error("a path was made longer in its middle")
	}
	if err := b.To(n + 150); err != nil || everything(b) != want {
		t.Errorf("the branch is not the same again: %v", err)
	}
	plain, err := replay.NewCursor(sys, b.Path(), kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.To(n + 150); err != nil || everything(plain) != want {
		t.Errorf("the branch's path leads elsewhere: %v", err)
	}
	if err := c.To(400); err != nil && !errors.Is(err, replay.ErrEnd) {
		t.Error(err)
	}
}

// handles holds a function, so that its state cannot be copied.
type handles struct {
	sim.Nop
	n  int
	up func()
}

func (h *handles) add(sim.Env) { h.n++ }

// States that cannot be copied are reached by executing from the start.
func TestStatesThatCannotBeKept(t *testing.T) {
	sys := &sim.System{
		Name: "handles", Nodes: 1, New: func(sim.NodeID) sim.Service { return &handles{up: func() {}} },
		State:   []sim.StateRule{sim.IgnoreField[handles]("up")},
		Actions: []sim.AnyAction{sim.Action[*handles]{Name: "add", Do: (*handles).add}},
	}
	c, err := replay.NewCursor(sys, make(choose.Path, 200), kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Keep()
	for _, n := range []int{200, 3, 150, 64} {
		if err := c.To(n); err != nil || c.World().Service(0).(*handles).n != n {
			t.Errorf("step %d: %v, n is %d", n, err, c.World().Service(0).(*handles).n)
		}
	}
	if c.Uncopied() == nil {
		t.Fatal("the state was copied")
	}
	if part, err := c.Record(100, 110); err != nil || len(part.Steps) != 11 || part.Steps[0].Number != 100 {
		t.Errorf("%+v, %v", part, err)
	}
}

// BenchmarkTo goes to any step of a run of Pastry, from the start or from states that were kept.
func BenchmarkTo(b *testing.B) {
	for _, e := range papers.All() {
		if e.Name != "pastry" {
			continue
		}
		cfg, err := e.Configure(spec.Config{})
		if err != nil {
			b.Fatal(err)
		}
		sys, err := e.New(cfg)
		if err != nil {
			b.Fatal(err)
		}
		path := walk(b, &sys, 1, 20_000).Path
		for _, keep := range []bool{false, true} {
			b.Run(fmt.Sprintf("keep=%v", keep), func(b *testing.B) {
				c, err := replay.NewCursor(&sys, path, kernel.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if keep {
					c.Keep()
				}
				if err := c.To(20_000); err != nil {
					b.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(7, 8))
				b.ResetTimer()
				for range b.N {
					if err := c.To(rng.IntN(20_001)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// touchy fails in its boot or its action.
type touchy struct {
	sim.Nop
	At   string
	Done int
}

func (s *touchy) Boot(env sim.Env) { env.Assert(s.At != "boot", "boot") }

func (s *touchy) act(env sim.Env) {
	s.Done++
	env.Assert(s.At != "action", "action")
}

// A part of a run reports the finding that ended the run, whenever it is requested.
func TestRecordPartTellsOfTheFinding(t *testing.T) {
	for at, steps := range map[string]int{"boot": 0, "action": 1} {
		sys := sim.System{Name: "touchy", Nodes: 1, New: func(sim.NodeID) sim.Service { return &touchy{At: at} },
			Actions: []sim.AnyAction{sim.Action[*touchy]{Name: "act", Do: (*touchy).act}}}
		c, err := replay.NewCursor(&sys, make(choose.Path, steps), kernel.Options{})
		if (err != nil) != (at == "boot") {
			t.Fatal(err)
		}
		for range 2 {
			for from := 1; from <= steps+1; from++ {
				trace, err := c.Record(from, 3)
				if err != nil || trace.Finding == nil || trace.Finding.Message != at || trace.FoundAt != steps {
					t.Errorf("%s, from step %d: %+v, %v", at, from, trace, err)
				}
			}
		}
	}
}

// Nor is it forgotten that a path does not fit.
func TestRecordPartTellsOfAMisfit(t *testing.T) {
	c, err := replay.NewCursor(&pingack.System, choose.Path{0, 7, 0}, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, from := range []int{1, 2, 2, 1} {
		if trace, err := c.Record(from, 3); err == nil || !strings.HasPrefix(err.Error(), "step 2: the path picks event 7") {
			t.Errorf("%d: %+v, %v", k, trace, err)
		}
	}
}
