package chain

import (
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

// Front is the interface of the chain to clients.
type Front struct {
	Chain  []machine.ID  // the replicas that it believes to be up, from the head on
	Open   []smr.Request // unanswered requests
	Passed int           // number of answered commits
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

// done passes answers on, each once: two tails may have sent one. They arrive in commit order, since the report of
// its failure is the last message of a tail.
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

// down handles the last message of a failing replica.
func (f *Front) down(x *machine.Ctx, d Down) { f.mend(x, d.Node, 0) }

func (f *Front) lost(x *machine.Ctx, l machine.Lost) { f.crashed(x, l.Peer) }
func (f *Front) gone(x *machine.Ctx, g Gone)         { f.crashed(x, g.Node) }

// crashed handles a crashed replica. Its last answers may be lost.
func (f *Front) crashed(x *machine.Ctx, node machine.ID) {
	if f.Bugs.has(cr8) {
		f.mend(x, node, 0)
		return
	}
	f.mend(x, node, f.Passed+1)
}

// mend removes a replica from the chain. A new tail repeats the answers from a commit on, if from is not 0.
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

// succInfo forwards the progress of a replica to its predecessor, unless another replica has failed meanwhile.
// Otherwise the information could be for a predecessor that the replica does not know yet.
func (f *Front) succInfo(x *machine.Ctx, s SuccInfo) {
	if i := slices.Index(f.Chain, s.Node); i > 0 && (f.Chain[i-1] == s.Pred || f.Bugs.has(cr7)) {
		x.Send(f.Chain[i-1], NewSucc{s.Node, s.Last, s.Acked})
	}
}
