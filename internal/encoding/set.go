package encoding

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/encoding/typeinfo"
)

// Calls calls the functions of rules. A rule is "EncodeBy" or "CopyBy".
type Calls interface {
	// Begin reports whether a function may be called directly, before a deferred End.
	Begin() (direct bool)
	End(rule string, of reflect.Type)
	// Call calls the function f of a rule for a type.
	Call(rule string, of reflect.Type, f func())
}

// Set holds the compiled plans of one world under one list of rules. It is not for concurrent use.
type Set struct {
	rules   *rule.List
	nodes   map[reflect.Type]*node
	plans   map[unsafe.Pointer]planned // by type word
	named   map[string]reflect.Type    // types by their names in encodings
	maps    []*node                    // of map types
	recent  [64]recentPlan
	null    *Plan
	enc     Encoder           // of Plan.Append
	copier  copier            // of Plan.Copy
	consts  *memory.Constants // not copied
	Calls   Calls             // calls the functions of rules, if non-nil
	telling *memory.Constants // encoded by name
	direct  bool              // map iterators point at the entries
}

type planned struct {
	plan *Plan
	err  error
}

type recentPlan struct {
	word unsafe.Pointer
	plan *Plan
}

// NewSet makes a set. It returns an error if a rule is empty, names a field that does not exist, or contradicts
// another.
func NewSet(given ...rule.Rule) (*Set, error) {
	rs, err := rule.Resolve(given)
	if err != nil {
		return nil, err
	}
	consts, err := memory.ConstantsOf(rs.Held, rs.Showing)
	if err != nil {
		return nil, err
	}
	s := &Set{
		rules:  rs,
		nodes:  map[reflect.Type]*node{},
		plans:  map[unsafe.Pointer]planned{},
		named:  map[string]reflect.Type{},
		direct: iteratorsPoint(),
		consts: consts,
	}
	if s.telling = s.consts; rs.Across {
		s.telling = memory.None
	}
	s.null = &Plan{set: s, head: []byte{0}}
	s.recent[slot(nil)].plan = s.null
	return s, nil
}

// slot returns the index of a type word's plan among the recent ones. Type words are addresses of descriptors, some
// tens of bytes apart.
func slot(word unsafe.Pointer) uintptr {
	w := uintptr(word)
	return (w>>5 ^ w>>11) & 63
}

// Of returns the plan of v's dynamic type, which it compiles on first use. v may be nil. The error is an [*Error].
func (s *Set) Of(v any) (*Plan, error) {
	w := memory.TypeWord(v)
	if r := &s.recent[slot(w)]; r.word == w {
		return r.plan, nil
	}
	if w == nil {
		return s.null, nil
	}
	p, ok := s.plans[w]
	if !ok {
		p.plan, p.err = s.compile(reflect.TypeOf(v))
		s.plans[w] = p
	}
	if p.err == nil {
		s.recent[slot(w)] = recentPlan{w, p.plan}
	}
	return p.plan, p.err
}

func (s *Set) compile(t reflect.Type) (*Plan, error) {
	c := compiler{set: s}
	root, why := c.node(t)
	if why != nil {
		c.rollback(0)
		return nil, why.whole(t)
	}
	name := typeinfo.Name(t)
	if other, ok := s.named[name]; ok && other != t {
		why := refuse(t, fmt.Sprintf(
			"another type is named %s too, of kind %v: rename one of them, types declared in functions need names of their own",
			name, other.Kind()))
		why.enough = true
		return nil, why.whole(t)
	}
	s.named[name] = t
	p := &Plan{set: s, root: root, shares: mayShare(root)}
	p.head = append(binary.AppendUvarint(nil, uint64(len(name))), name...)
	if why := uncopied(root); why != nil {
		p.uncopied = why.whole(t)
	}
	return p, nil
}
