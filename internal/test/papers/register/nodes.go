package register

import "github.com/macemc/macemc/sim"

// Writer writes one value after the other.
type Writer struct {
	sim.Nop
	Stamp int
	Acks  int
	Busy  bool

	sizes *sizes
}

// Write begins a write.
func (w *Writer) Write(env sim.Env) {
	w.Stamp++
	w.Busy, w.Acks = true, 0
	env.Announce(WriteBegins{w.Stamp})
	w.sizes.toObjects(env, WriteRequest{w.Stamp})
}

// Receive implements [sim.Service].
func (w *Writer) Receive(env sim.Env, _ sim.NodeID, msg any) {
	if m := msg.(WriteAck); !w.Busy || m.Stamp != w.Stamp {
		return
	}
	if w.Acks++; w.Acks == w.sizes.majority() {
		w.end(env)
	}
}

func (w *Writer) end(env sim.Env) {
	w.Busy = false
	env.Announce(WriteEnds{w.Stamp})
}

// Object is a base object.
type Object struct {
	sim.Nop
	Stamp int

	bugs bugs
}

// record is the key of a base object's data on disk.
const record = "stamp"

// Boot implements [sim.Service].
func (o *Object) Boot(env sim.Env) {
	if r, ok := env.Disk().Get(record); ok {
		o.Stamp = int(r[0])
	}
}

// Receive implements [sim.Service].
func (o *Object) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case WriteRequest:
		if m.Stamp > o.Stamp || o.bugs.has(rg1) {
			o.Stamp = m.Stamp
			env.Disk().Put(record, []byte{byte(o.Stamp)})
			env.Disk().Sync()
		}
		env.Send(from, WriteAck(m))
	case ReadRequest:
		env.Send(from, ReadAck{m.Read, o.Stamp})
	}
}

// Reader reads repeatedly.
type Reader struct {
	sim.Nop
	Read  int // number of the read
	Acks  int
	Stamp int // the latest one in the acknowledgements
	Busy  bool

	sizes *sizes
	bugs  bugs
}

// Begin begins a read.
func (r *Reader) Begin(env sim.Env) {
	r.Read++
	r.Busy, r.Acks, r.Stamp = true, 0, 0
	env.Announce(ReadBegins{})
	r.sizes.toObjects(env, ReadRequest{r.Read})
}

// Receive implements [sim.Service].
func (r *Reader) Receive(env sim.Env, _ sim.NodeID, msg any) {
	m := msg.(ReadAck)
	if !r.Busy || m.Read != r.Read {
		return
	}
	r.Stamp = max(r.Stamp, m.Stamp)
	if r.Acks++; r.Acks == r.sizes.majority() || r.bugs.has(rg2) {
		r.end(env, r.Stamp)
	}
}

func (r *Reader) end(env sim.Env, stamp int) {
	r.Busy, r.Acks, r.Stamp = false, 0, 0
	env.Announce(ReadEnds{stamp})
}
