package chain

import (
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

// Front is what clients see of the chain.
type Front struct {
	Chain  []machine.ID  // that it believes in, from the head on
	Open   []smr.Request // that were not answered
	Passed int           // so many commits were answered
	Bugs   bugs
}

var frontKind = machine.Define[Front]("front", machine.In("serving",
	machine.On((*Front).request),
	machine.On((*Front).done),
	machine.On((*Front).down),
	machine.On((*Front).lost),
	machine.On((*Front).gone),
	machine.On((*Front).succInfo)))

func (f *Front) request(x *machine.Ctx, r smr.Request) {
	f.Open = slices.Clip(append(slices.Clone(f.Open), r))
	if len(f.Chain) > 0 {
		x.Send(f.Chain[0], Ask{r})
	}
}

// done passes answers on, each once: two tails may have given one. They come in the order of commits, as the last that a tail does is to
// say that it fails.
func (f *Front) done(x *machine.Ctx, d Done) {
	i := slices.IndexFunc(f.Open, func(r smr.Request) bool { return r.Client == d.Client && r.ID == d.Response.ID })
	if i < 0 {
		return
	}
	if f.Open = slices.Clip(slices.Delete(slices.Clone(f.Open), i, i+1)); len(f.Open) == 0 {
		f.Open = nil
	}
	f.Passed = d.Response.Commit
	x.Send(d.Client, d.Response)
}

// down is told by one that fails, after all that it had to say.
func (f *Front) down(x *machine.Ctx, d Down) { f.mend(x, d.Node, 0) }

func (f *Front) lost(x *machine.Ctx, l machine.Lost) { f.crashed(x, l.Peer) }
func (f *Front) gone(x *machine.Ctx, g Gone)         { f.crashed(x, g.Node) }

// crashed is about one whose last answers may be lost.
func (f *Front) crashed(x *machine.Ctx, node machine.ID) {
	if f.Bugs.has(cr8) {
		f.mend(x, node, 0)
		return
	}
	f.mend(x, node, f.Passed+1)
}

// mend leaves a replica out of the chain. A new tail answers anew from a commit on, if that is not 0.
func (f *Front) mend(x *machine.Ctx, node machine.ID, from int) {
	i := slices.Index(f.Chain, node)
	if i < 0 {
		return
	}
	f.Chain = slices.Clip(slices.Delete(slices.Clone(f.Chain), i, i+1))
	switch {
	case len(f.Chain) == 0:
	case i == 0:
		x.Send(f.Chain[0], BecomeHead{})
		for _, r := range f.Open {
			if !f.Bugs.has(cr6) {
				x.Send(f.Chain[0], Ask{r})
			}
		}
	case i == len(f.Chain):
		x.Send(f.Chain[i-1], BecomeTail{from})
	default:
		x.Send(f.Chain[i], NewPred{f.Chain[i-1]})
	}
}

// succInfo tells the one before a replica how far that has come, unless more has failed meanwhile: what a replica says to one
// that it does not know yet for its predecessor would be told too early.
func (f *Front) succInfo(x *machine.Ctx, s SuccInfo) {
	if i := slices.Index(f.Chain, s.Node); i > 0 && (f.Chain[i-1] == s.Pred || f.Bugs.has(cr7)) {
		x.Send(f.Chain[i-1], NewSucc{s.Node, s.Last, s.Acked})
	}
}
