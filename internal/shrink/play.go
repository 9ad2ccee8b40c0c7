package shrink

import (
	"errors"
	"math"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Player executes scripts tolerantly: it leaves out a step if its event is not enabled. It finds an event by key, class and number among
// equal ones. Otherwise it takes the most similar one of the class, because the content of a message may depend on steps that were left
// out. A question without an answer gets the first alternative, and faults get "no fault". A Player must not be used concurrently.
type Player struct {
	Run *replay.Run
	// Steps counts the executed steps of all scripts.
	Steps int
	// Noted, if not nil, is called by Play before each pick, [choose.Event] included. Run.Path is the path before
	// the pick.
	Noted func(kind choose.Kind)
	// Check is called by Play in each state. Nil means the world's Check.
	Check func() error
	// Unblock makes Play deliver another message of a stream first if it blocks a delivery. It is not for dead runs, because
	// it would also change the recoveries that are played behind candidates.
	Unblock bool
	// Interrupted is called before each step. If it returns true, the script or path ends there, see [Played].Cut. Nil means never.
	Interrupted func() bool
	// checkFrom is the number of steps from which on Check must be called in each state.
	checkFrom int

	answers  pathfile.Source
	taken    []pathfile.Pick
	unlikely int
	names    eventNames
	prefixes prefixes
	faults   []netmodel.Event // reused
}

// Played is the result of a script.
type Played struct {
	Script   Script // what was executed
	Finding  *sim.Finding
	Err      error // any other error, about the system
	Unlikely int   // answers of weight 0, which random walks never give
	Cut      bool  // it was interrupted, so it has no finding
}

// Play executes a script from the first state until its end or a finding, of a step or of a violated Always
// property.
func (p *Player) Play(s Script) Played {
	var out Played
	shared := p.shared(&s)
	first, over := 0, p.cut(&out)
	if !over {
		first = p.resume(shared)
	}
	switch {
	case over:
	case first > 0:
		out.Script.Boot, out.Script.Steps = s.Boot, slices.Clone(s.Steps[:first])
		over = p.ended(&out, nil)
	default:
		p.unlikely = 0
		p.begin(s.Boot)
		over = p.ended(&out, p.start(p))
		if out.Script.Boot = p.picks(); !slices.Equal(out.Script.Boot, s.Boot) {
			shared = -1
		}
	}
	for i := first; i < len(s.Steps) && !over; i++ {
		if i <= shared {
			p.save(i)
		}
		step := s.Steps[i]
		index, ok := p.find(&step)
		if !ok {
			shared = -1
			first := p.blocking(&step)
			if first < 0 {
				continue
			}
			other, _ := p.Event(first)
			if over = p.step(&out, first, &other); over {
				break
			}
			if index, ok = p.find(&step); !ok {
				continue
			}
		}
		over = p.step(&out, index, &step)
		if i < shared && !step.equal(&s.Steps[i]) {
			shared = -1
		}
	}
	out.Unlikely = p.unlikely
	return out
}

// step executes an event with the answers of a step, which it appends to out as it was executed.
func (p *Player) step(out *Played, index int, step *Step) (over bool) {
	if p.cut(out) {
		return true
	}
	p.begin(step.Picks)
	p.Steps++
	if p.Noted != nil {
		p.Noted(choose.Event)
	}
	over = p.ended(out, p.Run.Step(index, p))
	step.Picks = p.picks()
	out.Script.Steps = append(out.Script.Steps, *step)
	return over
}

// cut reports whether a run is to end before its next step, and records it.
func (p *Player) cut(out *Played) bool {
	out.Cut = p.Interrupted != nil && p.Interrupted()
	return out.Cut
}

// ended records the end of a run: the error of a step, or a violation in the state after it.
func (p *Player) ended(out *Played, err error) bool {
	if err == nil {
		check := p.Check
		if check == nil {
			check = p.Run.World.Check
		}
		err = check()
	}
	if err == nil {
		return false
	}
	if _, ok := errors.AsType[*simext.NotSimulated](err); !ok && !errors.As(err, &out.Finding) {
		out.Err = err
	}
	return true
}

// events returns the enabled events, or the faults, and the index of the first one.
func (p *Player) events(faults bool) (list []netmodel.Event, first int) {
	w := p.Run.World
	enabled := w.Enabled()
	if !faults {
		return enabled, 0
	}
	p.faults = w.Injections(p.faults[:0])
	return p.faults, len(enabled)
}

// find finds the step's event, and updates the step if it is another one.
func (p *Player) find(s *Step) (index int, ok bool) {
	near, nearKey, words := -1, "", -1 // the most similar event of the same class; -1 words are not counted yet
	same, equal := 0, 0                // the last event of the same key and class, and their number
	list, first := p.events(s.Kind.Injection())
	for i, ev := range list {
		if ev.Kind != s.Kind || ev.Node != s.Node || ev.Peer != s.Peer {
			continue
		}
		name := p.names.of(p.Run.World, ev)
		if name.class != s.Class || name.key != s.Key && equal > 0 {
			continue
		}
		if name.key == s.Key {
			if same, equal = first+i, equal+1; equal > s.Nth {
				break
			}
			continue
		}
		n := -1
		if near >= 0 {
			if words < 0 {
				words = commonWords(nearKey, s.Key)
			}
			n = commonWords(name.key, s.Key)
		}
		if near < 0 || n > words {
			near, nearKey, words = first+i, name.key, n
		}
	}
	if equal > 0 {
		s.Nth = equal - 1
		return same, true
	}
	if near >= 0 {
		s.Key, s.Nth = nearKey, 0
	}
	return near, near >= 0
}

// blocking returns the index of the delivery that blocks another one of the same stream and is to be made first, or -1.
func (p *Player) blocking(s *Step) int {
	if !p.Unblock || s.Kind != eventkind.Deliver {
		return -1
	}
	w := p.Run.World
	for i, ev := range w.Enabled() {
		if ev.Kind == eventkind.Deliver && ev.Node == s.Node && ev.Peer == s.Peer {
			if m := w.Messages(ev, nil); len(m) == 1 && m[0].Stream {
				return i
			}
		}
	}
	return -1
}

// Event returns the event of that index, see [replay.Run.Event], as a step without answers.
func (p *Player) Event(index int) (Step, bool) {
	ev, ok := p.Run.Event(index)
	if !ok {
		return Step{}, false
	}
	w := p.Run.World
	name := p.names.of(w, ev)
	s := Step{Kind: ev.Kind, Node: ev.Node, Peer: ev.Peer, Key: name.key, Class: name.class, Handler: name.handler}
	list, first := p.events(s.Kind.Injection())
	for _, before := range list[:index-first] {
		if before.Kind != s.Kind || before.Node != s.Node || before.Peer != s.Peer {
			continue
		}
		if before := p.names.of(w, before); before.key == s.Key && before.class == s.Class {
			s.Nth++
		}
	}
	return s, true
}

// start returns to the first state.
func (p *Player) start(src choose.Source) error {
	p.names.reset()
	return p.Run.Start(src)
}

func (p *Player) begin(picks []pathfile.Pick) {
	p.answers.Reset(picks)
	p.taken = p.taken[:0]
}

// picks returns the answers since begin.
func (p *Player) picks() []pathfile.Pick {
	if len(p.taken) == 0 {
		return nil
	}
	return append([]pathfile.Pick(nil), p.taken...)
}

// Choose answers a question of the step in progress.
func (p *Player) Choose(at choose.Point) int {
	pick := p.answers.Choose(at)
	p.note(at, pick)
	if p.Noted != nil {
		p.Noted(at.Kind)
	}
	return pick
}

func (p *Player) note(at choose.Point, pick int) {
	if at.Kind.Class() != choose.Fault && at.Weight(pick) == 0 {
		p.unlikely++
	}
	if at.Arity > 1 && !at.Kind.Implied(pick) {
		p.taken = append(p.taken, pathfile.Pick{Kind: at.Kind, Pick: pick, Label: at.Label})
	}
}

// Follow executes a path that fits the system and returns its script. A finding ends it. The error says where the
// path does not fit.
func (p *Player) Follow(path choose.Path) (Played, error) { return p.followTo(path, math.MaxInt) }

// followTo is Follow for at most that many steps.
func (p *Player) followTo(path choose.Path, most int) (Played, error) {
	var out Played
	if p.cut(&out) {
		return out, nil
	}
	src := &choose.Prefix{Path: path}
	follow := p.noted(src)
	w := p.Run.World
	p.unlikely, p.taken = 0, p.taken[:0]
	err := p.start(follow)
	out.Script.Boot = p.picks()
	for {
		if err == nil {
			err = w.Check()
		}
		if err != nil || src.Err() != nil || src.Done() || len(out.Script.Steps) == most || p.cut(&out) {
			break
		}
		index, _ := src.Take()
		step, ok := p.Event(index)
		if !ok {
			return out, errors.New("shrink: the path does not fit the system")
		}
		p.taken = p.taken[:0]
		p.Steps++
		err = p.Run.Step(index, follow)
		step.Picks = p.picks()
		out.Script.Steps = append(out.Script.Steps, step)
	}
	if src.Err() != nil {
		return out, src.Err()
	}
	out.Unlikely = p.unlikely
	if err != nil && !errors.As(err, &out.Finding) {
		return out, err
	}
	return out, nil
}

// noted returns a source that lets the player record the answers of another one.
func (p *Player) noted(from choose.Source) choose.Source {
	return choose.SourceFunc(func(at choose.Point) int {
		pick := from.Choose(at)
		p.note(at, pick)
		return pick
	})
}
