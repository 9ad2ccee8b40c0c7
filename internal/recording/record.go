package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// Header is the first record of every file.
type Header struct {
	Version int    `json:"version"`
	System  string `json:"system"`
	Nodes   int    `json:"nodes"`
	Node    int    `json:"node"`
	// Params and Bugs say how the system was built, to build it again.
	Params map[string]string `json:"params,omitempty"`
	Bugs   []string          `json:"bugs,omitempty"`
	// Start counts the starts of the node in this recording, from 1. Incarnation is the number in its messages.
	Start       int    `json:"start"`
	Incarnation uint64 `json:"incarnation"`
	Part        int    `json:"part"` // from 1
	Codec       uint64 `json:"codec"`
}

const version = 1

// Event is the input of a node in one step, with a summary of its effects.
type Event struct {
	Number int   // among the node's events since its start, from 1
	Time   int64 // nanoseconds since 1970, by the node's clock
	Kind   eventkind.Kind
	Call   bool   // a call from outside, named by Name, instead of an event of the system
	Name   string // action, or the text of a timer
	Peer   sim.NodeID
	Err    string // of DeliverError

	// Of Deliver: the message and its encoding.
	From   Ref
	Stream bool
	Data   []byte

	Set []Received // of TakeQuorum, which is named by Name, by sender

	Found Found // of Boot

	// After the event: number of writes to the disk in the node's whole life, and its monotone counter.
	Writes, Ticks uint64

	Answers []Answer
	Rooms   []stepinfo.Observation
	Effects []Effect
	Digest  uint64 // of the messages sent
	Failed  bool   // the handler panicked; its effects did not happen
}

// Found is the state that a booting node finds from its previous life.
type Found struct {
	Writes uint64 // total number of surviving writes to its disk
	Ticks  uint64
	Counts []int // by action of the system
}

// Ref identifies a message: the Number-th that its sender sent in one incarnation.
type Ref struct {
	Incarnation uint64
	Number      uint64
}

// Received is a message of a set.
type Received struct {
	Peer sim.NodeID
	From Ref
	Data []byte // its encoding
}

// Received returns the messages that the event delivers.
func (e *Event) Received() []Received {
	switch e.Kind {
	case eventkind.Deliver:
		return []Received{{e.Peer, e.From, e.Data}}
	case eventkind.TakeQuorum:
		return e.Set
	}
	return nil
}

// kinds maps the numbers in files to the recorded kinds of events.
var kinds = [...]eventkind.Kind{eventkind.Boot, eventkind.DoAction, eventkind.FireTimer, eventkind.DeliverError,
	eventkind.DeliverReady, eventkind.Deliver, eventkind.Internal, eventkind.TakeQuorum}

// Answer is the answer to a question.
type Answer struct {
	Kind  choose.Kind
	Arity int
	Pick  int
}

// Effect is a handler's effect without its content.
type Effect struct {
	Kind stepinfo.EffectKind
	Peer sim.NodeID // of sends and Close
}

// numbered reports whether the effect is a numbered message.
func (e Effect) numbered() bool {
	return e.Kind == stepinfo.SendEffect || e.Kind == stepinfo.StreamEffect
}

// State is the fingerprint of the node's state after an event.
type State struct {
	Number int // of the event
	Hash   encoding.Fingerprint
}

// Kinds of records.
const (
	headerRecord byte = iota + 1
	eventRecord
	stateRecord
	endRecord
)

const (
	hasCall = 1 << iota
	isStream
	hasFailed
)

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// append appends the event, with its time relative to since.
func (e *Event) append(b []byte, since int64) []byte {
	flags := byte(0)
	if e.Call {
		flags |= hasCall
	}
	if e.Stream {
		flags |= isStream
	}
	if e.Failed {
		flags |= hasFailed
	}
	b = append(b, byte(slices.Index(kinds[:], e.Kind)), flags)
	b = binary.AppendUvarint(b, uint64(e.Number))
	b = binary.AppendVarint(b, e.Time-since)
	switch e.Kind {
	case eventkind.Boot:
		b = binary.AppendUvarint(b, e.Found.Writes)
		b = binary.AppendUvarint(b, e.Found.Ticks)
		b = binary.AppendUvarint(b, uint64(len(e.Found.Counts)))
		for _, c := range e.Found.Counts {
			b = binary.AppendUvarint(b, uint64(c))
		}
	case eventkind.DoAction, eventkind.FireTimer:
		b = appendString(b, e.Name)
	case eventkind.Deliver:
		r := Received{e.Peer, e.From, e.Data}
		b = r.append(b)
	case eventkind.TakeQuorum:
		b = appendString(b, e.Name)
		b = binary.AppendUvarint(b, uint64(len(e.Set)))
		for i := range e.Set {
			b = e.Set[i].append(b)
		}
	case eventkind.DeliverError:
		b = binary.AppendUvarint(b, uint64(e.Peer))
		b = appendString(b, e.Err)
	case eventkind.DeliverReady:
		b = binary.AppendUvarint(b, uint64(e.Peer))
	}
	b = binary.AppendUvarint(b, uint64(len(e.Answers)))
	for _, a := range e.Answers {
		b = append(b, byte(a.Kind))
		b = binary.AppendUvarint(b, uint64(a.Arity))
		b = binary.AppendUvarint(b, uint64(a.Pick))
	}
	b = binary.AppendUvarint(b, uint64(len(e.Rooms)))
	for _, o := range e.Rooms {
		b = binary.AppendUvarint(b, uint64(o.Peer))
		b = binary.AppendVarint(b, int64(o.Room))
	}
	b = binary.AppendUvarint(b, uint64(len(e.Effects)))
	for _, f := range e.Effects {
		b = append(b, byte(f.Kind))
		b = binary.AppendVarint(b, int64(f.Peer))
	}
	b = binary.AppendUvarint(b, e.Writes)
	b = binary.AppendUvarint(b, e.Ticks)
	return binary.LittleEndian.AppendUint64(b, e.Digest)
}

