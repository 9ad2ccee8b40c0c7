package machine

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/netsim"
)

// System is a set of machines and monitors. The zero value is empty. Methods that change it panic after a call of Sim.
type System struct {
	// Queues is the network. The zero value keeps the order of each sender, as TCP does.
	Queues netsim.Queues
	// Streams, if not nil, is the network instead of Queues. It keeps the order of each sender, and connections break
	// when a node crashes, which loses the events in flight to it and from it. Machines receive [Lost] then. A send to
	// a full buffer is a finding in the checker, see [Ctx.TrySend]; on live nodes it waits in memory.
	Streams *netsim.Streams
	// Cover, if not nil, records the rules that were used.
	Cover *Coverage

	machines []nodeSlot
	kinds    map[string]*Kind // of machines, including those of pools
	order    []*Kind          // of machines, including those of pools
	pools    map[ID]*pool
	atMost   map[reflect.Type]int
	together [][]ID
	watchers []watcher
	sent     map[reflect.Type]sender // types of sent events for which monitors have rules

	built   atomic.Bool // whether Sim was called
	copying sync.Mutex
	plans   *encoding.Set
}

// nodeSlot is a node: a machine that exists from the start, or a place of a pool.
type nodeSlot struct {
	kind *Kind // nil in a pool
	vars any   // an M
}

func (p *nodeSlot) name() string {
	if p.kind == nil {
		return "pool"
	}
	return p.kind.name
}

// pool is the set of places in which a machine creates machines.
type pool struct {
	first ID
	size  int
	kinds []*Kind
}

// Add adds a machine that exists from the start, with the given variables, a struct M of the kind. Each start gets its
// own copy of them. Machines enter their start states in the order in which they were added. Add panics if the
// arguments do not fit.
func (s *System) Add(k *Kind, vars any) ID {
	s.unbuilt("Add")
	if k == nil {
		panic("machine: the kind is nil")
	}
	if t := reflect.TypeOf(vars); t != k.vars {
		panic(fmt.Sprintf("machine %s: its variables are of type %v, not %v", k.name, k.vars, t))
	}
	s.register(k)
	s.machines = append(s.machines, nodeSlot{k, vars})
	return ID(len(s.machines) - 1)
}

// Set replaces the variables that a machine starts with. They may name machines that were added after it.
func (s *System) Set(id ID, vars any) {
	s.unbuilt("Set")
	s.mustBe(id)
	if k := s.machines[id].kind; k == nil || reflect.TypeOf(vars) != k.vars {
		panic(fmt.Sprintf("machine %d: its variables are not of type %T", id, vars))
	}
	s.machines[id].vars = vars
}

// Replace replaces each machine of a kind that exists from the start by one of another kind, its abstraction, at the
// same place, with variables computed from those that it was added with. The two should be compared with package
// refine. Replace panics if the system has no machine of the kind, or creates one at run time.
func Replace[I, A any](s *System, kind, by *Kind, vars func(I) A) {
	if kind.vars != reflect.TypeFor[I]() || by.vars != reflect.TypeFor[A]() {
		panic(fmt.Sprintf("machine %s: it cannot be replaced by machine %s with a function from %v to %v", kind.name, by.name,
			reflect.TypeFor[I](), reflect.TypeFor[A]()))
	}
	if s.kinds[kind.name] != kind {
		panic(fmt.Sprintf("machine %s: the system has none to replace", kind.name))
	}
	for _, p := range s.pools { //lint:sorted any order gives the same panic
		if slices.Contains(p.kinds, kind) {
			panic(fmt.Sprintf("machine %s: it is also created at run time, and cannot be replaced", kind.name))
		}
	}
	s.unbuilt("Replace")
	delete(s.kinds, kind.name)
	s.order = slices.DeleteFunc(s.order, func(k *Kind) bool { return k == kind })
	for i := range s.machines {
		if p := &s.machines[i]; p.kind == kind {
			*p = nodeSlot{by, vars(p.vars.(I))}
		}
	}
	s.register(by)
}

