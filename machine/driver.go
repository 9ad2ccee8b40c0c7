package machine

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
)

// Grid yields all combinations of the values of a struct's parameters. axes is a struct of slices of values, each with
// the name of its field in P. A field of P without an axis keeps its zero value. The last field varies fastest. Grid
// panics if axes does not fit P.
//
//	for p := range machine.Grid[Params](struct{ Clients, Servers []int }{[]int{1, 2}, []int{2, 3}}) {
//		t.Run(fmt.Sprintf("%+v", p), func(t *testing.T) { mctest.Check(t, system(p)) })
//	}
func Grid[P any](axes any) iter.Seq[P] {
	a := newAxes[P](axes)
	return func(yield func(P) bool) {
		picks := make([]int, len(a))
		for {
			if !yield(combine[P](a, picks)) {
				return
			}
			i := len(a) - 1
			for ; i >= 0; i-- {
				if picks[i]++; picks[i] < a[i].values.Len() {
					break
				}
				picks[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// Pairwise yields combinations such that each pair of values of two parameters occurs in one of them. These are far
// fewer than those of [Grid], and most defects need at most two particular values. It is greedy and deterministic.
func Pairwise[P any](axes any) iter.Seq[P] {
	a := newAxes[P](axes)
	return func(yield func(P) bool) {
		if len(a) < 2 {
			for p := range Grid[P](axes) {
				if !yield(p) {
					return
				}
			}
			return
		}
		open := map[[4]int]bool{} // axis, value, axis, value
		for i := range a {
			for j := range i {
				for v := range a[i].values.Len() {
					for w := range a[j].values.Len() {
						open[[4]int{j, w, i, v}] = true
					}
				}
			}
		}
		for len(open) > 0 {
			picks := nextPairs(a, open)
			for i := range picks {
				for j := range i {
					delete(open, [4]int{j, picks[j], i, picks[i]})
				}
			}
			if !yield(combine[P](a, picks)) {
				return
			}
		}
	}
}

// nextPairs starts with the smallest uncovered pair and gives each further axis the value that covers the most pairs.
func nextPairs(a []axis, open map[[4]int]bool) []int {
	var first [4]int
	for p := range open { //lint:sorted the least does not depend on the order
		if first == ([4]int{}) || slices.Compare(p[:], first[:]) < 0 {
			first = p
		}
	}
	picks := make([]int, len(a))
	for i := range picks {
		picks[i] = -1
	}
	picks[first[0]], picks[first[2]] = first[1], first[3]
	for i := range picks {
		if picks[i] >= 0 {
			continue
		}
		best := -1
		for v := range a[i].values.Len() {
			closed := 0
			for j, w := range picks {
				switch {
				case j == i || w < 0:
				case j < i && open[[4]int{j, w, i, v}], j > i && open[[4]int{i, v, j, w}]:
					closed++
				}
			}
			if closed > best {
				best, picks[i] = closed, v
			}
		}
	}
	return picks
}

// axis is a parameter with its values.
type axis struct {
	field  []int
	values reflect.Value
}

func newAxes[P any](axes any) (all []axis) {
	v, params := reflect.ValueOf(axes), reflect.TypeFor[P]()
	if params.Kind() != reflect.Struct || v.Kind() != reflect.Struct {
		panic(fmt.Sprintf("machine: parameters must be a struct, and axes a struct of slices; not %v and %T", params, axes))
	}
	for i := range v.NumField() {
		name, values := v.Type().Field(i).Name, v.Field(i)
		f, ok := params.FieldByName(name)
		if !ok || values.Kind() != reflect.Slice || values.Type().Elem() != f.Type || !f.IsExported() {
			panic(fmt.Sprintf("machine: axis %s is a %v, must be a slice of values for an exported field of %v", name, values.Type(), params))
		}
		if values.Len() == 0 {
			panic(fmt.Sprintf("machine: axis %s has no values", name))
		}
		all = append(all, axis{f.Index, values})
	}
	return all
}

func combine[P any](a []axis, picks []int) (p P) {
	v := reflect.ValueOf(&p).Elem()
	for i := range a {
		v.FieldByIndex(a[i].field).Set(a[i].values.Index(picks[i]))
	}
	return p
}
