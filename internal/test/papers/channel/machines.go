package channel

import "github.com/macemc/macemc/machine"

type (
	Send    struct{ Value int } // to the sender
	Carry   struct{ Value, SeqNum int }
	Deliver struct{ Value int } // to the receiver's client
)

// Sender carries values to the receiver one by one.
type Sender struct {
	Receiver      machine.ID
	SeqNum, Value int
	Calls, Most   int // calls with the current value, and their maximum
	Bugs          bugs
}

const (
	idle   machine.State = "idle"
	trying machine.State = "trying"
)

var senderKind = machine.Define[Sender]("sender",
	machine.In(idle, machine.OnGotoWith(trying, (*Sender).take)),
	machine.In(trying, machine.Defer(Send{}), machine.Null((*Sender).call, idle)))

// hastyKind lacks the deferral.
var hastyKind = machine.Define[Sender]("sender",
	machine.In(idle, machine.OnGotoWith(trying, (*Sender).take)),
	machine.In(trying, machine.Null((*Sender).call, idle)))

func (s *Sender) take(_ *machine.Ctx, v Send) {
	s.SeqNum++
	s.Value, s.Calls = v.Value, 0
}

// call makes one attempt.
func (s *Sender) call(x *machine.Ctx) {
	flip := x.FairFlip
	if s.Bugs.has(nl3) {
		flip = x.Flip
	}
	if flip("lost") {
		return
	}
	if s.Calls < s.Most {
		s.Calls++
		x.Send(s.Receiver, Carry{s.Value, s.SeqNum})
	}
	if flip("acknowledged") {
		s.Value = 0
		x.Goto(idle)
	}
}

// Receiver drops duplicates.
type Receiver struct {
	Client machine.ID
	Last   int // last sequence number; 0 for none
	Bugs   bugs
}

var receiverKind = machine.Define[Receiver]("receiver", machine.In("receiving", machine.On((*Receiver).receive)))

func (r *Receiver) receive(x *machine.Ctx, c Carry) {
	switch {
	case r.Bugs.has(nl1):
		if r.Last > 0 && r.Last <= c.SeqNum {
			return
		}
	case !r.Bugs.has(nl2) && c.SeqNum <= r.Last:
		return
	}
	r.Last = c.SeqNum
	x.Send(r.Client, Deliver{c.Value})
}

// SenderAbs and ReceiverAbs are a channel that delivers each value at once.
type SenderAbs struct{ Receiver machine.ID }

var senderAbsKind = machine.Define[SenderAbs]("sender", machine.In("sending",
	machine.On(func(s *SenderAbs, x *machine.Ctx, v Send) { x.Send(s.Receiver, Carry{Value: v.Value}) })))

type ReceiverAbs struct{ Client machine.ID }

var receiverAbsKind = machine.Define[ReceiverAbs]("receiver", machine.In("receiving",
	machine.On(func(r *ReceiverAbs, x *machine.Ctx, c Carry) { x.Send(r.Client, Deliver{c.Value}) })))

// Client is the client at both ends. It sends some arbitrary values at arbitrary times.
type Client struct {
	Sender machine.ID
	Left   int
	Values int
}

const sent machine.State = "sent"

var clientKind = machine.Define[Client]("client",
	machine.In("sending", machine.Null((*Client).send, sent), machine.Ignore(Deliver{})),
	machine.In(sent, machine.Ignore(Deliver{})))

func (c *Client) send(x *machine.Ctx) {
	c.Left--
	x.Send(c.Sender, Send{x.Choose("value", c.Values)})
	if c.Left == 0 {
		x.Goto(sent)
	}
}
