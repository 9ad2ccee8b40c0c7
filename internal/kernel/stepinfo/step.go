// Package stepinfo describes what steps of a world did.
package stepinfo

import (
	"encoding/json"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// Step describes one executed step.
type Step struct {
	Event    sim.Event
	Disturbs bool           // it is no part of recovery, by what the system says of it
	Timer    any            // the value of the timer that fired; nil: none did
	Msgs     []sim.Envelope // consumed, when tracing
	Handler  bool           // whether a handler ran
	Effects  []Effect       // in order
	Applied  int            // effects before this one happened; fewer than all when the node crashed inside the step
	Lost     uint16         // of these the datagrams that did not, see [Cut]
	Crashed  bool           // the node crashed inside the step, or halted
	Halted   bool           // it halted
	With     []sim.NodeID   // the nodes that crashed with it, or halted, as they run in its process

	Observed []Observation  // questions answered by the world
	Over     []Overflow     // messages that were queued without room
	Answers  []Answer       // questions answered by a choice; only when tracing
	Sent     []sim.Envelope // messages that got an identity, refused ones included; only when tracing
	Fates    []FateOf       // what became of messages; only when tracing
	Source   string         // file:line of the handler, when tracing; the file as the compiler named it
	// Inner is, of a delivery or timer, the file:line of the deepest function of the service's package that
	// was running when the handler asked for its first effect; only when tracing, "" without an effect.
	Inner string
	// Failed is the file:line of the assertion of a handler that failed, when tracing; "": none did.
	Failed string
}

// Reset begins a step. The slices keep their memory, and are cut in place because that is cheaper than
// writing them.
func (s *Step) Reset(ev *sim.Event) {
	to := &s.Event // by field, as it was stored lately: processors wait for words that were stored in parts
	to.Kind, to.Node, to.Peer, to.Slot, to.Msgs = ev.Kind, ev.Node, ev.Peer, ev.Slot, ev.Msgs
	s.Msgs = s.Msgs[:0]
	s.Effects = s.Effects[:0]
	s.Observed, s.Over = s.Observed[:0], s.Over[:0]
	s.Answers = s.Answers[:0]
	s.Sent, s.Fates = s.Sent[:0], s.Fates[:0]
	s.With = s.With[:0]
	s.Disturbs, s.Handler, s.Crashed, s.Halted, s.Applied, s.Lost = false, false, false, false, 0, 0
	if s.Source != "" || s.Failed != "" {
		s.Source, s.Inner, s.Failed = "", "", ""
	}
	if s.Timer != nil {
		s.Timer = nil
	}
}

// Happened reports whether an effect did: the node did not fail before it, nor was it lost with that.
func (s *Step) Happened(effect int) bool {
	if effect >= s.Applied || s.Lost == 0 || s.Effects[effect].Kind != SendEffect {
		return effect < s.Applied
	}
	sent := 0
	for i := range s.Effects[:effect] {
		if s.Effects[i].Kind == SendEffect {
			sent++
		}
	}
	return s.Lost>>sent&1 == 0
}

// Outlasts reports whether it can make a difference that a node fails inside the step. What is heard outlasts, too.
func (s *Step) Outlasts() bool {
	for i := range s.Effects {
		if s.Effects[i].Kind.Outlasts() {
			return true
		}
	}
	return false
}

// Observation is a question that the world answered from the state and the effects so far.
type Observation struct {
	Peer sim.NodeID
	Room int
}

// Overflow is a message that a stream took without having room for it, see [host.LiveNetwork].
type Overflow struct {
	From, To sim.NodeID
	Room     int // that there was; negative: so many more were queued than the buffer holds
}

// Answer is a question that was answered by a choice.
type Answer struct {
	Kind  choose.Kind `json:"kind"`
	Label string      `json:"label"`
	Pick  int         `json:"pick"`
	Arity int         `json:"arity"`
}

// MarshalJSON writes the class of the kind.
func (a Answer) MarshalJSON() ([]byte, error) {
	type plain Answer
	a.Kind = a.Kind.Class()
	return json.Marshal(plain(a))
}

// FateOf says what became of a message in a step.
type FateOf struct {
	ID   sim.MessageID
	Fate sim.Fate
	Copy sim.MessageID // the message that the network made of it, when it was duplicated
}
