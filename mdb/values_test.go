package mdb_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
)

type temper int

func (m temper) String() string { return [...]string{"calm", "cross"}[m] }

// holder has values of several kinds.
type holder struct {
	sim.Nop
	Mood temper
	Peer sim.NodeID
	Wait time.Duration
	Name string
	Sure bool
}

// Old and new values read the same in the list of a state and in an event graph, which omits numbers behind names.
func TestValuesReadTheSame(t *testing.T) {
	s := opened(t, mdb.Config{Path: choose.Path{0}, System: &sim.System{
		Name: "values", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(holder) },
		Actions: []sim.AnyAction{sim.Action[*holder]{Name: "fill", Times: 1, Do: func(h *holder, _ sim.Env) {
			*h = holder{Mood: 1, Peer: 3, Wait: 1500 * time.Millisecond, Name: "a b", Sure: true}
		}}},
	}})
	s.Go(1)
	lines, err := s.States()
	if err != nil {
		t.Fatal(err)
	}
	places := regexp.MustCompile(`\S+\.go:\d+`) // in a column beside the values
	graph, changed := strings.Join(strings.Fields(places.ReplaceAllString(do(t, s, "graph"), "")), " "), 0
	for _, l := range lines {
		if !l.Changed || l.Path == "" || strings.HasPrefix(l.Path, "(") {
			continue
		}
		changed++
		old, value := textfmt.Names(l.Old, l.Value)
		if want := l.Path + " " + old + "->" + value; !strings.Contains(graph, want) {
			t.Errorf("the graph does not have %q:\n%s", want, graph)
		}
	}
	if changed != 5 {
		t.Errorf("%d values changed: %+v", changed, lines)
	}
}
