package hashtable

import (
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

// Dispatcher receives the requests of clients.
type Dispatcher struct {
	Owners   []machine.ID  // by key: the last known owner
	Moves    [smr.Keys]int // known moves
	Lines    [smr.Keys]Line
	Asked    int // number of requests
	Answered int
	Bugs     bugs
}

// Line is the queue of client requests for a key.
type Line struct {
	Waiting []smr.Request
	ID      int // of the request for the first one to the owner; 0 if it was not sent, since the owner is unknown
	Whom    machine.ID
	Moves   int // of the key, before that request
}

var dispatcherKind = machine.Define[Dispatcher]("dispatcher", machine.In("serving",
	machine.On((*Dispatcher).request),
	machine.On((*Dispatcher).response),
	machine.On((*Dispatcher).moved)))

func (d *Dispatcher) request(x *machine.Ctx, r smr.Request) {
	l := &d.Lines[r.Op.Key]
	if l.Waiting = with(l.Waiting, r); len(l.Waiting) == 1 {
		d.ask(x, r.Op.Key)
	}
}

// ask sends the first request of a line.
func (d *Dispatcher) ask(x *machine.Ctx, key int) {
	l := &d.Lines[key]
	d.Asked++
	l.ID, l.Whom, l.Moves = firstID+d.Asked, d.Owners[key], d.Moves[key]
	x.Send(l.Whom, smr.Request{Client: x.Self(), ID: l.ID, Op: l.Waiting[0].Op})
}

func (d *Dispatcher) response(x *machine.Ctx, r smr.Response) {
	key := slices.IndexFunc(d.Lines[:], func(l Line) bool { return l.ID == r.ID })
	l := &d.Lines[key]
	if l.ID = 0; r.Value == refused && !d.Bugs.has(ht3) {
		again := d.Moves[key] > l.Moves // the key may be back at its former owner
		switch {
		case d.Bugs.has(ht2):
			again = false
		case d.Bugs.has(ht6):
			again = d.Owners[key] != l.Whom
		}
		if again {
			d.ask(x, key)
		}
		return
	}
	first := l.Waiting[0]
	if l.Waiting = slices.Clip(slices.Clone(l.Waiting[1:])); len(l.Waiting) > 0 {
		d.ask(x, key)
	} else {
		*l = Line{}
	}
	d.Answered++
	x.Send(first.Client, smr.Response{ID: first.ID, Commit: d.Answered, Value: r.Value})
}

func (d *Dispatcher) moved(x *machine.Ctx, m Moved) {
	d.Owners = slices.Clone(d.Owners)
	d.Owners[m.Key] = m.To
	d.Moves[m.Key]++
	if l := d.Lines[m.Key]; len(l.Waiting) > 0 && l.ID == 0 && !d.Bugs.has(ht1) {
		d.ask(x, m.Key)
	}
}

// Moved reports a key's new owner to the dispatcher.
type Moved struct {
	Key int
	To  machine.ID
}

// Master moves keys between members.
type Master struct {
	Dispatcher machine.ID
	Members    []machine.ID
	Owners     []int // members by key
	Left       int   // remaining moves
	Key        int   // the key being moved
	Bugs       bugs
}

const (
	content machine.State = "content"
	taking  machine.State = "taking"
	giving  machine.State = "giving"
	resting machine.State = "resting" // no more moves
)

var masterKind = machine.Define[Master]("master",
	machine.In(content, machine.Null((*Master).move, taking, resting)),
	machine.In(taking, machine.On((*Master).taken, giving)),
	machine.In(giving, machine.On((*Master).given, content, resting)),
	machine.In(resting))

func (m *Master) move(x *machine.Ctx) {
	if m.Left == 0 {
		x.Goto(resting)
		return
	}
	m.Key = x.Choose("which key moves", smr.Keys)
	m.request(x, 0, smr.Op{Do: take, Key: m.Key})
	x.Goto(taking)
}

// request asks the owner of the key, for the first or the second time.
func (m *Master) request(x *machine.Ctx, phase int, op smr.Op) {
	x.Send(m.Members[m.Owners[m.Key]], smr.Request{Client: x.Self(), ID: 2*m.Left + phase, Op: op})
}

func (m *Master) taken(x *machine.Ctx, r smr.Response) {
	m.Owners = slices.Clone(m.Owners)
	m.Owners[m.Key] = (m.Owners[m.Key] + 1) % len(m.Members)
	if m.Bugs.has(ht4) {
		r.Value = 0
	}
	m.request(x, 1, smr.Op{Do: give, Key: m.Key, Arg: r.Value})
	if m.Bugs.has(ht5) {
		m.tell(x)
	}
	x.Goto(giving)
}

func (m *Master) given(x *machine.Ctx, _ smr.Response) {
	if !m.Bugs.has(ht5) {
		m.tell(x)
	}
	m.Key = 0
	if m.Left--; m.Left == 0 {
		x.Goto(resting)
		return
	}
	x.Goto(content)
}

func (m *Master) tell(x *machine.Ctx) {
	x.Send(m.Dispatcher, Moved{m.Key, m.Members[m.Owners[m.Key]]})
}

// firstID is above the numbers of client commands, and these are above the master's.
const firstID = 10 * smr.MaxRequests

func with[T any](s []T, more T) []T { return slices.Clip(append(slices.Clone(s), more)) }
