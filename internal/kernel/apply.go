package kernel

import (
	"time"

	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// apply makes effects first to end-1 of the step happen, which n asked for.
func (w *machine) apply(n *node, first, end int) (err error) {
	defer w.contain(n.id, &err) // of the network, when it lacks what was asked for, and of monitors
	flushed := 0
	w.last.Applied = end
	for i := first; i < end; i++ {
		f := &w.last.Effects[i]
		switch f.Kind {
		case stepinfo.SendEffect:
			if !w.last.Happened(i) {
				continue
			}
			w.sent(n, f)
			w.net.SendDatagram(n.id, f.Peer, f.Msg)
		case stepinfo.StreamEffect:
			w.sent(n, f)
			if w.asLive && !w.bench {
				if room := w.net.Room(n.id, f.Peer); room <= 0 {
					w.last.Over = append(w.last.Over, stepinfo.Overflow{From: n.id, To: f.Peer, Room: room})
				}
			}
			w.net.SendStream(n.id, f.Peer, f.Msg)
		case stepinfo.RefusedEffect:
			w.sent(n, f)
			w.Fate(f.Msg.ID, sim.Refused)
			w.net.RefuseStream(n.id, f.Peer)
		case stepinfo.CloseEffect:
			w.net.CloseStream(n.id, f.Peer)
		case stepinfo.SetTimerEffect:
			if err := w.setTimer(n, f.Value, time.Duration(f.After)); err != nil {
				return err
			}
		case stepinfo.StopTimerEffect:
			n.stopTimer(f.Value)
		case stepinfo.SyncEffect:
			n.disk.Flush(f.Disk - flushed)
			flushed = f.Disk
		case stepinfo.AnnounceEffect:
			for _, m := range w.monitors {
				event := f.Value
				if !w.bench { // what one does to it is not for the others to see; on a bench it is a copy already
					event = w.privateTo(event)
				}
				if err := w.observe(m, n.id, event); err != nil {
					return &sim.Finding{Kind: sim.Safety, Property: sim.MonitorName(m), Node: n.id, Message: err.Error()}
				}
			}
		}
	}
	return nil
}

// sent gives a message its identity.
func (w *machine) sent(n *node, f *stepinfo.Effect) {
	w.nextID++
	f.Msg.ID = w.nextID
	if w.opts.Trace {
		w.last.Sent = append(w.last.Sent,
			sim.Envelope{From: n.id, To: f.Peer, Msg: f.Msg.Body, ID: f.Msg.ID, Stream: f.Kind != stepinfo.SendEffect})
	}
}
