package machine

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/macemc/macemc/sim"
)

// Answered holds the variables of a monitor made by [EachAnswered].
type Answered[K comparable] struct{ Open []K }

// obligations implements obliged: one obligation for each key.
func (a *Answered[K]) obligations() []sim.Obligation {
	var out []sim.Obligation
	for i, k := range a.Open {
		if slices.Index(a.Open, k) == i {
			out = append(out, sim.Obligation{Key: fmt.Sprintf("%+v", k), Hot: true})
		}
	}
	return out
}

// EachAnswered adds a monitor that counts each sent request as open until a response with the same key is sent. There
// is one obligation for each key, so that an answer to one key does not settle another, as it would with a single
// counter. A key that is requested again before its answer stays open until as many answers were sent. A response
// without an open request is a violation. Keys must differ in their texts (%+v), which identify obligations. Req and
// Resp are types of events; a [Sent] panics.
func EachAnswered[Req, Resp any, K comparable](s *System, name string, request func(Req) K, response func(Resp) K) {
	s.unbuilt("EachAnswered")
	for _, t := range []reflect.Type{reflect.TypeFor[Req](), reflect.TypeFor[Resp]()} {
		if own := sentType(t); own != t {
			panic(fmt.Sprintf("monitor %s: use the type that is sent, %v, without Sent", name, own))
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
