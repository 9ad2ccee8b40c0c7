package register

import (
	"testing"

	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// built returns the system with parameters and bugs.
func built(t *testing.T, params map[string]string, bugs ...string) sim.System {
	t.Helper()
	return systest.Build(t, Entry(), spec.Config{Params: params, Bugs: bugs}, sim.Limits{})
}

// model is a state of one write and one read at three base objects.
type model struct {
	write, read         [3]int // by object: the request and the acknowledgement that are not delivered
	answer              [3]int // by object: the value in its acknowledgement of the read
	stored              [3]int // by object: its value
	writing, reading    int    // not begun, busy, ended
	acks, answers       int    // counted by the writer and the reader
	latest, floor, last int    // read so far; the least correct result; written completely
}

const (
	none = iota
	request
	acknowledgement
)

// next returns the states after one step, and whether the read of each is regular.
func (m model) next(yield func(n model, ok bool)) {
	if m.writing == 0 {
		n := m
		n.writing, n.write = 1, [3]int{request, request, request}
		yield(n, true)
	}
	if m.reading == 0 {
		n := m
		n.reading, n.read, n.floor = 1, [3]int{request, request, request}, m.last
		yield(n, true)
	}
	for i := range 3 {
		n, ok := m, true
		switch m.write[i] {
		case request:
			n.write[i], n.stored[i] = acknowledgement, 1
			yield(n, true)
		case acknowledgement:
			if n.write[i] = none; m.writing == 1 {
				if n.acks++; n.acks == 2 {
					n.writing, n.last = 2, 1
				}
			}
			yield(n, true)
		}
		n = m
		switch m.read[i] {
		case request:
			n.read[i], n.answer[i] = acknowledgement, m.stored[i]
			yield(n, true)
		case acknowledgement:
			if n.read[i], n.answer[i] = none, 0; m.reading == 1 {
				n.latest = max(m.latest, m.answer[i])
				if n.answers++; n.answers == 2 {
					ok = n.latest >= m.floor
					n.reading, n.answers, n.latest, n.floor = 2, 0, 0, 0
				}
			}
			yield(n, ok)
		}
	}
}

func TestEntry_HasTheStatesOfTheModel(t *testing.T) {
	known := map[model]bool{{}: true}
	for queue := []model{{}}; len(queue) > 0; queue = queue[1:] {
		queue[0].next(func(n model, ok bool) {
			if !ok {
				t.Errorf("the model is not regular after %+v", queue[0])
			}
			if !known[n] {
				known[n] = true
				queue = append(queue, n)
			}
		})
	}
	systest.Clean(t, built(t, map[string]string{"writes": "1", "reads": "1"}), len(known))
}

func TestEntry_HasTheDocumentedStates(t *testing.T) {
	systest.Clean(t, built(t, map[string]string{"quorum": "true"}), 82_003)
	systest.Clean(t, built(t, nil), 585_339)
}

func TestRegularity_FailsByTheWrongSpecification(t *testing.T) {
	for _, params := range []map[string]string{
		{"spec": "wrong"},
		{"spec": "wrong", "quorum": "true"},
		{"spec": "wrong", "readers": "2", "writes": "1", "reads": "1"},
	} {
		systest.Violated(t, built(t, params), "monitor "+Regularity)
	}
}

func TestRegularity_FailsWithBugs(t *testing.T) {
	for _, quorum := range []string{"false", "true"} {
		for _, bug := range []string{"RG1", "RG2"} {
			systest.Violated(t, built(t, map[string]string{"quorum": quorum}, bug), "monitor "+Regularity)
		}
	}
}
