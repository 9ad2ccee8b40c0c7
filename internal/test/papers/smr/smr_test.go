package smr_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/machine"
)

// A single node answers as each service does, and what another one would answer is noticed.
func TestAnswers(t *testing.T) {
	for name, service := range smr.Services() {
		for other, app := range smr.Services() {
			var ms machine.System
			smr.AddClients(&ms, 2, 2, 2, service, 0)
			ms.Add(smr.SingleKind, smr.SingleNode{App: app})
			sys := ms.Sim(name + " by " + other)
			if name == other {
				systest.Clean(t, sys, map[string]int{"counter": 1461, "hashtable": 1470, "list": 1497}[name])
				continue
			}
			x, err := table.Explore(t.Context(), &sys, options.Options{})
			if err != nil || x.Finding == nil || !strings.Contains(x.Finding.Error(), "its result is") {
				t.Errorf("%s: %v, %+v", sys.Name, err, x.Finding)
			}
		}
	}
}
