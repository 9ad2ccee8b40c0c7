package fair

import (
	"slices"
	"testing"
)

// defects are searches that leave something out.
var defects = map[string]func(*Graph, []Mark, []bool) *Component{
	"steps that change nothing act": with(func(s *search) {
		for i, e := range s.edges {
			s.actor[i] = e.Actor
		}
	}),
	"each answer has to change something by itself": with(func(s *search) {
		for i, e := range s.edges {
			if e.To == e.origin && s.marks[e.Marks]&Cold == 0 {
				s.actor[i] = 0
			}
		}
	}),
	"what only passes something cold is no act": with(func(s *search) {
		for i, e := range s.edges {
			if e.To == e.origin {
				s.actor[i] = 0
			}
		}
	}),
	"choices are not fair": with(func(s *search) { clear(s.fair) }),
	"all choices are fair": with(func(s *search) { s.fair[1] = true }),
	"weak is none":         with(fairness(Weak, None)),
	"strong is weak":       with(fairness(Strong, Weak)),
	"none is weak":         with(fairness(None, Weak)),
	"weak is strong":       with(fairness(Weak, Strong)),
	"cold edges are taken": with(func(s *search) { s.marks = []Mark{0, Hot, Cold, Hot} }),
	"nothing need be hot":  with(func(s *search) { s.marks = []Mark{Hot, Hot, Cold, Hot | Cold} }),
	"hot edges do not count": func(g *Graph, marks []Mark, extra []bool) *Component {
		s := newSearch(g, marks, extra)
		c := s.find()
		if c != nil && !slices.ContainsFunc(c.States, func(at uint32) bool { return marks[g.stay[at]]&Hot != 0 }) {
			return nil
		}
		return c
	},
	"components are not split": func(g *Graph, marks []Mark, extra []bool) *Component {
		s := newSearch(g, marks, extra)
		j := s.all()
		for _, c := range s.components(j) {
			if v := s.look(c, j.forbidden); v.fair() {
				return s.component(c, j.forbidden)
			}
		}
		return nil
	},
	"nothing stays": func(g *Graph, marks []Mark, extra []bool) *Component {
		s := newSearch(g, marks, extra)
		c := s.find()
		if c != nil && len(c.Lasso().Round) == 0 {
			return nil
		}
		return c
	},
	"what leads outside does not enable": func(g *Graph, marks []Mark, extra []bool) *Component {
		s := newSearch(g, marks, extra)
		for i, e := range g.edges {
			if e.To == Outside {
				s.actor[i] = 0
			}
		}
		return s.find()
	},
}

func with(plant func(*search)) func(*Graph, []Mark, []bool) *Component {
	return func(g *Graph, marks []Mark, extra []bool) *Component {
		s := newSearch(g, marks, extra)
		plant(s)
		return s.find()
	}
}

func fairness(from, to Fairness) func(*search) {
	return func(s *search) {
		g := *s.Graph
		g.Processes = slices.Clone(g.Processes)
		for p := range g.Processes {
			if g.Processes[p].Fairness == from {
				g.Processes[p].Fairness = to
			}
		}
		s.Graph = &g
	}
}

func TestDefinition_DefectsFound(t *testing.T) {
	for name, find := range defects {
		noticed := false
		for seed := uint64(0); seed < 3000 && !noticed; seed++ {
			how, _ := differs(seed, find)
			noticed = how != ""
		}
		if !noticed {
			t.Errorf("not noticed: %s", name)
		}
	}
}
