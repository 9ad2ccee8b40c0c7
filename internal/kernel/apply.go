package kernel

import (
	"time"

	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Apply carries out effects first to end-1 of the step, which n requested.
func (w *Machine) Apply(n *Node, first, end int) (err error) {
	defer w.Contain(n.ID, &err) // a panic of the network, if it lacks what an effect refers to, or of a monitor
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
			w.Net.SendDatagram(n.ID, f.Peer, f.Msg)
		case stepinfo.StreamEffect:
			w.sent(n, f)
			if w.acceptsAll && !w.OnBench {
				if room := w.Net.Room(n.ID, f.Peer); room <= 0 {
					w.last.Over = append(w.last.Over, stepinfo.Overflow{From: n.ID, To: f.Peer, Room: room})
				}
			}
			w.Net.SendStream(n.ID, f.Peer, f.Msg)
		case stepinfo.RefusedEffect:
			w.sent(n, f)
			w.Fate(f.Msg.ID, netmodel.Refused)
			w.Net.RefuseStream(n.ID, f.Peer)
		case stepinfo.CloseEffect:
			w.Net.CloseStream(n.ID, f.Peer)
		case stepinfo.SetTimerEffect:
			if err := w.setTimer(n, f.Value, time.Duration(f.After)); err != nil {
				return err
			}
		case stepinfo.StopTimerEffect:
			n.stopTimer(f.Value)
		case stepinfo.SyncEffect:
			n.Disk.Flush(f.Disk - flushed)
			flushed = f.Disk
		case stepinfo.AnnounceEffect:
			for _, m := range w.Monitors {
				event := f.Value
				if !w.OnBench { // other observers must not see what one does to it; on a bench it is a copy already
					event = w.PrivateTo(event)
				}
				if text, failed := w.observe(m, n.ID, event); failed {
					return &sim.Finding{Kind: sim.Safety, Property: sim.MonitorName(m), Node: n.ID, Message: text}
				}
			}
		}
	}
	return nil
}

// sent assigns an identity to a message.
func (w *Machine) sent(n *Node, f *stepinfo.Effect) {
	w.nextID++
	f.Msg.ID = w.nextID
	if w.Opts.Trace {
		w.last.Sent = append(w.last.Sent,
			sim.Envelope{From: n.ID, To: f.Peer, Msg: f.Msg.Body, ID: f.Msg.ID, Stream: f.Kind != stepinfo.SendEffect})
	}
}
