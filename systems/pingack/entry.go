package pingack

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "pingack",
		Summary: "one node pings another over a lossy network; the first example, and it has a bug",
		Notes: "The bug is part of the example: a repeated ping is not acknowledged. With no losses allowed\n" +
			"(--loss 0) nothing is found.",
		MinNodes: 2, MaxNodes: 2, DefaultNodes: 2,
		Limits:   sim.Limits{sim.Loss: 1},
		Messages: []any{Ping{}, Ack{}},
		Build:    func(spec.Config) (sim.System, error) { return System, nil },
	}
}
