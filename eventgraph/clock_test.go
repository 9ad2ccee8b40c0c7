package eventgraph_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/systems/pingack"
)

func TestClockOrder(t *testing.T) {
	for _, c := range []struct {
		a, b   eventgraph.Clock
		before bool
	}{
		{eventgraph.Clock{1, 1}, eventgraph.Clock{2, 1}, true},
		{eventgraph.Clock{2, 1}, eventgraph.Clock{1, 1}, false},
		{eventgraph.Clock{2, 1}, eventgraph.Clock{1, 2}, false},
		{eventgraph.Clock{1, 1}, eventgraph.Clock{1, 1}, false},
		{eventgraph.Clock{1}, eventgraph.Clock{1, 1}, true},
		{eventgraph.Clock{1, 0}, eventgraph.Clock{1}, false},
		{nil, eventgraph.Clock{1}, true},
	} {
		if c.a.Before(c.b) != c.before {
			t.Errorf("%v before %v: %v", c.a, c.b, !c.before)
		}
	}
}

// Before is a strict partial order.
func TestClockLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) eventgraph.Clock {
			return rapid.SliceOfN(rapid.Int32Range(0, 3), 3, 3).Draw(t, name)
		}
		a, b, c := draw("a"), draw("b"), draw("c")
		if a.Before(a) || a.Before(b) && b.Before(a) || a.Before(b) && b.Before(c) && !a.Before(c) {
			t.Fatalf("%v, %v, %v: no strict partial order", a, b, c)
		}
	})
}

func TestClocks(t *testing.T) {
	g := scripted(t, &pingack.System, deadKeys(1)...)
	// n0, n1, and the network's loss. The first boots count for both nodes. The loss of step 6 follows
	// step 5, the acknowledgement's sending, and nothing follows the loss: step 7 is a timer of n0.
	want := []eventgraph.Clock{
		{1, 1, 0}, {2, 1, 0}, {2, 2, 0}, {3, 2, 0}, {4, 2, 0}, {4, 3, 0}, {4, 3, 1}, {5, 2, 0}, {5, 4, 0},
	}
	if got := g.Clocks(); !reflect.DeepEqual(got, want) {
		t.Errorf("clocks\n%v, want\n%v", got, want)
	}
}

// One step is before another exactly when the other can be reached from it by causes.
func TestClocksAreReachability(t *testing.T) {
	for seed := range uint64(4) {
		for name, g := range map[string]*eventgraph.Graph{
			"couriers": randomRun(t, couriers(4), seed, 120), "gossips": randomRun(t, gossips(), seed, 120),
		} {
			clocks := g.Clocks()
			reach := make([]map[int]bool, len(g.Events))
			for i := range g.Events {
				reach[i] = map[int]bool{}
				for _, c := range g.Events[i].Causes {
					if c >= i {
						t.Fatalf("%s %d: step %d is caused by step %d", name, seed, i, c)
					}
					reach[i][c] = true
					for r := range reach[c] {
						reach[i][r] = true
					}
				}
			}
			for i := range clocks {
				for j := range clocks {
					if got := clocks[j].Before(clocks[i]); got != reach[i][j] {
						t.Fatalf("%s %d: step %d before step %d: %v by clocks %v and %v, %v by causes",
							name, seed, j, i, got, clocks[j], clocks[i], reach[i][j])
					}
				}
			}
		}
	}
}

// A crash is a cause of the error that its peers hear of, and a broken connection of those of its ends.
func TestErrorsHaveCauses(t *testing.T) {
	g := randomRun(t, couriers(5), 2, 50)
	// From the golden text: 7 crashes n0, of which n1 hears in 8; 10 breaks n2-n3: heard of in 19 and 25.
	for step, cause := range map[int]int{8: 7, 19: 10, 25: 10} {
		if c := g.Events[step].Causes; !contains(c, cause) {
			t.Errorf("the causes of step %d are %v, without %d", step, c, cause)
		}
	}
}

func contains(list []int, n int) bool {
	for _, v := range list {
		if v == n {
			return true
		}
	}
	return false
}

// The log keeps the rules of ShiViz: every host's own clock starts at 1 and rises by 1, and every host
// that a clock names has logged that event before.
func TestShiViz(t *testing.T) {
	g := randomRun(t, gossips(), 3, 80)
	var b bytes.Buffer
	if err := g.ShiViz(&b); err != nil {
		t.Fatal(err)
	}
	logged := map[string]int{}
	entries := regexp.MustCompile(`(.*)\n(\S*) (\{.*\})\n`).FindAllStringSubmatch(b.String(), -1)
	if want := len(g.Nodes) + g.Last(); len(entries) != want || strings.Count(b.String(), "\n") != 2*want {
		t.Fatalf("%d entries, want %d", len(entries), want)
	}
	for _, e := range entries {
		var clock map[string]int
		if err := json.Unmarshal([]byte(e[3]), &clock); err != nil {
			t.Fatal(err)
		}
		logged[e[2]]++
		for host, n := range clock {
			if n > logged[host] || host == e[2] && n != logged[host] {
				t.Fatalf("%q of %s: clock %v, logged %v", e[1], e[2], clock, logged)
			}
		}
	}
}

func ExampleClock() {
	sent, received, elsewhere := eventgraph.Clock{1, 0, 0}, eventgraph.Clock{1, 1, 0}, eventgraph.Clock{0, 0, 1}
	fmt.Println(sent.Before(received), received.Before(sent), sent.Before(elsewhere))
	// Output: true false false
}
