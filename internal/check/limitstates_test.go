package check

import (
	"testing"

	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/search"
)

// A search that stores states has a memory limit, even if none was requested.
func TestLimitStates(t *testing.T) {
	sys := automaton.Table{Moves: []automaton.Move{automaton.To(0, 0)}}.System()
	for _, name := range append(strategy.Names(0), "") {
		name := search.Name(name)
		o := checker{Options: Options{Search: search.Config{System: sys, Strategy: name, MaxPaths: 10, Workers: 1}}}
		o.limitStates()
		if limited := o.Search.MaxBytes > 0; limited != name.Can(strategy.KeepsStates) {
			t.Errorf("%s: limited %v", name, limited)
		}
	}
}
