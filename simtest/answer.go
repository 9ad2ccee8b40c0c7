package simtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// Answer answers the next choices with the given name: the name given to Env.Choose; "rand.IntN", "rand.Shuffle",
// "rand.Jitter" and "rand.Seeded" for draws; "is it earlier" for a comparison of times, where 1 is yes. Choices with
// one alternative need no answer. A choice without an answer fails the test, and so does an answer that is unused at
// the end of the test.
func (h *Node[S]) Answer(what string, picks ...int) {
	h.questions.scripted[what] = append(h.questions.scripted[what], picks...)
}

// AnswerOthers has src answer the choices without an Answer. [choose.First] takes the first alternative,
// choose.NewRandom(1, 0) draws.
func (h *Node[S]) AnswerOthers(src choose.Source) { h.questions.others = src }

// questions answers the choices of handlers.
type questions struct {
	scripted map[string][]int
	others   choose.Source
	wrong    string // error in a choice of the step, or in its answer
}

func (q *questions) init() { q.scripted = map[string][]int{} }

// choose continues with the first alternative if no answer is left, because a handler cannot be stopped.
func (q *questions) choose(p choose.Point) int {
	if picks := q.scripted[p.Label]; len(picks) > 0 {
		q.scripted[p.Label] = picks[1:]
		if picks[0] >= 0 && picks[0] < p.Arity {
			return picks[0]
		}
		q.fail("answer %[2]d to %[1]q is not 0 to %[3]d", p.Label, picks[0], p.Arity-1)
		return 0
	}
	if q.others != nil {
		return q.others.Choose(p)
	}
	q.fail("has no answer for %q (%d alternatives); call Answer(%q, pick) before", p.Label, p.Arity, p.Label)
	return 0
}

func (q *questions) fail(format string, args ...any) {
	if q.wrong == "" {
		q.wrong = fmt.Sprintf(format, args...)
	}
}

// left lists the unused answers.
func (q *questions) left() string {
	var texts []string
	for _, what := range slices.Sorted(maps.Keys(q.scripted)) {
		if picks := q.scripted[what]; len(picks) > 0 {
			texts = append(texts, fmt.Sprintf("%q %v", what, picks))
		}
	}
	return strings.Join(texts, ", ")
}

// answers passes a node's choices to the test.
type answers[S sim.Service] struct{ h *Node[S] }

func (a answers[S]) Choose(p choose.Point) int { return a.h.questions.choose(p) }

func (a answers[S]) Room(_, peer sim.NodeID) int {
	if room, set := a.h.room[peer]; set {
		return room
	}
	return a.h.run.Capacity()
}
