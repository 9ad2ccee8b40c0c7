package store

import (
	"cmp"
	"reflect"
	"slices"
)

// Plan says how services or monitors of one type are made for a handler to run on.
type Plan struct {
	Type string
	// Copied: by a deep copy. Otherwise all that happened to the node since its last boot (to the
	// monitor since the start) is executed again.
	Copied bool
	Why    string // it is not copied
}

// plans notes what was done for each type.
type plans struct {
	types []reflect.Type
	list  []Plan
}

func (p *plans) Note(v any, why error) {
	t := reflect.TypeOf(v)
	if slices.Contains(p.types, t) {
		return
	}
	plan := Plan{Type: t.String(), Copied: why == nil}
	if why != nil {
		plan.Why = why.Error()
	}
	p.types, p.list = append(p.types, t), append(p.list, plan)
}

func (p *plans) Sorted() []Plan {
	list := slices.Clone(p.list)
	slices.SortFunc(list, func(a, b Plan) int { return cmp.Compare(a.Type, b.Type) })
	return list
}
