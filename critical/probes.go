package critical

// finishedProbe is a probe and how it ended.
type finishedProbe struct {
	Probe
	allOutOfEvents bool // every walk ran out of events
	all            bool // all walks were made
}

// probes holds the probes of a run in the order in which they were made.
type probes struct {
	finished    []finishedProbe
	interrupted Probe // a probe interrupted by the deadline before a walk recovered
	last        int   // index of the last requested probe
}

// find returns the finished probe of a step, which becomes the last requested one. It finds none if further walks of that
// length can be made from the step.
func (s *probes) find(step, limit int) (Probe, bool) {
	for i, p := range s.finished {
		if p.Step == step && p.Limit == limit && (p.all || p.Recovered == 0) {
			s.last = i
			return p.Probe, true
		}
	}
	return Probe{}, false
}

func (s *probes) add(p finishedProbe) {
	s.last = len(s.finished)
	s.finished = append(s.finished, p)
}

// allOutOfEvents reports whether every walk of the last probe ran out of events.
func (s *probes) allOutOfEvents() bool { return s.finished[s.last].allOutOfEvents }

// all returns the finished probes.
func (s *probes) all() []Probe {
	out := make([]Probe, len(s.finished))
	for i, p := range s.finished {
		out[i] = p.Probe
	}
	return out
}
