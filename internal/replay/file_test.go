package replay_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
)

func TestWriteFileGolden(t *testing.T) {
	path := follow(t, &pingack.System, deadKeys...)
	f, err := replay.WriteFile(&pingack.System, pathfile.Header{Seed: 1, Property: "every ping is acknowledged"}, path)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := f.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "pingack.path", text.Bytes())
	limits, err := replay.HeaderLimits(&f.Header)
	if err != nil || limits != pingack.System.Limits() {
		t.Errorf("limits %+v, error %v", limits, err)
	}
}

// rewritten writes a path as text and parses it.
func rewritten(t *testing.T, sys *sim.System, path choose.Path) *pathfile.File {
	t.Helper()
	f, err := replay.WriteFile(sys, pathfile.Header{}, path)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := f.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	if f, err = pathfile.Parse(&text); err != nil {
		t.Fatal(err)
	}
	return f
}

// A path written to a file and read back is the same path, and ends in the same state under higher limits, with
// questions about faults that the file does not answer.
func TestFileRoundTrip(t *testing.T) {
	sys := randTree(t, 3, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1})
	more := randTree(t, 3, sim.Limits{sim.Crashes: 3, sim.NetErrors: 2})
	seeds := uint64(20)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		path := walk(t, sys, seed, 80).Path
		f := rewritten(t, sys, path)
		r, err := replay.ReadFile(sys, f)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Path, path) || len(r.Moved) != 0 {
			t.Fatalf("seed %d: path %v, want %v; moved %v", seed, r.Path, path, r.Moved)
		}
		if r, err = replay.ReadFile(more, f); err != nil {
			t.Fatal(err)
		}
		got, want := record(t, more, r.Path), record(t, sys, path)
		if len(got.Steps) != len(want.Steps) {
			t.Fatalf("seed %d: %d steps under higher limits, want %d", seed, len(got.Steps), len(want.Steps))
		}
		for i := range got.Steps {
			if !reflect.DeepEqual(got.Steps[i].Changes, want.Steps[i].Changes) {
				t.Fatalf("seed %d: step %d changes %v under higher limits, want %v",
					seed, i+1, got.Steps[i].Changes, want.Steps[i].Changes)
			}
		}
	}
}

func TestReadFileReportsMovedEvents(t *testing.T) {
	f := script(&pingack.System, "action n0 ping", "timer n0 resend{}")
	f.Steps[1].Index = 5
	r, err := replay.ReadFile(&pingack.System, f)
	if err != nil {
		t.Fatal(err)
	}
	// Timers of n0 come before messages to n1.
	if want := []replay.Moved{{Step: 2, From: 5, To: 0}}; !reflect.DeepEqual(r.Moved, want) {
		t.Errorf("moved %v, want %v", r.Moved, want)
	}
	if want := (choose.Path{0, 0}); !slices.Equal(r.Path, want) {
		t.Errorf("path %v, want %v", r.Path, want)
	}
}

func TestReadFileMisfits(t *testing.T) {
	sys := &pingack.System
	f := script(sys, "action n0 ping", "deliver n1<-n0 Ping{Seq:7}")
	_, err := replay.ReadFile(sys, f)
	var mismatch *replay.MismatchError
	if !errors.As(err, &mismatch) || mismatch.Step != 2 {
		t.Fatalf("error %v, want a mismatch in step 2", err)
	}
	// Most like it: the same message class and nodes; then the loss, then the timer.
	want := "step 2 (deliver n1<-n0 Ping{Seq:7}): this cannot happen here; what can happen: " +
		"deliver n1<-n0 Ping{Seq:1}; lose n1<-n0 Ping{Seq:1}; timer n0 resend{}"
	if err.Error() != want {
		t.Errorf("error\n%v, want\n%v", err, want)
	}

	f = script(sys, "action n0 ping")
	f.Steps[0].Picks = []pathfile.Pick{{Kind: choose.Draw, Pick: 1, Label: "peer"}}
	if _, err = replay.ReadFile(sys, f); err == nil || !strings.Contains(err.Error(), `draw "peer"`) {
		t.Errorf("error %v, want one that names the pick that nobody asked for", err)
	}

	f = script(sys)
	f.Header.Nodes = 3
	if _, err = replay.ReadFile(sys, f); err == nil || !strings.Contains(err.Error(), "3 nodes") {
		t.Errorf("error %v, want one about the number of nodes", err)
	}
}

// Errors name the line of the file.
func TestReadFileLines(t *testing.T) {
	const head = "macemc path 1\nsystem pingack\nnodes 2\nseed 1\n"
	for text, want := range map[string]string{
		head + "# first\n0 action n0 ping\n\n1 deliver n1<-n0 Pong\nend 2\n": "line 8: step 2 (deliver n1<-n0 Pong): this cannot",
		strings.Replace(head, "pingack", "paxos", 1) + "end 0\n":             `line 2: the path is of system "paxos" with 2 nodes`,
		head + "boot draw:1(peer)\nend 0\n":                                  `line 5: first boots: the file picks alternative 1 of draw "peer"`,
		head + "limit rain=1\nend 0\n":                                       `unknown limit "rain"; known limits are crashes, halts, net-errors, loss`,
	} {
		f, err := pathfile.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = replay.HeaderLimits(&f.Header); err == nil {
			_, err = replay.ReadFile(&pingack.System, f)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A file that was tampered with either fits or is refused. A run read from it can be recorded.
func TestReadFileTampered(t *testing.T) {
	sys := randTree(t, 3, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1})
	path := walk(t, sys, 2, 60).Path
	f, err := replay.WriteFile(sys, pathfile.Header{}, path)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := *f
		g.Steps = slices.Clone(f.Steps)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			at := rapid.IntRange(0, len(g.Steps)-1).Draw(t, "at")
			s := &g.Steps[at]
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				s.Index = rapid.IntRange(-3, 40).Draw(t, "index")
			case 1:
				s.Key = g.Steps[rapid.IntRange(0, len(g.Steps)-1).Draw(t, "from")].Key
			case 2:
				s.Picks = append(slices.Clone(s.Picks), pathfile.Pick{
					Kind: choose.Kind(rapid.IntRange(1, 4).Draw(t, "kind")), Pick: rapid.IntRange(-1, 3).Draw(t, "pick"),
				})
			case 3:
				g.Steps = slices.Delete(g.Steps, at, at+1)
				if len(g.Steps) == 0 {
					return
				}
			}
		}
		r, err := replay.ReadFile(sys, &g)
		var mismatch *replay.MismatchError
		switch {
		case errors.As(err, &mismatch):
			if mismatch.Step < 1 || mismatch.Step > len(g.Steps) || mismatch.Key != g.Steps[mismatch.Step-1].Key {
				t.Fatalf("mismatch in step %d with key %q", mismatch.Step, mismatch.Key)
			}
		case err != nil:
			t.Fatal(err)
		default:
			trace, err := replay.Record(sys, r.Path, kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range trace.Steps {
				if s.Key != g.Steps[i].Key {
					t.Fatalf("step %d is %q, want %q", i+1, s.Key, g.Steps[i].Key)
				}
			}
		}
	})
}
