package kernel

import (
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// content is the body of a message that a handler sends, or of an event that it announces.
type content struct {
	body any // a private copy
	sent any // the original, if it can still be changed and this is checked
}

// by sets the content of an effect.
func (c content) by(f *stepinfo.Effect) {
	f.Msg.Body = c.body
	if c.sent != nil {
		f.Msg.Attached().Sent = c.sent
	}
}

// message makes a private copy of a message that a handler sends, or of an event that it announces.
func (w *Machine) message(role string, msg any) content {
	c := content{body: msg}
	p, err := w.Copies.Of(msg)
	if err == nil && !p.Flat() {
		err = w.privateCopy(&c, p)
	}
	if err != nil && w.BadType == nil {
		w.BadType = encoding.As(role, err)
	}
	return c
}

func (w *Machine) privateCopy(c *content, p *encoding.Plan) (err error) {
	defer encoding.Catch(&err)
	msg := c.body
	c.body = p.Copy(msg)
	if w.keepsSent() {
		c.sent = msg
	}
	return nil
}

// keepsSent reports whether the originals of messages are kept, to detect changes.
func (w *Machine) keepsSent() bool { return w.Opts.CheckMessages || w.OnBench }

// PrivateTo returns a copy of a message or announced event for one recipient.
func (w *Machine) PrivateTo(v any) any {
	p, err := w.Copies.Of(v)
	if err != nil {
		panic(err)
	}
	if p.Flat() {
		return v
	}
	return p.Copy(v)
}

// sentUnchanged checks that the handler that has returned did not change its messages after it sent them.
func (w *Machine) sentUnchanged(from sim.NodeID) error {
	for i := w.FirstEffect; i < len(w.last.Effects); i++ {
		if f := &w.last.Effects[i]; f.Msg.Attached().Sent != nil {
			if err := w.CheckUnchanged(&netmodel.Delivery{From: from, Msg: f.Msg}, f.Peer); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckUnchanged compares a message with the original that its sender still holds.
func (w *Machine) CheckUnchanged(d *netmodel.Delivery, to sim.NodeID) error {
	p, err := w.Copies.Of(d.Msg.Body) // the sender's slices may have spare capacity
	if err != nil {
		return err
	}
	now := p.Copy(d.Msg.Attached().Sent) // copies omit when a time was read
	if string(p.Append(nil, d.Msg.Body)) != string(p.Append(nil, now)) {
		return &sim.Finding{Kind: sim.Safety, Property: MessagesProperty, Node: d.From, Message: fmt.Sprintf(
			"node %d changed a message to node %d after sending it: sent %s, now %s",
			d.From, to, p.Text(d.Msg.Body), p.Text(now))}
	}
	return nil
}

// MessagesProperty is the property name of findings about messages that their senders changed afterwards.
const MessagesProperty = "messages are values"
