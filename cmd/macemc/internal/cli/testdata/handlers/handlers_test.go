// Package handlers has a service whose handlers have variables.
package handlers

import (
	"testing"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Order asks for items of a shop. It is for two of each.
type Order struct{ Items []string }

// shop sells items. It counts the last item of each order twice.
type shop struct {
	Stock map[string]int
	Sold  int
}

func (s *shop) Boot(env sim.Env) {
	if env.Self() == 0 {
		s.Stock = map[string]int{"pen": 4, "ink": 3}
		return
	}
	for _, items := range [][]string{{"pen"}, {"pen", "ink"}} {
		order := Order{items}
		env.Send(0, order)
	}
}

func (s *shop) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case int:
		s.Sold -= m
	case Order:
		total := 0
		for i, item := range m.Items {
			n := s.take(item)
			if total += n; i == len(m.Items)-1 {
				total += n
			}
		}
		s.Sold += total
		if s.Sold > 8 {
			panic("too many are sold")
		}
	}
}

// take takes two of an item, if they are there.
func (s *shop) take(item string) int {
	left := s.Stock[item] - 2
	if left < 0 {
		return 0
	}
	s.Stock[item] = left
	return 2
}

func (s *shop) Timer(sim.Env, any) {}

func TestShop(t *testing.T) {
	mctest.Check(t, sim.System{Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(shop) }})
}
