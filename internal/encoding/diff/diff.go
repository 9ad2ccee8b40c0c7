// Package diff defines the fields of states, as text for people, and their changes.
package diff

// Change is a field that differs between two lists. Old or New is empty if that list has no such field.
type Change struct {
	Path, Old, New string
	Inside         string // as in [Field]
	Part           Part
}

// Between returns the changes from a to b, two lists of fields in canonical order. The changes are in canonical
// order, too. A path must occur only once in a list. The time is linear.
func Between(a, b []Field) []Change {
	var changes []Change
	add := func(f *Field, from, to string) {
		if from != to {
			changes = append(changes, Change{f.Path, from, to, f.Inside, f.Part})
		}
	}
	// Most states are large and differ little, so only the fields between the first and the last different path are
	// looked up.
	for len(a) > 0 && len(b) > 0 && a[0].Path == b[0].Path {
		add(&a[0], a[0].Value, b[0].Value)
		a, b = a[1:], b[1:]
	}
	tail := 0
	for tail < min(len(a), len(b)) && a[len(a)-1-tail].Path == b[len(b)-1-tail].Path {
		tail++
	}
	restA, restB := a[len(a)-tail:], b[len(b)-tail:]
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	inA, inB := positions(a), positions(b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		if i < len(a) {
			at, both := inB[a[i].Path]
			switch {
			case !both:
				add(&a[i], a[i].Value, "")
				i++
				continue
			case at < j: // was compared when b reached it
				i++
				continue
			case at == j:
				add(&a[i], a[i].Value, b[j].Value)
				i, j = i+1, j+1
				continue
			}
		}
		// b has a field here that a has not.
		at, both := inA[b[j].Path]
		switch {
		case !both:
			add(&b[j], "", b[j].Value)
		case at >= i:
			add(&b[j], a[at].Value, b[j].Value)
		}
		j++
	}
	for i := range restA {
		add(&restA[i], restA[i].Value, restB[i].Value)
	}
	return changes
}

func positions(fields []Field) map[string]int {
	m := make(map[string]int, len(fields))
	for i, f := range fields {
		m[f.Path] = i
	}
	return m
}

// Field is one value inside a state as text for people: a path such as "peers[3]" and the value's text.
type Field struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	// Inside is the path of a value of a foreign type if this field is one of its internal parts: reachable only
	// through an unexported field of that type. Empty means none. A type is foreign if its module differs from that
	// of the whole value.
	Inside string `json:"inside,omitempty"`
	Part   Part   `json:"-"`
}

// Part identifies what a field of a node describes other than the service's own value. The path is derived from it.
type Part struct {
	Kind  PartKind
	Name  string // of a timer, action, key on a disk or private field of a program
	Times int    // how often an action may happen
}

// PartKind is a kind of [Part].
type PartKind uint8

const (
	OfService PartKind = iota
	OfStatus           // whether the node is down
	OfTimer
	OfAction   // how often it was executed
	OfDisk     // the content of the disk
	OfWrite    // writes that are not synced
	OfProgram  // operations that goroutines of a program wait for, and other private fields
	OfPosition // position of a goroutine of a test
)
