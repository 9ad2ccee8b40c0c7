package stepinfo

import (
	"encoding/json"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Step describes one executed step. It reuses the memory of its slices.
type Step struct {
	Event    netmodel.Event
	Disturbs bool           // the system declares that it is not part of recovery
	Timer    any            // the value of the timer that fired; nil if none did
	Msgs     []sim.Envelope // consumed, when tracing
	Handler  bool           // whether a handler ran
	Effects  []Effect       // in order
	Applied  int            // effects before this one happened; fewer than all if the node crashed inside the step
	Lost     uint16         // the datagrams among these that were lost, see [Cut]
	Crashed  bool           // the node crashed inside the step, or halted
	Halted   bool           // it halted
	With     []sim.NodeID   // the other nodes of its process, which crashed or halted with it

	Observed []Observation  // questions answered by the world
	Over     []Overflow     // messages queued without room
	Answers  []Answer       // questions answered by a choice, when tracing
	Sent     []sim.Envelope // messages that got an identity, including refused ones, when tracing
	Fates    []FateOf       // fates of messages, when tracing
	Source   string         // file:line of the handler, when tracing; the file as the compiler named it
	// Inner is, for a delivery or timer when tracing, the file:line of the service package's deepest function that was
	// running when the handler requested its first effect; "" without an effect.
	Inner string
	// Failed is the file:line of a handler's failed assertion, when tracing; "" if none failed.
	Failed string
}

// Reset begins a step. It truncates the slices in place, which keeps their memory and is cheaper than writing them.
func (s *Step) Reset(ev *netmodel.Event) {
	to := &s.Event // by field, as it was stored recently: processors stall on words that were stored in parts
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

// Happened reports whether an effect happened: the node did not fail before it, and the failure did not lose it.
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

// Cuttable reports whether a failure inside the step can make a difference. Effects that are visible after a halt also
// survive a crash.
func (s *Step) Cuttable() bool {
	for i := range s.Effects {
		if s.Effects[i].Kind.SurvivesCrash() {
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

// Overflow is a message that a stream accepted without room for it, see [host.LiveNetwork].
type Overflow struct {
	From, To sim.NodeID
	Room     int // the room there was; negative if more were queued already than the buffer holds
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

// FateOf is the fate of a message in a step.
type FateOf struct {
	ID   sim.MessageID
	Fate netmodel.Fate
	Copy sim.MessageID // the message that the network made of it, if it was duplicated
}
