package replay

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/textfmt"
)

// follower follows the steps of a file.
type follower struct {
	run    *Run
	src    pathfile.Source
	o      Following
	steps  []pathfile.Step
	fitted map[string]bool // names of the messages, timers and actions of steps that were not renamed
}

// Choose answers a question of the step in progress.
func (r *follower) Choose(p choose.Point) int {
	pick := r.src.Choose(p)
	if r.o.Noted != nil {
		r.o.Noted(p.Kind, "")
	}
	return pick
}

func (r *follower) step(index int) error {
	if r.o.Noted != nil {
		ev, _ := r.run.Event(index)
		r.o.Noted(choose.Event, r.run.World.Key(ev))
	}
	return r.checked(r.run.Step(index, r))
}

// checked adds the check of the state to the error of a step.
func (r *follower) checked(err error) error {
	if err == nil && r.o.Check != nil {
		err = r.o.Check()
	}
	return err
}

// renamed records a step with another label.
func (r *follower) renamed(step int, out *Reading) {
	if what := r.src.Renamed(); what != "" {
		out.Renamed = append(out.Renamed, Renamed{step, what})
	}
}

// fits adds the name of the event at an index to r.fitted.
func (r *follower) fits(index int) (int, bool) {
	ev, _ := r.run.Event(index)
	l := r.run.World.Label(ev)
	r.fitted[typeOf(l.Content)] = true
	return index, true
}

// matchExact returns the index of the step's event. It first tries the index in the file, which also selects among events
// of the same key.
func (r *follower) matchExact(s *pathfile.Step) (int, bool) {
	if s.Index >= 0 {
		if ev, ok := r.run.Event(s.Index); ok && r.run.World.Key(ev) == s.Key {
			return r.fits(s.Index)
		}
	}
	for i := 0; ; i++ {
		ev, ok := r.run.Event(i)
		if !ok {
			return 0, false
		}
		if r.run.World.Key(ev) == s.Key {
			return r.fits(i)
		}
	}
}

// matchSimilar returns the index of an event with the same class, nodes and type as the key's. It prefers the one that
// shares most words with it.
func (r *follower) matchSimilar(key string) (index int, ok bool) {
	words, most := strings.Fields(key), -1
	for i := 0; ; i++ {
		ev, more := r.run.Event(i)
		if !more && ok {
			return r.fits(index)
		}
		if !more {
			return 0, false
		}
		other := r.run.World.Key(ev)
		if typeOf(other) != typeOf(key) {
			continue
		}
		if n := shared(other, words); n > most {
			index, ok, most = i, true, n
		}
	}
}

// matchRenamed returns the index of an event with the same class and nodes as the key's and another name of its message,
// timer or action, as after a renaming: no event so far had the old name, and the file does not contain the new one. It
// prefers the event whose content shares most words with the key.
func (r *follower) matchRenamed(key string) (index int, ok bool) {
	words, most := strings.Fields(key), -1
	for i := 0; ; i++ {
		ev, more := r.run.Event(i)
		if !more {
			return index, ok
		}
		l := r.run.World.Label(ev)
		name, head := typeOf(l.Content), l.Head()+" "
		if l.Carrier != "" {
			head += l.Carrier + " "
		}
		old, same := strings.CutPrefix(typeOf(key), head)
		if name == "" || len(l.Set) > 0 || !same || r.fitted[old] || r.inFile(name) {
			continue
		}
		if n := shared(head+old+strings.TrimPrefix(l.Content, name), words); n > most {
			index, ok, most = i, true, n
		}
	}
}

// inFile reports whether a step of the file has the name of a message, timer or action.
func (r *follower) inFile(name string) bool {
	return slices.ContainsFunc(r.steps, func(s pathfile.Step) bool { return strings.HasSuffix(typeOf(s.Key), " "+name) })
}

// typeOf returns a key without the content of its value.
func typeOf(key string) string {
	if at := strings.IndexAny(key, "{([\""); at >= 0 {
		return key[:at]
	}
	return key
}

// shared counts the words of the key that are among words.
func shared(key string, words []string) (n int) {
	for w := range strings.FieldsSeq(key) {
		if slices.Contains(words, w) {
			n++
		}
	}
	return n
}

// near lists the enabled events, most similar to key first.
func (r *follower) near(key string) []string {
	const most = 5
	words := strings.Fields(key)
	type candidate struct {
		key    string
		shared int
	}
	var all []candidate
	for i := 0; ; i++ {
		ev, ok := r.run.Event(i)
		if !ok {
			break
		}
		key := r.run.World.Key(ev)
		all = append(all, candidate{key, shared(key, words)})
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.shared - a.shared })
	near := []string{}
	for _, c := range all {
		near = append(near, c.key)
	}
	near = textfmt.Few(near, most)
	if len(all) == 0 {
		near = append(near, "nothing")
	}
	return near
}
