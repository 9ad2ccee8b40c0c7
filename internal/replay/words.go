package replay

import (
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Words describes events of a system. It must not be used concurrently.
type Words struct {
	plans *encoding.Set
	buf   []sim.Envelope
}

// NewWords returns the Words of a system. The error is that of [kernel.NewWorld].
func NewWords(sys *sim.System) (*Words, error) {
	plans, err := encoding.NewSet(declared.Rules(sys.State, rule.Showing())...)
	if err != nil {
		return nil, err
	}
	return &Words{plans: plans}, nil
}

// Describe describes ev in the state of w in a few words. It is like the function [Describe], but formats
// enumerations in messages by name.
func (x *Words) Describe(w kernel.World, ev netmodel.Event) string {
	l := w.Label(ev)
	content := Brief(l.Content)
	if x.buf = w.Messages(ev, x.buf[:0]); len(x.buf) == 1 {
		content = x.text(x.buf[0].Msg)
	}
	return describe(&l, what(&l, content))
}

// text formats a message or announced event for people.
func (x *Words) text(v any) string {
	p, err := x.plans.Of(v)
	if err != nil {
		return fmt.Sprintf("%T", v)
	}
	return Brief(p.Names(v))
}

// exact formats a timer like the stable key of its event.
func (x *Words) exact(v any) string {
	p, err := x.plans.Of(v)
	if err != nil {
		return fmt.Sprintf("%T", v)
	}
	return Brief(p.Text(v))
}
