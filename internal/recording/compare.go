package recording

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// compareEffects compares the effects of the last step, from effect first on.
func (m *merger) compareEffects(want []Effect, first int) error {
	got := m.world.Last().Effects[first:]
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("it lacks effect %d, %v", i+1, want[i].Kind)
		case i >= len(want):
			return fmt.Errorf("its effect %d, %v, was not recorded", i+1, got[i].Kind)
		case got[i].Kind == stepinfo.StreamEffect && want[i].Kind == stepinfo.RefusedEffect:
			return fmt.Errorf("the send buffer to n%d was full, but in the model it has room: the peer had handled messages, "+
				"but the node did not know yet; the network model does not include that", want[i].Peer)
		case got[i].Kind == stepinfo.RefusedEffect && want[i].Kind == stepinfo.StreamEffect:
			return fmt.Errorf("the send buffer to n%d had room, but in the model it is full", want[i].Peer)
		case got[i].Kind != want[i].Kind || want[i].about() && got[i].Peer != want[i].Peer:
			return fmt.Errorf("effect %d is %v to n%d, recorded was %v to n%d", i+1, got[i].Kind, got[i].Peer, want[i].Kind, want[i].Peer)
		}
	}
	return nil
}

// about reports whether the effect has a peer.
func (e Effect) about() bool {
	return e.numbered() || e.Kind == stepinfo.RefusedEffect || e.Kind == stepinfo.CloseEffect
}

// compare compares the last step with the recorded one.
func (m *merger) compare(e *Event, src *answers, failed error) error {
	var f *sim.Finding
	errors.As(failed, &f)
	// Live nodes have no such properties
	broken := f != nil && f.Property != sim.AssertionProperty && !slices.Contains(m.world.System().MonitorNames(), f.Property)
	switch {
	case broken && !e.Failed:
		return fmt.Errorf("it ends in a %s that was not recorded: %s", f.Kind, f.Message)
	case !broken && e.Failed:
		return errors.New("the handler returns, but did not in the recording")
	case broken:
		return nil
	}
	if err := src.done(); err != nil {
		return err
	}
	if err := m.compareEffects(e.Effects, 0); err != nil {
		return err
	}
	digest := xxhash.New()
	for i := range m.world.Last().Effects {
		f := &m.world.Last().Effects[i]
		if f.Kind == stepinfo.SendEffect || f.Kind == stepinfo.StreamEffect {
			data, err := m.codec.Append(nil, f.Msg.Body)
			if err != nil {
				return err
			}
			_, _ = digest.Write(data)
		}
	}
	if digest.Sum64() != e.Digest {
		return errors.New("it sends other messages than were recorded: the code has changed, or its behaviour " +
			"does not follow from its state, the event and the answers")
	}
	return nil
}

// compareState compares the node's state with its recorded fingerprint, if there is one.
func (m *merger) compareState(c *cursor, e *Event, what string) {
	states := c.starts[c.start].States
	for len(states) > 0 && states[0].Number < e.Number {
		states = states[1:]
	}
	c.starts[c.start].States = states
	if len(states) == 0 || states[0].Number != e.Number {
		return
	}
	for part, hash := range m.world.Components() {
		if part.Kind != kernel.NodeState || part.Index != int(c.node) {
			continue
		}
		if hash != states[0].Hash {
			m.out.Disagreement = &Disagreement{Origin: m.out.Origins[len(m.out.Origins)-1], Step: m.run.Steps(), What: what,
				Reason: "the node's state differs from the recorded one, because of this event or an earlier one since the last recorded state"}
			return
		}
		m.out.Compared++
		return
	}
}
