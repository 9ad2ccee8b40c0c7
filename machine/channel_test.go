package machine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// The reliable channel of P's paper: a sender that repeats until a call reports success, and a receiver that drops
// known values. A call may be lost, and may arrive although it seems to be lost.
type (
	sendValue    struct{ Val int }
	carry        struct{ Val, SeqNum int }
	deliverValue struct{ Val int }
)

// At most mostCalls calls are in flight, so that the channel is finite; further ones are lost.
const (
	streamBuffer = 20
	mostCalls    = 3
)

type channelSender struct {
	Receiver    machine.ID
	Fair        bool
	SeqNum, Val int
}

var senderKind = machine.Define[channelSender]("sender",
	machine.In("idle", machine.OnGotoWith("trying", func(s *channelSender, _ *machine.Ctx, v sendValue) {
		s.SeqNum++
		s.Val = v.Val
	})),
	machine.In("trying", machine.Defer(sendValue{}), machine.Null((*channelSender).try, "idle")))

func (s *channelSender) try(x *machine.Ctx) {
	flip := x.Flip
	if s.Fair {
		flip = x.FairFlip
	}
	if flip("lost") || x.Env().Stream(s.Receiver).Room() <= streamBuffer-mostCalls {
		return
	}
	x.Send(s.Receiver, carry{s.Val, s.SeqNum})
	if flip("acknowledged") {
		s.Val = 0
		x.Goto("idle")
	}
}

type channelReceiver struct {
	Client machine.ID
	How    comparison
	Last   int
}

// comparison selects the values that a receiver drops.
type comparison int

const (
	corrected comparison = iota
	asPrinted            // by the paper
	dropsNothing
)

var receiverKind = machine.Define[channelReceiver]("receiver", machine.In("receiving",
	machine.On(func(r *channelReceiver, x *machine.Ctx, c carry) {
		if r.Last > 0 && (r.How == asPrinted && r.Last <= c.SeqNum || r.How == corrected && c.SeqNum <= r.Last) {
			return
		}
		r.Last = c.SeqNum
		x.Send(r.Client, deliverValue{c.Val})
	})))

type channelClient struct {
	Sender machine.ID
	Left   int
}

var clientKind = machine.Define[channelClient]("client",
	machine.In("sending", machine.Null(func(c *channelClient, x *machine.Ctx) {
		c.Left--
		x.Send(c.Sender, sendValue{x.Choose("value", 2)})
		if c.Left == 0 {
			x.Goto("sent")
		}
	}, "sent"), machine.Ignore(deliverValue{})),
	machine.In("sent", machine.Ignore(deliverValue{})))

// inOrder requires that each value is delivered, in the order of sending.
type inOrder struct{ Pending []int }

var inOrderKind = machine.Define[inOrder]("channel",
	machine.In("delivered", machine.Cold, machine.OnGotoWith("pending", (*inOrder).sent), machine.On((*inOrder).delivered)),
	machine.In("pending", machine.Hot, machine.On((*inOrder).sent), machine.On((*inOrder).delivered, "delivered")))

func (o *inOrder) sent(_ *machine.Ctx, s machine.Sent[sendValue]) {
	o.Pending = slices.Clip(append(slices.Clone(o.Pending), s.Event.Val))
}

func (o *inOrder) delivered(x *machine.Ctx, s machine.Sent[deliverValue]) {
	x.Assert(len(o.Pending) > 0 && o.Pending[0] == s.Event.Val, "delivered %d, pending %v", s.Event.Val, o.Pending)
	if len(o.Pending) == 0 {
		return
	}
	if o.Pending = slices.Clip(slices.Clone(o.Pending[1:])); len(o.Pending) == 0 {
		o.Pending = nil
		x.Goto("delivered")
	}
}

// channel makes a client send the given number of values of two kinds.
func channel(values int, fairly bool, how comparison) *machine.System {
	ms := &machine.System{Streams: &netsim.Streams{Buffer: streamBuffer}}
	client := ms.Add(clientKind, channelClient{1, values})
	ms.Add(senderKind, channelSender{Receiver: 2, Fair: fairly})
	ms.Add(receiverKind, channelReceiver{Client: client, How: how})
	return ms
}