func (r *Received) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(r.Peer))
	b = binary.LittleEndian.AppendUint64(b, r.From.Incarnation)
	b = binary.AppendUvarint(b, r.From.Number)
	b = binary.AppendUvarint(b, uint64(len(r.Data)))
	return append(b, r.Data...)
}

func (f *fields) received() Received {
	return Received{
		Peer: sim.NodeID(f.small()),
		From: Ref{binary.LittleEndian.Uint64(f.take(8)), f.uint()},
		Data: f.take(f.count()),
	}
}

// fields decodes the parts of a record. After the first invalid one all are zero.
type fields struct {
	data []byte
	bad  bool
}

var errRecord = errors.New("the record is invalid")

func (f *fields) take(n int) []byte {
	if f.bad = f.bad || n < 0 || n > len(f.data); f.bad {
		return make([]byte, min(max(n, 0), 16))
	}
	b := f.data[:n:n]
	f.data = f.data[n:]
	return b
}

func (f *fields) uint() uint64 {
	n, size := binary.Uvarint(f.data)
	if f.bad = f.bad || size <= 0; f.bad {
		return 0
	}
	f.data = f.data[size:]
	return n
}

func (f *fields) int() int64 {
	n, size := binary.Varint(f.data)
	if f.bad = f.bad || size <= 0; f.bad {
		return 0
	}
	f.data = f.data[size:]
	return n
}

// count decodes a number of things of at least one byte each.
func (f *fields) count() int {
	n := f.uint()
	if f.bad = f.bad || n > uint64(len(f.data)); f.bad {
		return 0
	}
	return int(n)
}

func (f *fields) small() int {
	n := f.uint()
	if f.bad = f.bad || n > math.MaxInt32; f.bad {
		return 0
	}
	return int(n)
}

func (f *fields) string() string { return string(f.take(f.count())) }

func (e *Event) parse(data []byte, since int64) error {
	f := fields{data: data}
	head := f.take(2)
	if int(head[0]) >= len(kinds) {
		return fmt.Errorf("unknown kind of event %d", head[0])
	}
	e.Kind, e.Peer = kinds[head[0]], -1
	e.Call, e.Stream, e.Failed = head[1]&hasCall != 0, head[1]&isStream != 0, head[1]&hasFailed != 0
	e.Number, e.Time = f.small(), since+f.int()
	switch e.Kind {
	case eventkind.Boot:
		e.Found.Writes, e.Found.Ticks = f.uint(), f.uint()
		for range f.count() {
			e.Found.Counts = append(e.Found.Counts, f.small())
		}
	case eventkind.DoAction, eventkind.FireTimer:
		e.Name = f.string()
	case eventkind.Deliver:
		r := f.received()
		e.Peer, e.From, e.Data = r.Peer, r.From, r.Data
	case eventkind.TakeQuorum:
		e.Name = f.string()
		for range f.count() {
			e.Set = append(e.Set, f.received())
		}
	case eventkind.DeliverError:
		e.Peer = sim.NodeID(f.small())
		e.Err = f.string()
	case eventkind.DeliverReady:
		e.Peer = sim.NodeID(f.small())
	}
	for range f.count() {
		e.Answers = append(e.Answers, Answer{choose.Kind(f.take(1)[0]), f.small(), f.small()})
	}
	for range f.count() {
		e.Rooms = append(e.Rooms, stepinfo.Observation{Peer: sim.NodeID(f.small()), Room: int(f.int())})
	}
	for range f.count() {
		e.Effects = append(e.Effects, Effect{stepinfo.EffectKind(f.take(1)[0]), sim.NodeID(f.int())})
	}
	e.Writes, e.Ticks = f.uint(), f.uint()
	e.Digest = binary.LittleEndian.Uint64(f.take(8))
	if f.bad || len(f.data) > 0 {
		return errRecord
	}
	return nil
}
