package shrink

import (
	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// Player executes scripts on a world, tolerantly: a step whose event cannot happen is left out. An
// event is looked for by its key, its class and its number among the events that share them, and else by its class,
// because the content of a message may depend on what was left out before. A question without an answer is answered by its first alternative,
// faults by "no fault". A player is for one goroutine.
type Player struct {
	Run *replay.Run
	// Steps counts the steps executed by all scripts.
	Steps int
	// Noted is called by Play before each pick, [choose.Event] included, when the path before it is
	// Run.Path. May be nil.
	Noted func(kind choose.Kind)
	// Check is asked by Play in each state. Nil: that of the world.
	Check func() error

	answers  choose.PickSource
	taken    []choose.FilePick
	unlikely int
}

// Played is how a script went.
type Played struct {
	Script   Script // what was executed
	Finding  *sim.Finding
	Err      error // another one, about the system
	Unlikely int   // answers of weight 0, which random walks never give
}

// Play executes a script from the first state on, until its end or a finding, of a step or of a
// property that must always hold.
func (p *Player) Play(s Script) Played {
	var out Played
	p.unlikely = 0
	p.begin(s.Boot)
	over := p.ended(&out, p.Run.Start(p))
	out.Script.Boot = p.picks()
	for i := range s.Steps {
		if over {
			break
		}
		step := s.Steps[i]
		index, ok := p.find(&step)
		if !ok {
			continue
		}
		p.begin(step.Picks)
		p.Steps++
		if p.Noted != nil {
			p.Noted(choose.Event)
		}
		over = p.ended(&out, p.Run.Step(index, p))
		step.Picks = p.picks()
		out.Script.Steps = append(out.Script.Steps, step)
	}
	out.Unlikely = p.unlikely
	return out
}

// ended notes how a run ends: with the error of a step, or with what the state after it violates.
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
	if !errors.As(err, &out.Finding) {
		out.Err = err
	}
	return true
}

// find looks for the step's event, and makes it the step's when it is another one.
func (p *Player) find(s *Step) (index int, ok bool) {
	w := p.Run.World
	near, nearKey := -1, "" // the first event of the same class
	same, equal := 0, 0     // the last event of the same key and class, and how many there are
	for i := 0; ; i++ {
		ev, ok := p.Run.Event(i)
		if !ok {
			break
		}
		if ev.Kind != s.Kind || ev.Node != s.Node || ev.Peer != s.Peer {
			continue
		}
		label := w.Label(ev)
		key := label.String()
		if key != s.Key && near >= 0 || !isOfClass(w, &label, s.Class) {
			continue
		}
		if key == s.Key {
			if same, equal = i, equal+1; equal > s.Nth {
				break
			}
		} else {
			near, nearKey = i, key
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

// Event returns the event of that index, see [replay.Run.Event], as a step without answers.
func (p *Player) Event(index int) (Step, bool) {
	ev, ok := p.Run.Event(index)
	if !ok {
		return Step{}, false
	}
	w := p.Run.World
	label := w.Label(ev)
	s := Step{Kind: ev.Kind, Node: ev.Node, Peer: ev.Peer, Key: label.String()}
	s.Class, s.Handler = classify(w, &label)
	for i := range index {
		before, _ := p.Run.Event(i)
		if before.Kind != s.Kind || before.Node != s.Node || before.Peer != s.Peer {
			continue
		}
		if label := w.Label(before); label.String() == s.Key && isOfClass(w, &label, s.Class) {
			s.Nth++
		}
	}
	return s, true
}

func (p *Player) begin(picks []choose.FilePick) {
	p.answers.Reset(picks)
	p.taken = p.taken[:0]
}

// picks are the answers given since begin.
func (p *Player) picks() []choose.FilePick {
	if len(p.taken) == 0 {
		return nil
	}
	return append([]choose.FilePick(nil), p.taken...)
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
	if at.Arity > 1 && (at.Kind.Class() != choose.Fault || pick != 0) {
		p.taken = append(p.taken, choose.FilePick{Kind: at.Kind, Pick: pick, Label: at.Label})
	}
}

// Follow executes a path that fits the system and returns its script. The error says where it does not
// fit. A finding ends it.
func (p *Player) Follow(path choose.Path) (Played, error) {
	var out Played
	src := &choose.Prefix{Path: path}
	follow := &follower{player: p, path: src}
	w := p.Run.World
	p.unlikely, p.taken = 0, p.taken[:0]
	err := p.Run.Start(follow)
	out.Script.Boot = p.picks()
	for {
		if err == nil {
			err = w.Check()
		}
		if err != nil || src.Err() != nil || src.Done() {
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

// follower answers from a path, and lets the player note the answers.
type follower struct {
	player *Player
	path   *choose.Prefix
}

func (f *follower) Choose(at choose.Point) int {
	pick := f.path.Choose(at)
	f.player.note(at, pick)
	return pick
}
