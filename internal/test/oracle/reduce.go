package oracle

import "github.com/macemc/macemc/sim"

// Reduce makes a script smaller while wrong returns true for it. It tries one change after the other until none is
// accepted.
func Reduce(sc *Script, wrong func(*Script) bool) *Script {
	for again := true; again; {
		again = false
		for _, change := range changes(sc) {
			smaller := sc.clone()
			if change(smaller); smaller.String() != sc.String() && wrong(smaller) {
				sc, again = smaller, true
				break
			}
		}
	}
	return sc
}

// changes returns ways to make a script smaller, the larger ones first.
func changes(sc *Script) (list []func(*Script)) {
	list = append(list,
		func(s *Script) { s.Nodes = max(1, s.Nodes-1); s.fit() },
		func(s *Script) { s.Programs = s.Programs[:1] },
		func(s *Script) { s.Monitors = nil },
		func(s *Script) { s.Always = nil },
		func(s *Script) { s.Eventually = nil },
		func(s *Script) { s.Sometimes = nil },
		func(s *Script) { s.Pointers, s.Uncopyable, s.Deaf = false, false, false },
		func(s *Script) { s.Late, s.Sturdy, s.Lasting = 0, 0, 0 },
		func(s *Script) { s.Timing = 0 },
		func(s *Script) { s.Cut = sim.CutPrefix },
		func(s *Script) { s.Steps = 0 },
		func(s *Script) { s.Bound = 0 },
		func(s *Script) { s.MostWords = 0 },
		func(s *Script) { s.MostNotes = 0 },
		func(s *Script) { s.Mates = 0 },
		func(s *Script) { s.Quorums, s.Votes = nil, 0 },
		func(s *Script) { s.Bells = 0 },
		func(s *Script) { s.Notes = 0 },
		func(s *Script) { s.Disturbing = nil },
		func(s *Script) { s.Disturbing = s.Disturbing[:min(1, len(s.Disturbing))] },
		func(s *Script) { s.Quorums = s.Quorums[:min(1, len(s.Quorums))] },
	)
	for _, limit := range []func(*Script) *int{
		func(s *Script) *int { return &s.Crashes }, func(s *Script) *int { return &s.Halts },
		func(s *Script) *int { return &s.Loss }, func(s *Script) *int { return &s.Dup },
		func(s *Script) *int { return &s.Errors }, func(s *Script) *int { return &s.Partitions },
	} {
		list = append(list, func(s *Script) { *limit(s) = max(0, *limit(s)-1) })
	}
	for k := range sc.Actions {
		list = append(list,
			func(s *Script) { s.Actions[k] = Action{Times: 1, Nodes: s.Actions[k].Nodes} },
			func(s *Script) { s.Actions[k].Disturbs = false },
			func(s *Script) { s.Actions[k].Nodes = 0 },
		)
	}
	for p := range sc.Programs {
		for class := range sc.Programs[p] {
			for phase, ops := range sc.Programs[p][class] {
				list = append(list, func(s *Script) { s.Programs[p][class][phase] = nil })
				for i := range ops {
					list = append(list, func(s *Script) {
						own := &s.Programs[p][class][phase]
						*own = append((*own)[:i:i], (*own)[i+1:]...)
					})
				}
			}
		}
	}
	list = append(list, shorter(func(s *Script) *[]Prop { return &s.Always })...)
	list = append(list, shorter(func(s *Script) *[]Prop { return &s.Eventually })...)
	return append(list, shorter(func(s *Script) *[]Monitor { return &s.Monitors })...)
}

// shorter drops the first of several elements, or all others.
func shorter[T any](of func(*Script) *[]T) []func(*Script) {
	return []func(*Script){
		func(s *Script) {
			if own := of(s); len(*own) > 1 {
				*own = (*own)[1:]
			}
		},
		func(s *Script) { *of(s) = (*of(s))[:min(1, len(*of(s)))] },
	}
}

// fit removes references to nodes that do not exist.
func (s *Script) fit() {
	all := uint(1)<<s.Nodes - 1
	s.Late &= all
	s.Sturdy &= all
	s.Lasting &= all
	if s.Mates &= all; s.Mates&(s.Mates-1) == 0 {
		s.Mates = 0
	}
	for k := range s.Quorums {
		s.Quorums[k].Not = min(s.Quorums[k].Not, s.Nodes)
	}
	for k := range s.Actions {
		s.Actions[k].Nodes &= all
	}
	for _, list := range [][]Prop{s.Always, s.Eventually, s.Sometimes} {
		for i := range list {
			switch p := &list[i]; p.Kind {
			case Apart:
				p.A, p.C = p.A%s.Nodes, p.C%s.Nodes
			case Unarmed, IsUp, IsIn, UpElse, InElse:
				p.A %= s.Nodes
			}
		}
	}
}
