package replay_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// hue is an enumeration with names, for the texts of messages.
type hue int

func (h hue) String() string { return [...]string{"red", "green"}[h] }

type (
	card   struct{ Nr int }     // a datagram
	letter struct{ Nr, Of int } // on a stream
	paint  struct {
		Hue  hue
		Hues []hue
	} // a datagram
)

// sender numbers its messages.
type sender struct {
	sim.Nop
	Nr, Got int
}

func (s *sender) next() int { s.Nr++; return s.Nr }

func (s *sender) Receive(sim.Env, sim.NodeID, any) { s.Got++ }

// senders has every fate of a message. Send buffers hold one message. Node 2 boots late.
func senders() *sim.System {
	first := func(id sim.NodeID) bool { return id == 0 }
	return &sim.System{
		Name: "senders", Nodes: 3, Crashes: 3,
		New:  func(sim.NodeID) sim.Service { return &sender{} },
		Late: func(id sim.NodeID) bool { return id == 2 },
		Network: netsim.Both{
			Datagrams: netsim.Datagrams{Loss: 1, Dup: 2}, Streams: netsim.Streams{Buffer: 1, Errors: 1}, Partitions: 1},
		Actions: []sim.AnyAction{
			sim.Action[*sender]{Name: "cards", At: first, Do: func(s *sender, env sim.Env) {
				env.Send(1, card{s.next()})
				env.Send(2, card{s.next()})
			}},
			sim.Action[*sender]{Name: "letters", At: first, Do: func(s *sender, env sim.Env) {
				for i := range 2 {
					_ = env.Stream(1).Send(letter{s.next(), i + 1})
				}
				_ = env.Stream(2).Send(letter{s.next(), 3})
			}},
			sim.Action[*sender]{Name: "paint", At: first, Do: func(_ *sender, env sim.Env) { env.Send(1, paint{1, []hue{0, 1}}) }},
		},
		Properties: []sim.Property{{Name: "true", Eventually: func(*sim.View) bool { return true }}},
	}
}

// lives renders the lives of all messages: identity, text, way, fate and the step of the fate.
func lives(trace *replay.Trace) (lines []string) {
	for _, m := range trace.Messages {
		line := fmt.Sprintf("#%d %s n%d->n%d", m.ID, m.Text, m.From, m.To)
		if m.CopyOf > 0 {
			line += fmt.Sprintf(" copy of #%d in %d", m.CopyOf, m.Sent)
		} else {
			line += fmt.Sprintf(" sent in %d", m.Sent)
		}
		for _, f := range m.Fates {
			line += fmt.Sprintf(", %s in %d", f.Name, f.Step)
		}
		if m.InFlight {
			line += ", in flight"
		}
		lines = append(lines, line)
	}
	return lines
}

