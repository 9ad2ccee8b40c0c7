package machine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/table"
)

// The reliable channel of P's paper: a sender that repeats until a call says that it went well, and a receiver that drops what it has
// seen. A call may be lost, and may arrive although it seems to be lost.
type (
	sendValue    struct{ Val int }
	carry        struct{ Val, SeqNum int }
	deliverValue struct{ Val int }
)

// fewCalls is how often a value is sent at most, so that the channel is finite: what it would be sent after that is not sent again.
const fewCalls = 2

type channelSender struct {
	Receiver    machine.ID
	Fair        bool
	SeqNum, Val int
	Calls       int
}

var senderKind = machine.Define[channelSender]("sender",
	machine.In("idle", machine.OnGotoWith("trying", func(s *channelSender, _ *machine.Ctx, v sendValue) {
		s.SeqNum++
		s.Val, s.Calls = v.Val, 0
	})),
	machine.In("trying", machine.Defer(sendValue{}), machine.Null((*channelSender).try, "idle")))

func (s *channelSender) try(x *machine.Ctx) {
	flip := x.Flip
	if s.Fair {
		flip = x.FairFlip
	}
	if flip("lost") {
		return
	}
	if s.Calls < fewCalls {
		s.Calls++
		x.Send(s.Receiver, carry{s.Val, s.SeqNum})
	}
	if flip("acknowledged") {
		x.Goto("idle")
	}
}

type channelReceiver struct {
	Client machine.ID
	Listed bool // it compares as the paper prints it
	Last   int
}

var receiverKind = machine.Define[channelReceiver]("receiver", machine.In("receiving",
	machine.On(func(r *channelReceiver, x *machine.Ctx, c carry) {
		if r.Last > 0 && (r.Listed && r.Last <= c.SeqNum || !r.Listed && c.SeqNum <= r.Last) {
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

// inOrder wants the values delivered in the order in which they were sent, each.
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

func channel(fairly, listed bool) sim.System {
	var ms machine.System
	client := ms.Add(clientKind, channelClient{1, 2})
	ms.Add(senderKind, channelSender{Receiver: 2, Fair: fairly})
	ms.Add(receiverKind, channelReceiver{Client: client, Listed: listed})
	ms.Monitor(inOrderKind, inOrder{})
	sys := ms.Sim("channel")
	sys.Properties = []sim.Property{{Name: "all is delivered", Eventually: func(v *sim.View) bool {
		return machine.StateOf(v, client) == "sent" && machine.Vars[channelSender](v, 1).SeqNum == 2 && machine.StateOf(v, 1) == "idle" &&
			machine.Vars[channelReceiver](v, 2).Last == 2
	}}}
	return sys
}

// TestChannel: recovery and fairness are two questions. That luck helps is enough for one, and not for the other.
func TestChannel(t *testing.T) {
	for _, c := range []struct {
		name           string
		fairly, listed bool
		dead, starved  bool
		states         int
	}{
		{"fair", true, false, false, false, 335},
		{"unfair", false, false, false, true, 335},
		{"as the paper prints it", true, true, true, true, 323},
	} {
		x := judged(t, channel(c.fairly, c.listed))
		s := x.Fairness.Starvation
		t.Logf("%s: %d states, %d dead, %+v", c.name, x.States, x.Dead, s)
		if x.States != c.states || !x.LivenessChecked || (x.Dead > 0) != c.dead || !x.Fairness.Judged || (s != nil) != c.starved {
			t.Errorf("%s: %d dead, %+v", c.name, x.Dead, s)
			continue
		}
		if c.name != "unfair" {
			continue
		}
		lost := slices.IndexFunc(s.OneWay, func(o table.OneWay) bool { return strings.HasPrefix(o.Choice, "lost") })
		if lost < 0 || !s.AllFair || !slices.Equal(s.OneWay[lost].Picks, []int{1}) || !s.Recovers {
			t.Errorf("%s: which choice is to blame: %+v", c.name, s)
		}
	}
}
