package store

import (
	"cmp"
	"reflect"
	"slices"
)

// Plan describes how services or monitors of one type are copied for a handler.
type Plan struct {
	Type string `json:"type"`
	// Copied reports a deep copy. Otherwise all events of the node since its last boot (of the monitor since the
	// start) are executed again.
	Copied bool   `json:"copied"`
	Why    string `json:"why,omitempty"` // why not Copied
}

// plans records the plan of each type.
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
