package choose

// Answer is a point that was answered. The point's weights are not kept.
type Answer struct {
	Kind  Kind
	Arity int
	Pick  int
	Label string
}

// Recorder keeps what was asked of Source and what it answered.
type Recorder struct {
	Source  Source   // not nil
	Answers []Answer // in order; truncate it to start over
}

// Choose passes p on to the source.
func (r *Recorder) Choose(p Point) int {
	pick := r.Source.Choose(p)
	r.Answers = append(r.Answers, Answer{Kind: p.Kind, Arity: p.Arity, Pick: pick, Label: p.Label})
	return pick
}

// Path returns the picks that belong into a path, as a new slice.
func (r *Recorder) Path() Path {
	var path Path
	for _, a := range r.Answers {
		if (Point{Kind: a.Kind, Arity: a.Arity}).InPath() {
			path = append(path, int32(a.Pick))
		}
	}
	return path
}
