package encoding

// Change is a field in which two lists differ. Old or New is empty when the list has no such field.
type Change struct {
	Path, Old, New string
	Inside         string // as in [Field]
	Part           Part
}

// Diff returns how b differs from a, two lists of fields in canonical order; the changes are in
// canonical order, too. A path must occur only once in a list. The time is linear.
func Diff(a, b []Field) []Change {
	var changes []Change
	add := func(f *Field, from, to string) {
		if from != to {
			changes = append(changes, Change{f.Path, from, to, f.Inside, f.Part})
		}
	}
	// Most states are large and differ in little: only what lies between the first and the last other path needs to be looked up.
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
			case at < j: // was compared when b came to it
				i++
				continue
			case at == j:
				add(&a[i], a[i].Value, b[j].Value)
				i, j = i+1, j+1
				continue
			}
		}
		// b is at something that a does not have here.
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