// TestChannel distinguishes recovery from fairness: help by luck is enough for the former, not for the latter.
func TestChannel(t *testing.T) {
	for _, c := range []struct {
		name         string
		fairly       bool
		how          comparison
		states, dead int
		starved      bool
	}{
		{"fair", true, corrected, 445, 0, false},
		{"unfair", false, corrected, 445, 0, true},
		{"as the paper prints it", true, asPrinted, 388, 340, true},
	} {
		ms := channel(2, c.fairly, c.how)
		ms.Monitor(inOrderKind, inOrder{})
		sys := ms.Sim("channel")
		sys.Properties = []sim.Property{{Name: "what was sent is delivered", Eventually: func(v *sim.View) bool {
			return machine.Vars[channelReceiver](v, 2).Last == 2-machine.Vars[channelClient](v, 0).Left
		}}}
		x := judged(t, sys)
		s := x.Fairness.Starvation
		if x.States != c.states || !x.LivenessChecked || x.Dead != c.dead || !x.Fairness.Judged || (s != nil) != c.starved {
			t.Errorf("%s: %d states, %d dead, %+v", c.name, x.States, x.Dead, s)
			continue
		}
		if c.name != "unfair" {
			continue
		}
		lost := slices.IndexFunc(s.OneWay, func(o fairness.OneWay) bool { return strings.HasPrefix(o.Choice, "lost") })
		if lost < 0 || !s.AllFair || !slices.Equal(s.OneWay[lost].Picks, []int{1}) || !s.Recovers {
			t.Errorf("%s: which choice is to blame: %+v", c.name, s)
		}
	}
}

// A channel on which each value arrives at once, the paper's abstraction of the other one.
type senderAbs struct{ Receiver machine.ID }

var senderAbsKind = machine.Define[senderAbs]("sender", machine.In("sending",
	machine.On(func(s *senderAbs, x *machine.Ctx, v sendValue) { x.Send(s.Receiver, carry{Val: v.Val}) })))

type receiverAbs struct{ Client machine.ID }

var receiverAbsKind = machine.Define[receiverAbs]("receiver", machine.In("receiving",
	machine.On(func(r *receiverAbs, x *machine.Ctx, c carry) { x.Send(r.Client, deliverValue{c.Val}) })))

// TestChannelRefines compares the client's observations of the channel and its abstraction. The receiver printed in the
// paper, which passes on only the first value, differs by silence alone.
func TestChannelRefines(t *testing.T) {
	sent, delivered := "internal n0 value=0", "deliver n0 deliverValue{Val:0}"
	for _, c := range []struct {
		name                        string
		values                      int
		fairly                      bool
		how                         comparison
		back                        bool
		what                        string
		trace                       []string
		states, abs, pairs, largest int
	}{
		{"fair", 2, true, corrected, false, "", nil, 445, 39, 445, 6},
		{"fair, back", 2, true, corrected, true, "", nil, 39, 445, 47, 64},
		{"unfair", 2, false, corrected, false, refine.MustGoOn, []string{sent}, 445, 39, 445, 6},
		{"as printed", 2, true, asPrinted, false, refine.MustGoOn, []string{sent, sent, delivered}, 385, 39, 388, 6},
		{"drops nothing", 2, true, dropsNothing, false, refine.NeverDone, []string{sent, delivered, delivered}, 296, 39, 296, 6},
		{"four values", 4, true, corrected, false, "", nil, 10_175, 501, 10_175, 15},
	} {
		stands := channel(c.values, c.fairly, c.how)
		machine.Replace(stands, senderKind, senderAbsKind, func(s channelSender) senderAbs { return senderAbs{s.Receiver} })
		machine.Replace(stands, receiverKind, receiverAbsKind, func(r channelReceiver) receiverAbs { return receiverAbs{r.Client} })
		impl, abs := channel(c.values, c.fairly, c.how).Sim("channel"), stands.Sim("abstract channel")
		if c.back {
			impl, abs = abs, impl
		}
		r, err := refine.Compare(t.Context(), &impl, &abs, refine.Options{Clients: []sim.NodeID{0}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r.What != c.what || !slices.Equal(r.Trace, c.trace) || r.States != c.states || r.Abstract != c.abs || r.Pairs != c.pairs || r.Largest != c.largest {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}
