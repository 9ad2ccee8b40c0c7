package machine

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/macemc/macemc/sim"
)

// Answered are the variables of a monitor made by [EachAnswered].
type Answered[K comparable] struct{ Open []K }

// obligations implements obliged: one for each key.
func (a *Answered[K]) obligations() []sim.Obligation {
	var out []sim.Obligation
	for i, k := range a.Open {
		if slices.Index(a.Open, k) == i {
			out = append(out, sim.Obligation{Key: fmt.Sprintf("%+v", k), Hot: true})
		}
	}
	return out
}

// EachAnswered adds a monitor that counts each request that is sent as owed until a response of the same key is sent: one
// obligation for each key, unlike a counter of all, so that one answer does not stand for another. A key that is asked for
// again before it was answered is owed until as many answers were sent. A response that nobody waits for is a violation. Keys need other
// texts (%+v): what is owed is told apart by them. Req and Resp are types of events, and a [Sent] is a panic.
func EachAnswered[Req, Resp any, K comparable](s *System, name string, request func(Req) K, response func(Resp) K) {
	s.unbuilt("EachAnswered")
	for _, t := range []reflect.Type{reflect.TypeFor[Req](), reflect.TypeFor[Resp]()} {
		if own := sentType(t); own != t {
			panic(fmt.Sprintf("monitor %s: it is of what is sent, %v, without Sent", name, own))
		}
	}
	type vars = Answered[K]
	const none, owed = State("no answer is pending"), State("an answer is pending")
	ask := func(a *vars, _ *Ctx, r Sent[Req]) { a.Open = with(a.Open, request(r.Event)) }
	unasked := func(a *vars, x *Ctx, r Sent[Resp]) { x.Assert(false, "%+v answers nothing that was asked", r.Event) }
	s.Monitor(Define[vars](name,
		In(none, Cold, OnGotoWith(owed, ask), On(unasked)),
		In(owed, Hot, On(ask), On(func(a *vars, x *Ctx, r Sent[Resp]) {
			i := slices.Index(a.Open, response(r.Event))
			switch {
			case i < 0:
				unasked(a, x, r)
			case len(a.Open) == 1:
				a.Open = nil
				x.Goto(none)
			default:
				a.Open = with(a.Open[:i], a.Open[i+1:]...)
			}
		}, none))), vars{})
}
