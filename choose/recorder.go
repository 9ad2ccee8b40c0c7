package choose

// Answer is a point with its answer, without the point's weights.
type Answer struct {
	Kind  Kind
	Arity int
	Pick  int
	Label string
}

// Recorder records the points that Source gets, and its answers.
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

// Path returns a new slice with the picks that belong to a path.
func (r *Recorder) Path() Path {
	var path Path
	for _, a := range r.Answers {
		if (Point{Kind: a.Kind, Arity: a.Arity}).InPath() {
			path = append(path, int32(a.Pick))
		}
	}
	return path
}
