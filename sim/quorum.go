package sim

import (
	"fmt"
	"reflect"

	"github.com/macemc/macemc/internal/simhook"
)

// From is a message of a set, and its sender.
type From[M any] struct {
	From NodeID
	Msg  M
}

// Quorum is a transition of services of type S that takes a set of datagrams of type M at once, from different senders: a majority
// of replies, say. Where a service would count what it has received, a quorum keeps all the states in between out of the search.
//
// Messages of type M never reach the Receive of an S: they stay in flight until a set of them is taken. Each set that can be taken
// is an event of its own. All functions but Do only look, and depend on nothing but what they are handed; all of this is checked
// by samples. Quorums are for datagrams: a stream that hands over an M to an S is a finding.
type Quorum[S Service, M any] struct {
	// Name is unique among the quorums of a system.
	Name string
	// Need is how many different senders a set has now; 0: nothing is taken now. Less than 0: nothing will be taken any more in
	// the life of the node, crashes included, so that such messages may be forgotten; a node that needs some later is a finding.
	// Nil: sets have any size, and the Guard is asked about each one of them: of k senders 2^k-1.
	Need func(S) int
	// Fits reports whether a message can be in a set now. Nil: all can.
	Fits func(S, NodeID, M) bool
	// Key: only messages of equal keys are in one set. Keys are comparable, and equal for copies of a message, so a pointer into
	// it is none. Nil: all have the same.
	Key func(M) any
	// Guard reports whether a set is taken, by ascending sender. Nil: all are; then Need is not nil.
	Guard func(S, []From[M]) bool
	// Do handles the set, by ascending sender, of which it owns a copy. It does the same whatever the order; datagrams
	// that it sends may differ in theirs.
	Do func(S, Env, []From[M])
}

// AnyQuorum is a [Quorum] of any types.
type AnyQuorum interface {
	// Erased returns the quorum as one of services and messages of all types, and tells which of them it is for.
	Erased() (Quorum[Service, any], simhook.Types)
}

// Erased implements [AnyQuorum].
func (q Quorum[S, M]) Erased() (Quorum[Service, any], simhook.Types) {
	e := Quorum[Service, any]{Name: q.Name}
	if q.Need != nil {
		e.Need = func(s Service) int { return q.Need(s.(S)) }
	}
	if q.Fits != nil {
		e.Fits = func(s Service, from NodeID, m any) bool { return q.Fits(s.(S), from, m.(M)) }
	}
	if q.Key != nil {
		e.Key = func(m any) any { return q.Key(m.(M)) }
	}
	if q.Guard != nil {
		e.Guard = func(s Service, set []From[any]) bool { return q.Guard(s.(S), typed[M](set)) }
	}
	if q.Do != nil {
		e.Do = func(s Service, env Env, set []From[any]) { q.Do(s.(S), env, typed[M](set)) }
	}
	return e, simhook.Types{Has: func(s any) bool { _, ok := s.(S); return ok }, Message: reflect.TypeFor[M](), Do: q.Do}
}

func typed[M any](set []From[any]) []From[M] {
	out := make([]From[M], len(set))
	for i, m := range set {
		out[i] = From[M]{m.From, m.Msg.(M)}
	}
	return out
}

// maxQuorums is how many quorums fit into the word that says which ones a node has done with.
const maxQuorums = 64

// validateQuorums reports the first thing that is wrong with the quorums of a system.
func (s *System) validateQuorums() error {
	if len(s.Quorums) > maxQuorums {
		return fmt.Errorf("system %q: %d quorums, must be at most %d", s.Name, len(s.Quorums), maxQuorums)
	}
	if _, bounded := s.Timing.MaxDelay(); len(s.Quorums) > 0 && (bounded || s.Timing == Prompt) {
		return fmt.Errorf("system %q: quorums leave messages in flight, for which timers would wait forever under %v: use ByDeadline or AnyOrder", s.Name, s.Timing)
	}
	seen := map[string]bool{}
	for i, erased := range s.Quorums {
		q, types := erased.Erased()
		err := q.validate(types.Message)
		if err == nil && seen[q.Name] {
			err = fmt.Errorf("two quorums are named %q", q.Name)
		}
		if err != nil {
			return fmt.Errorf("system %q: quorum %d: %w", s.Name, i, err)
		}
		seen[q.Name] = true
	}
	return nil
}

// validate reports the first thing that is wrong, for messages of that type.
func (q *Quorum[S, M]) validate(message reflect.Type) error {
	switch {
	case q.Name == "" || q.Do == nil:
		return fmt.Errorf("quorum %q needs a name and a Do", q.Name)
	case q.Need == nil && q.Guard == nil:
		return fmt.Errorf("quorum %q needs a Need, which says how many senders a set has, or a Guard", q.Name)
	case message.Kind() == reflect.Interface:
		return fmt.Errorf("quorum %q: messages are of type %v, an interface; must be the type that is sent", q.Name, message)
	}
	return nil
}

// QuorumNames returns the names of all quorums, in their order. The slice is the caller's.
func (s *System) QuorumNames() []string {
	names := make([]string, len(s.Quorums))
	for i, q := range s.Quorums {
		e, _ := q.Erased()
		names[i] = e.Name
	}
	return names
}

// QuorumProperty is the property name of findings about quorums that do not keep what they say.
const QuorumProperty = "quorums keep what they say"
