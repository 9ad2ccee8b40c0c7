package channel

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// inOrder is a monitor: all values are delivered in sending order.
type inOrder struct{ Pending []int }

const (
	delivered machine.State = "all is delivered"
	pending   machine.State = "a value is on its way"
)

var inOrderKind = machine.Define[inOrder]("in order, each",
	machine.In(delivered, machine.Cold, machine.On((*inOrder).sent, pending), machine.On((*inOrder).delivered, delivered)),
	machine.In(pending, machine.Hot, machine.On((*inOrder).sent, pending), machine.On((*inOrder).delivered, delivered)))

func (o *inOrder) sent(x *machine.Ctx, s machine.Sent[Send]) {
	o.Pending = slices.Clip(append(slices.Clone(o.Pending), s.Event.Value))
	x.Goto(pending)
}

func (o *inOrder) delivered(x *machine.Ctx, s machine.Sent[Deliver]) {
	x.Assert(len(o.Pending) > 0 && o.Pending[0] == s.Event.Value, "%d is delivered, %v are on their way", s.Event.Value, o.Pending)
	if len(o.Pending) == 0 {
		return
	}
	if o.Pending = slices.Clip(slices.Clone(o.Pending[1:])); len(o.Pending) == 0 {
		o.Pending = nil
		x.Goto(delivered)
	}
}

// setting has the parameters.
type setting struct {
	values, domain, calls int
	abstract              bool
	bugs                  bugs
}

// Nodes.
const (
	client machine.ID = iota
	sender
	receiver
)

// machines adds a client, the sender and the receiver.
func machines(s setting) *machine.System {
	ms := &machine.System{}
	ms.Add(clientKind, Client{sender, s.values, s.domain})
	kind := senderKind
	if s.bugs.has(nl4) {
		kind = hastyKind
	}
	ms.Add(kind, Sender{Receiver: receiver, Most: s.calls, Bugs: s.bugs})
	ms.Add(receiverKind, Receiver{Client: client, Bugs: s.bugs})
	if s.abstract {
		machine.Replace(ms, kind, senderAbsKind, func(c Sender) SenderAbs { return SenderAbs{c.Receiver} })
		machine.Replace(ms, receiverKind, receiverAbsKind, func(c Receiver) ReceiverAbs { return ReceiverAbs{c.Client} })
	}
	ms.Monitor(inOrderKind, inOrder{})
	return ms
}

func (s setting) system() sim.System {
	sys := machines(s).Sim("channel")
	sys.Properties = []sim.Property{{Name: "all is sent", Eventually: func(v *sim.View) bool {
		return machine.StateOf(v, client) == sent && (s.abstract || machine.StateOf(v, sender) == idle)
	}}}
	concrete, abstract := s, s
	concrete.abstract, abstract.abstract = false, true
	sys.Abstractions = []sim.Abstraction{{
		Name: fmt.Sprintf("a channel that loses and repeats nothing, for %d sends of %d values", s.values, s.domain), Used: s.abstract,
		Clients: []sim.NodeID{client},
		Impl:    func() sim.System { return machines(concrete).Sim("channel") },
		Abs:     func() sim.System { return machines(abstract).Sim("abstract channel") },
	}}
	return sys
}