// Each message, or copy, has one identity for its whole life, and every fate is reported once.
func TestFates(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want []string
	}{
		{"duplicated, delivered, lost, receiver down", []string{
			"action n0 cards",
			"duplicate n1<-n0 datagram card{Nr:1}",
			"duplicate n1<-n0 datagram card{Nr:1}",
			"deliver n1<-n0 datagram card{Nr:1}",
			"lose n1<-n0 datagram card{Nr:1}",
		}, []string{
			"#1 card{1} n0->n1 sent in 1, duplicated in 2, duplicated in 3, delivered in 4",
			"#2 card{2} n0->n2 sent in 1, dropped: receiver down in 1",
			// Of equal datagrams the oldest is delivered first; a copy is as old as its original, and behind it.
			"#3 card{1} n0->n1 copy of #1 in 2, in flight",
			"#4 card{1} n0->n1 copy of #1 in 3, lost in 5",
		}},
		{"cut off, and delivered after a restart", []string{
			"action n0 cards",
			"crash n1",
			"boot n1",
			"deliver n1<-n0 datagram card{Nr:1}",
			"partition n0",
			"action n0 cards",
		}, []string{
			"#1 card{1} n0->n1 sent in 1, delivered in 4",
			"#2 card{2} n0->n2 sent in 1, dropped: receiver down in 1",
			"#3 card{3} n0->n1 sent in 6, dropped by a partition in 6",
			"#4 card{4} n0->n2 sent in 6, dropped: receiver down in 6",
		}},
		{"refused, delivered, dropped with its connection", []string{
			"action n0 letters",
			"deliver n1<-n0 stream letter{Nr:1 Of:1}",
			"ready n0<-n1",
			"action n0 letters",
			"break n0<-n1",
		}, []string{
			"#1 letter{Nr:1 Of:1} n0->n1 sent in 1, delivered in 2",
			"#2 letter{Nr:2 Of:2} n0->n1 sent in 1, refused in 1",
			"#3 letter{Nr:3 Of:3} n0->n2 sent in 1, dropped: receiver down in 1",
			"#4 letter{Nr:4 Of:1} n0->n1 sent in 4, dropped with its connection in 5",
			"#5 letter{Nr:5 Of:2} n0->n1 sent in 4, refused in 4",
			"#6 letter{Nr:6 Of:3} n0->n2 sent in 4, dropped: receiver down in 4",
		}},
		{"dropped by a crash of the sender", []string{
			"action n0 letters",
			"crash n0",
		}, []string{
			"#1 letter{Nr:1 Of:1} n0->n1 sent in 1, dropped by a crash in 2",
			"#2 letter{Nr:2 Of:2} n0->n1 sent in 1, refused in 1",
			"#3 letter{Nr:3 Of:3} n0->n2 sent in 1, dropped: receiver down in 1",
		}},
		{"dropped by a crash of the receiver", []string{
			"boot n2",
			"action n0 letters",
			"deliver n2<-n0 stream letter{Nr:3 Of:3}",
			"action n0 letters",
			"crash n2",
		}, []string{
			"#1 letter{Nr:1 Of:1} n0->n1 sent in 2, in flight",
			"#2 letter{Nr:2 Of:2} n0->n1 sent in 2, refused in 2",
			"#3 letter{Nr:3 Of:3} n0->n2 sent in 2, delivered in 3",
			"#4 letter{Nr:4 Of:1} n0->n1 sent in 4, refused in 4",
			"#5 letter{Nr:5 Of:2} n0->n1 sent in 4, refused in 4",
			"#6 letter{Nr:6 Of:3} n0->n2 sent in 4, dropped by a crash in 5",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := senders()
			got := lives(record(t, sys, follow(t, sys, c.keys...)))
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// A node that crashes inside a step has sent only what came before: the rest has no identity.
func TestFatesCrashInside(t *testing.T) {
	sys := senders()
	path := follow(t, sys, "action n0 cards")
	path[len(path)-1] = 2 // of the question whether n0 crashes: after the first of its two sends
	trace := record(t, sys, path)
	if got, want := lives(trace), []string{"#1 card{1} n0->n1 sent in 1, in flight"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	s := trace.Steps[0]
	if want := "n0 cards, and crashes; happened: send card{1} to n1; did not happen: send card{2} to n2 (fates_test.go:54)"; s.Sentence() != want {
		t.Errorf("got %q, want %q", s.Sentence(), want)
	}
	if e := s.Effects[1]; e.Applied || e.MsgID != 0 {
		t.Errorf("the effect after the crash: %+v", e)
	}
}

// The first of the datagrams of such a step may be lost.
func TestFatesCrashLoses(t *testing.T) {
	sys := senders()
	sys.CrashCut = sim.CutSubset
	path := follow(t, sys, "action n0 cards")
	path[len(path)-1] = 3
	trace := record(t, sys, path)
	if got, want := lives(trace), []string{"#1 card{2} n0->n2 sent in 1, dropped: receiver down in 1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := trace.Steps[0].Sentence(), "n0 cards, and crashes; happened: send card{2} to n2; did not happen: send card{1} to n1 (fates_test.go:53)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f, err := replay.WriteFile(sys, pathfile.Header{}, path)
	if err != nil || f.Header.CrashCut != "subset" {
		t.Fatalf("header %+v, %v", f.Header, err)
	}
	if r, err := replay.ReadFile(sys, f); err != nil || !slices.Equal(r.Path, path) {
		t.Errorf("read %+v, %v", r, err)
	}
	sys.CrashCut = sim.CutPrefix
	if _, err := replay.ReadFile(sys, f); err == nil {
		t.Error("it fits a system that loses no datagram so")
	}
}

// The log names messages where they are sent, and in the step of their fate.
func TestFatesGolden(t *testing.T) {
	sys := senders()
	trace := record(t, sys, follow(t, sys,
		"action n0 cards",
		"action n0 paint",
		"duplicate n1<-n0 datagram card{Nr:1}",
		"deliver n1<-n0 datagram card{Nr:1}",
		"lose n1<-n0 datagram paint{Hue:1 Hues:[0 1]}",
		"action n0 letters",
		"crash n0",
	))
	var text bytes.Buffer
	if err := trace.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "fates.txt", text.Bytes())
	if want := "datagram paint{Hue:green Hues:[red green]}"; trace.Steps[4].What != want {
		t.Errorf("step 5 is about %q, want %q", trace.Steps[4].What, want)
	}
	if want := "lose n1<-n0 datagram paint{Hue:1 Hues:[0 1]}"; trace.Steps[4].Key != want {
		t.Errorf("the key of step 5 is %q, want %q", trace.Steps[4].Key, want)
	}
}

// The log counts messages of one text on one link that are in flight at the end. It names the other ones.
func TestWriteText_InFlight(t *testing.T) {
	trace := record(t, senders(), follow(t, senders(),
		"action n0 cards", "action n0 paint", "duplicate n1<-n0 datagram card{Nr:1}", "duplicate n1<-n0 datagram card{Nr:1}"))
	var text bytes.Buffer
	if err := trace.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(text.String(), "in flight at the end: ")
	want := "3 card{1} n0->n1, the first since step 1\nin flight at the end: #3 paint{Hue:green Hues:[red green]} n0->n1, since step 2\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
