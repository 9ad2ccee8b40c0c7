package sim

import (
	"fmt"
	"reflect"

	"github.com/macemc/macemc/internal/simhook"
)

// From is a message with its sender.
type From[M any] struct {
	From NodeID
	Msg  M
}

// Quorum is a transition of services of type S that takes a set of datagrams of type M from different senders, such as
// replies of a majority. A service that counts replies has a state after each reply. A quorum avoids these states.
//
// Messages of type M never reach the Receive of an S: they stay in flight until a set of them is taken. Each set that
// can be taken is a separate event. All functions but Do must be pure functions of their arguments. The checker tests
// this by sampling. Quorums are for datagrams: a stream that delivers an M to an S is a violation.
type Quorum[S Service, M any] struct {
	// Name is unique among the quorums of a system.
	Name string
	// Need returns the number of different senders in a set. 0 means that no set is taken in this state. A negative
	// number means that the node never takes a set again, not even after a crash, so that such messages may be
	// discarded. A node that needs one later is a violation. A nil Need means sets of any size: the Guard is called for
	// all 2^k-1 sets of k senders.
	Need func(S) int
	// Fits reports whether a message can be in a set in this state. Nil means that every message can.
	Fits func(S, NodeID, M) bool
	// Key returns a comparable key. The messages of a set have equal keys. Copies of a message must have equal keys, so
	// a key must not be a pointer into the message. Nil means that all messages have the same key.
	Key func(M) any
	// Guard reports whether a set, ordered by ascending sender, can be taken. Nil means that every set can. Need and
	// Guard must not both be nil.
	Guard func(S, []From[M]) bool
	// Do handles the set, ordered by ascending sender. It owns a copy of the set. Its effects must not depend on the
	// order, except for the order of the datagrams that it sends.
	Do func(S, Env, []From[M])
}

// AnyQuorum is a [Quorum] of any types.
type AnyQuorum interface {
	// Erased returns the quorum for services and messages of any type, and the types that it is for.
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

// maxQuorums is the number of bits of the word that marks the quorums a node has finished with.
const maxQuorums = 64

// validateQuorums returns an error for the first invalid quorum of a system.
func (s *System) validateQuorums() error {
	if len(s.Quorums) > maxQuorums {
		return fmt.Errorf("system %q: %d quorums, must be at most %d", s.Name, len(s.Quorums), maxQuorums)
	}
	if _, bounded := s.Timing.MaxDelay(); len(s.Quorums) > 0 && (bounded || s.Timing == Prompt) {
		return fmt.Errorf("system %q: quorums leave messages in flight, so timers would wait forever under %v: use ByDeadline or AnyOrder",
			s.Name, s.Timing)
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

// validate returns an error if the quorum is invalid for messages of the given type.
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

// QuorumNames returns the names of all quorums, in order. The caller owns the slice.
func (s *System) QuorumNames() []string {
	names := make([]string, len(s.Quorums))
	for i, q := range s.Quorums {
		e, _ := q.Erased()
		names[i] = e.Name
	}
	return names
}

// QuorumProperty is the property name of findings about quorums that violate their contract.
const QuorumProperty = "quorums keep what they say"
