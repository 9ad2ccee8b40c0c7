package replay

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Trace describes a run for people and tools. It is computed from a path. If it is a part of a run (see
// [Cursor.Record]), Boot is the state before the part: its Number is that of the step before, its Changes are all
// fields, and Messages begins with those in flight then.
type Trace struct {
	System string   `json:"system"`
	Nodes  int      `json:"nodes"`
	Names  []string `json:"names"` // of each node: declared, or that of its service, e.g. "pinger"
	// Goroutines reports that each node is a goroutine of a test: goroutine 1 is node 0.
	Goroutines bool `json:"goroutines,omitempty"`
	// Origins describes how each goroutine started, as in "started at x.go:3"; empty texts mean that it is not known.
	Origins []string    `json:"origins,omitempty"`
	Boot    TraceStep   `json:"boot"` // all first boots
	Steps   []TraceStep `json:"steps"`
	// Messages has all messages with their fates, in sending order.
	Messages []TraceMessage `json:"messages"`
	// Round is the number of last steps that repeat forever: they lead back to the state before them. 0 means none
	// are known. See SetRound.
	Round int `json:"round,omitempty"`
	// Endless describes a run that repeats forever, or ends although no promised event is enabled; "" if unknown.
	Endless string `json:"endless,omitempty"`
	// Properties has the values of the properties in the last state.
	Properties []PropertyState `json:"properties"`
	// Finding is the first finding of the run, or nil. FoundAt is its step, or 0 for the first state.
	Finding *sim.Finding `json:"finding,omitempty"`
	FoundAt int          `json:"found_at,omitempty"`
	// Read lists the nodes that the violated property reads then. Observed lists the observations that violate a monitor, see [Decisive],
	// or all of the trace if these are not known.
	Read     []int         `json:"read,omitempty"`
	Observed []Observation `json:"observed,omitempty"`
	// Recurs reports whether the run shows the finding that the file of its path records; nil means that none is recorded, or that only
	// a part of the run was executed.
	Recurs *bool `json:"recurs,omitempty"`
}

// SetRound sets Round. The error reports that the last n steps do not lead back to the state before them.
func (t *Trace) SetRound(n int) error {
	last := len(t.Steps)
	if n > last || n < 0 {
		return fmt.Errorf("a run of %d steps has no cycle of %d", last, n)
	}
	hash := func(step int) string {
		if step == 0 {
			return t.Boot.Hash
		}
		return t.Steps[step-1].Hash
	}
	if hash(last) != hash(last-n) {
		return fmt.Errorf("steps %d to %d do not lead back to the state before them: the system has changed", last-n+1, last)
	}
	t.Round = n
	return nil
}

// TraceStep is one step of a [Trace].
type TraceStep struct {
	Number  int            `json:"step"`    // from 1
	Index   int            `json:"index"`   // of the event among the enabled ones
	Enabled int            `json:"enabled"` // number of ordinary events; indices from here on are faults
	Event   netmodel.Event `json:"-"`
	Kind    string         `json:"kind"`
	Node    int            `json:"node"`
	Peer    int            `json:"peer"` // -1 for none
	Key     string         `json:"key"`
	What    string         `json:"what,omitempty"`     // content: action, timer, message
	Msgs    []string       `json:"messages,omitempty"` // consumed
	MsgIDs  []int          `json:"message_ids,omitempty"`
	// Concerns is the message that the event delivers, drops or duplicates; 0 for none.
	Concerns int `json:"concerns,omitempty"`
	// Source is the file:line of the code that handled the event, see [Places.Short].
	Source  string            `json:"source,omitempty"`
	place   string            // the same, with the file as the compiler named it
	Choices []stepinfo.Answer `json:"choices,omitempty"`
	Effects []TraceEffect     `json:"effects,omitempty"`
	Changes []NodeChange      `json:"changes,omitempty"` // of node states
	Crashed bool              `json:"crashed,omitempty"` // inside the step
	Halted  bool              `json:"halted,omitempty"`  // for good
	With    []int             `json:"with,omitempty"`    // nodes that crashed or halted with it, as they run in its process
	// Kept and Lost are the keys, in order, of the node's unsynced writes that survived a crash in this step, and
	// of those that did not. Writes of nodes that crashed with it are named "n2: key".
	Kept []string `json:"writes_kept,omitempty"`
	Lost []string `json:"writes_lost,omitempty"`

	Live    bool     `json:"live"`              // the state after the step is live
	Failing []string `json:"failing,omitempty"` // properties that do not hold after the step
	Hash    string   `json:"hash"`              // fingerprint of the state after the step
}

// TraceEffect is one effect, in the order of the handler's calls.
type TraceEffect struct {
	Kind    string `json:"kind"`
	Peer    int    `json:"peer"` // -1 for none
	Text    string `json:"text"` // message, timer, key, log line or call
	MsgID   int    `json:"message_id,omitempty"`
	From    string `json:"from,omitempty"` // file:line of the call
	place   string // From with the full path of the file
	Applied bool   `json:"applied"` // false: the node crashed before

	// Depth is the number of nested calls between services of the node around the effect. If the effect is such a
	// call itself, see [sim.Enter], Call describes it.
	Depth int        `json:"depth,omitempty"`
	Call  *TraceCall `json:"call,omitempty"`
}

// TraceCall is a call between services of a node. It ends before the next effect of the same or a smaller depth.
type TraceCall struct {
	Caller  string   `json:"caller,omitempty"` // calling service; in the first boots "" for the node itself
	Service string   `json:"service"`
	Name    string   `json:"name"`
	Args    []string `json:"args,omitempty"`
}

// IsCall reports whether the effect is a call between services, which changes nothing by itself.
func (e *TraceEffect) IsCall() bool { return e.Call != nil }

// Place returns the place of the call that requested the effect, like [TraceStep.Place].
func (e *TraceEffect) Place() (file string, line int) { return SplitPlace(e.place) }

// TraceMessage is a message with its fates.
type TraceMessage struct {
	ID     int    `json:"id"`
	From   int    `json:"from"`
	To     int    `json:"to"`
	Text   string `json:"text"`
	Stream bool   `json:"stream,omitempty"`
	// Control means that the message only opens, closes or paces a connection of programs.
	Control bool `json:"control,omitempty"`
	Sent    int  `json:"sent"` // step; 0 for the first boots
	// CopyOf is the message that the network duplicated in step Sent; 0 if a node sent this one.
	CopyOf int `json:"copy_of,omitempty"`
	// Fates lists what happened to the message, in order. All but a duplication are final.
	Fates []TraceFate `json:"fates,omitempty"`
	// InFlight reports that no final fate is known.
	InFlight bool `json:"in_flight,omitempty"`
}

// line describes the message, as in "#5 Ping{1} n0->n1, a copy of #3".
func (m *TraceMessage) line() string {
	text := fmt.Sprintf("#%d %s n%d->n%d", m.ID, long(m.Text), m.From, m.To)
	if m.CopyOf > 0 {
		text += fmt.Sprintf(", a copy of #%d", m.CopyOf)
	}
	return text
}

// Programs returns the nodes that run ordinary programs, whose variables are not part of the state.
func (t *Trace) Programs() map[int]bool {
	programs := map[int]bool{}
	note := func(s *TraceStep) {
		for i := range s.Changes {
			if c := &s.Changes[i]; c.Waits() {
				programs[c.Node] = true
			}
		}
	}
	note(&t.Boot)
	for i := range t.Steps {
		note(&t.Steps[i])
	}
	return programs
}

// Message returns the message with an identity, or nil if the trace does not have it. The cost is logarithmic in
// the number of messages.
func (t *Trace) Message(id int) *TraceMessage {
	i, ok := slices.BinarySearchFunc(t.Messages, id, func(m TraceMessage, id int) int { return m.ID - id })
	if !ok {
		return nil
	}
	return &t.Messages[i]
}

// TraceFate is an event in the life of a message.
type TraceFate struct {
	Step int           `json:"step"`
	Fate netmodel.Fate `json:"-"`
	Name string        `json:"fate"` // of Fate
}

// PropertyState is the value of a property.
type PropertyState struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // always, eventually or sometimes
	Holds   bool   `json:"holds"`
	Explain string `json:"explain,omitempty"` // the property's explanation if it does not hold
	// FailsAt are the nodes where an Eventually property of sim.Each does not hold. Reads are the nodes that another one
	// reads if it does not hold.
	FailsAt []int `json:"fails_at,omitempty"`
	Reads   []int `json:"reads,omitempty"`
}

// NodeChange is a field of a node's state that a step changed. Old or New is empty if the field did not exist.
type NodeChange struct {
	Node int    `json:"node"`
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
	// Inside is the path of the value of a foreign type that contains the field, see [diff.Field], or "".
	Inside string `json:"inside,omitempty"`
	Part   Part   `json:"-"`
}

// Part identifies the kind of a changed field, see [diff.Field].
type Part = diff.Part

// Kinds of parts outside of the service's own value.
const (
	Status   = diff.OfStatus
	Timer    = diff.OfTimer
	Action   = diff.OfAction
	Write    = diff.OfWrite
	Program  = diff.OfProgram
	Disk     = diff.OfDisk
	Position = diff.OfPosition
)
