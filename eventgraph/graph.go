package eventgraph

import (
	"encoding/json"
	"io"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
)

// Graph is the event graph of a run.
type Graph struct {
	System string `json:"system"`
	// Goroutines reports that the graph is of a test and has a lane for each goroutine. Nodes[i] is goroutine i+1,
	// a step is the next operation of a goroutine, and a message leads there from the operation that started or
	// woke it.
	Goroutines bool   `json:"goroutines,omitempty"`
	Nodes      []Node `json:"nodes"`
	// Events are consecutive steps. Of a whole run, Events[i] is step i, and Events[0] stands for the first boots.
	Events   []Event   `json:"events"`
	Messages []Message `json:"messages"` // in sending order
	Timers   []Timer   `json:"timers"`   // in the order of setting
	// Initial is the state of the nodes after the first boots, as changes from nothing.
	Initial []replay.NodeChange `json:"initial,omitempty"`
	// Critical is the number of the critical step, set by the caller; 0 if unknown.
	Critical int `json:"critical,omitempty"`
	// Round is the first step of a cycle that repeats forever: the last step leads back to the state before it. 0
	// means that none is known.
	Round int `json:"round,omitempty"`

	// Read are the earlier steps that wrote what the violated property reads, ascending: the last change of each such node, or all that a
	// monitor has heard of.
	Read []int `json:"read,omitempty"`

	// Wrote are the other earlier steps that last wrote a field of a node that the violated property reads, ascending. The property may
	// read another field of that node only.
	Wrote []int `json:"-"`

	// Named are the steps that a text beside the graph names, set by the caller. They are in no [Fold].
	Named []int `json:"-"`

	trace  *replay.Trace
	found  int   // the step with the finding; 0: none is
	upDown []int // steps that take nodes up or down, ascending
}

// Node is a lane.
type Node struct {
	ID   int    `json:"id"`
	Name string `json:"name"`           // "" if all nodes run the same service
	Late bool   `json:"late,omitempty"` // down at first
	// Origin describes how a goroutine started; "" if unknown.
	Origin string `json:"origin,omitempty"`
	// Program means that the node runs an ordinary program, whose variables are not part of the state.
	Program bool `json:"program,omitempty"`
}

// Event is one step.
type Event struct {
	Step   int    `json:"step"`
	Kind   string `json:"kind"`
	Node   int    `json:"node"` // -1 for the network, or all nodes
	Peer   int    `json:"peer"` // -1 for none
	What   string `json:"what"` // action, timer or message
	Text   string `json:"text"` // description for people
	Key    string `json:"key"`  // the event's stable key
	Source string `json:"source,omitempty"`
	// Consumed and Sent are indices into Messages. Messages dropped or duplicated by this step count as consumed.
	Consumed []int `json:"consumed,omitempty"`
	Sent     []int `json:"sent,omitempty"`
	// Gone are other messages that the step removed: dropped by a crash, refused, ...
	Gone    []int               `json:"gone,omitempty"`
	Changes []replay.NodeChange `json:"changes,omitempty"`
	Choices []stepinfo.Answer   `json:"choices,omitempty"`
	Notes   []string            `json:"notes,omitempty"` // announcements and log lines
	Crashed bool                `json:"crashed,omitempty"`
	Halted  bool                `json:"halted,omitempty"` // crashed for good
	With    []int               `json:"with,omitempty"`   // nodes that crashed or halted with it, as they run in its process
	// Applied of Effects effects happened. They differ if the node crashed inside the step.
	Applied int `json:"applied"`
	Effects int `json:"effects"`
	// Aftermath describes the consequences of a crash in this step, see [replay.TraceStep.Aftermath], or what a restarted node has
	// lost: "lost or changed: Promised 2->0".
	Aftermath []string `json:"aftermath,omitempty"`
	// Sets and Ends are indices into Timers: the timers that this step sets, and those that it ends.
	Sets []int `json:"sets,omitempty"`
	Ends []int `json:"ends,omitempty"`
	// Calls are the nested calls between the services of a node's stack, in order.
	Calls []Call `json:"calls,omitempty"`
	// Causes are the steps that this one follows directly: the one before on the same node, those
	// that sent or duplicated what it consumes, the one that broke the connection whose error it
	// delivers, and of a violation those that wrote what its property reads. Ascending.
	Causes []int `json:"causes,omitempty"`
	Live   bool  `json:"live"`
	// Broke and Mended are the properties that stop to hold, and hold again, after this step.
	Broke  []string `json:"broke,omitempty"`
	Mended []string `json:"mended,omitempty"`
	Round  string   `json:"round,omitempty"` // text for the beginning or end of a cycle
	// Race is the other step of a data race; 0 means none. See [Graph.SetRace].
	Race  int    `json:"race,omitempty"`
	Error string `json:"error,omitempty"` // the run's finding, if it was found here

	kind    eventkind.Kind
	turn    string // "LIVE" or "no longer LIVE" if that changes with this step, else ""
	effects []replay.TraceEffect
}

// Call is a call from one service of a node to another.
type Call struct {
	Depth  int    `json:"depth"` // 0: called by the handler of the event
	What   string `json:"what"`
	Source string `json:"source,omitempty"`
}

// Message is a message with its fate.
type Message struct {
	ID         int    `json:"id"`
	From       int    `json:"from"`
	To         int    `json:"to"`
	Text       string `json:"text"`
	Stream     bool   `json:"stream,omitempty"`
	Control    bool   `json:"control,omitempty"`    // it only opens, closes or paces a connection of programs
	Sent       int    `json:"sent"`                 // step
	Deliveries []int  `json:"deliveries,omitempty"` // steps; several if it was duplicated
	Duplicated []int  `json:"duplicated,omitempty"` // steps
	// End is the step in which it was lost, dropped or refused, and Fate says which. Otherwise End is 0 and Fate is
	// "delivered" or "in flight".
	End  int    `json:"end,omitempty"`
	Fate string `json:"fate"`
}

// Timer is a timer from set to end.
type Timer struct {
	Node  int    `json:"node"`
	What  string `json:"what"`
	Set   int    `json:"set"`           // step; 0 for the first boots
	End   int    `json:"end,omitempty"` // step; 0 if still armed
	Ended string `json:"ended"`         // "fired", "stopped", "set again", "crash" or "armed"
}

// Last returns the number of the last step.
func (g *Graph) Last() int { return len(g.Events) - 1 }

// inRound reports whether a step is part of the cycle.
func (g *Graph) inRound(step int) bool { return g.Round > 0 && step >= g.Round }

// JSON writes the graph as one JSON object.
func (g *Graph) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		*Graph
		Folds []Fold `json:"folds,omitempty"`
	}{g, g.Folds()})
}