// Pool lets a machine create up to size machines of these kinds, by [New]. It must be called once for a creator, which
// may be a place of another pool. It returns the ID of the first place. It panics if two kinds have the same variables.
func (s *System) Pool(creator ID, size int, kinds ...*Kind) ID {
	s.unbuilt("Pool")
	if size < 1 || s.pools[creator] != nil {
		panic(fmt.Sprintf("machine %d: it needs one pool of at least one place", creator))
	}
	for _, k := range kinds {
		s.register(k)
	}
	if s.pools == nil {
		s.pools = map[ID]*pool{}
	}
	p := &pool{ID(len(s.machines)), size, kinds}
	for _, k := range kinds {
		if p.kind(k.vars) != k {
			panic(fmt.Sprintf("machine %d: its pool has two kinds with variables %v, which New cannot distinguish", creator, k.vars))
		}
	}
	s.pools[creator] = p
	s.machines = append(s.machines, make([]nodeSlot, size)...)
	return p.first
}

// AtMost bounds events of the type of ev: the number in flight to a machine at a time, from all senders, and the number
// that wait unhandled in the machine. One more is a finding that names both ends. It requires Queues. It panics if n is
// below one or the type already has a bound.
func (s *System) AtMost(ev any, n int) {
	s.unbuilt("AtMost")
	t := reflect.TypeOf(ev)
	if _, twice := s.atMost[t]; t == nil || n < 1 || twice {
		panic(fmt.Sprintf("machine: at most %d events %v: a type needs a single bound of at least 1", n, t))
	}
	if s.atMost == nil {
		s.atMost = map[reflect.Type]int{}
	}
	s.atMost[t] = n
}

// Container makes machines run in one process: they crash and halt together, see [sim.System.Containers]. Places of
// pools may be among them. A machine in no container has its own process. Container panics for fewer than two machines,
// a machine that was not added, or one that is in another container.
func (s *System) Container(ids ...ID) {
	s.unbuilt("Container")
	if len(ids) < 2 {
		panic(fmt.Sprintf("machine: a container needs at least two machines, not %d", len(ids)))
	}
	for i, id := range ids {
		if id < 0 || int(id) >= len(s.machines) {
			panic(fmt.Sprintf("machine %d: in a container, but not added", id))
		}
		if slices.Contains(ids[:i], id) {
			panic(fmt.Sprintf("machine %s: twice in the same container", s.label(id)))
		}
		if slices.ContainsFunc(s.together, func(c []ID) bool { return slices.Contains(c, id) }) {
			panic(fmt.Sprintf("machine %s: already in another container", s.label(id)))
		}
	}
	s.together = append(s.together, slices.Clone(ids))
}

// mustBe panics if no machine has this ID.
func (s *System) mustBe(id ID) {
	if id < 0 || int(id) >= len(s.machines) {
		panic(fmt.Sprintf("machine %d: not added", id))
	}
}

// unbuilt panics if Sim was called before, because the system that it made would lack the addition.
func (s *System) unbuilt(what string) {
	if s.built.Load() {
		panic("machine: " + what + " after Sim, which has built the system")
	}
}

// label returns the name of a machine for people.
func (s *System) label(id ID) string { return fmt.Sprintf("%s%d", s.machines[id].name(), id) }

// register registers a kind of machines.
func (s *System) register(k *Kind) {
	if other := s.kinds[k.name]; other != nil && other != k {
		panic(fmt.Sprintf("machine %s: two kinds have that name", k.name))
	}
	if s.kinds == nil {
		s.kinds = map[string]*Kind{}
	}
	if s.kinds[k.name] == nil {
		s.kinds[k.name] = k
		s.order = append(s.order, k)
	}
}

// kind returns the kind of the pool that has variables of the given type, or nil.
func (p *pool) kind(vars reflect.Type) *Kind {
	if p != nil {
		for _, k := range p.kinds {
			if k.vars == vars {
				return k
			}
		}
	}
	return nil
}

// Kinds returns the kinds of the machines, including those of pools, in the order in which they were first added.
func (s *System) Kinds() []*Kind { return slices.Clone(s.order) }

// vars returns a copy of the variables that a machine starts with.
func (s *System) vars(id ID) any {
	s.copying.Lock()
	defer s.copying.Unlock()
	return s.copyOf(s.machines[id].vars)
}

func (s *System) planSet() *encoding.Set {
	if s.plans == nil {
		s.plans, _ = encoding.NewSet()
	}
	return s.plans
}

// copyOf returns a pointer to a copy of a struct that shares no memory with it.
func (s *System) copyOf(vars any) any {
	p := reflect.New(reflect.TypeOf(vars))
	p.Elem().Set(reflect.ValueOf(vars))
	how, err := s.planSet().Of(p.Interface())
	if err == nil {
		err = how.Uncopyable()
	}
	if err != nil {
		panic(fmt.Sprintf("machine: the variables %T cannot be copied: %v", vars, err))
	}
	return how.Copy(p.Interface())
}
