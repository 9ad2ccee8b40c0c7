package sim

import (
	"fmt"
	"reflect"
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
	quorum() quorumInfo
}

type quorumInfo struct {
	name  string
	typ   reflect.Type // of messages
	has   func(Service) bool
	need  func(Service) int               // nil: any size
	fits  func(Service, NodeID, any) bool // nil: all
	key   func(any) any                   // nil: all alike
	guard func(Service, []From[any]) bool // nil: all
	do    func(Service, Env, []From[any])
	code  any // the function that Do runs, for source lines
	err   error
}

func (q Quorum[S, M]) quorum() quorumInfo {
	info := quorumInfo{name: q.Name, typ: reflect.TypeFor[M](), code: q.Do}
	switch {
	case q.Name == "" || q.Do == nil:
		info.err = fmt.Errorf("quorum %q needs a name and a Do", q.Name)
	case q.Need == nil && q.Guard == nil:
		info.err = fmt.Errorf("quorum %q needs a Need, which says how many senders a set has, or a Guard", q.Name)
	case info.typ.Kind() == reflect.Interface:
		info.err = fmt.Errorf("quorum %q: messages are of type %v, an interface; must be the type that is sent", q.Name, info.typ)
	}
	info.has = func(s Service) bool { _, ok := s.(S); return ok }
	if q.Need != nil {
		info.need = func(s Service) int { return q.Need(s.(S)) }
	}
	if q.Fits != nil {
		info.fits = func(s Service, from NodeID, m any) bool { return q.Fits(s.(S), from, m.(M)) }
	}
	if q.Key != nil {
		info.key = func(m any) any { return q.Key(m.(M)) }
	}
	if q.Guard != nil {
		info.guard = func(s Service, set []From[any]) bool { return q.Guard(s.(S), typed[M](set)) }
	}
	info.do = func(s Service, env Env, set []From[any]) { q.Do(s.(S), env, typed[M](set)) }
	return info
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

// quorums returns what is known of the quorums of a system. The error says which one is not valid.
func (s *System) quorums() ([]quorumInfo, error) {
	if len(s.Quorums) > maxQuorums {
		return nil, fmt.Errorf("system %q: %d quorums, must be at most %d", s.Name, len(s.Quorums), maxQuorums)
	}
	if len(s.Quorums) > 0 && s.Timing == Prompt {
		return nil, fmt.Errorf("system %q: quorums leave messages in flight, for which timers would wait for ever under %v: use ByDeadline or AnyOrder", s.Name, Prompt)
	}
	var all []quorumInfo
	seen := map[string]bool{}
	for i, q := range s.Quorums {
		info := q.quorum()
		if info.err == nil && seen[info.name] {
			info.err = fmt.Errorf("two quorums are named %q", info.name)
		}
		if info.err != nil {
			return nil, fmt.Errorf("system %q: quorum %d: %w", s.Name, i, info.err)
		}
		seen[info.name] = true
		all = append(all, info)
	}
	return all, nil
}

// QuorumNames returns the names of all quorums, in their order. The slice is the caller's.
func (s *System) QuorumNames() []string {
	names := make([]string, len(s.Quorums))
	for i, q := range s.Quorums {
		names[i] = q.quorum().name
	}
	return names
}

// Assembled is a set of messages that a quorum takes.
type Assembled struct {
	Quorum int32       // its number in [System.Quorums]
	Set    []From[any] // by ascending sender
}

// Assembly is what the quorums of a node make of the datagrams that can be delivered to it.
type Assembly struct {
	Taken []bool // by datagram: it waits for a quorum
	Over  []bool // by datagram: it waits for quorums that take nothing any more
	Sets  []AssemblySet
	Tried int // sets that were tried of quorums whose sets have any size
}

// AssemblySet is a set of datagrams that a quorum takes.
type AssemblySet struct {
	Quorum  int32
	Members []int32 // numbers of datagrams, by ascending sender
}
