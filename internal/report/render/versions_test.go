package render_test

import (
	"testing"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// A report names the versions it is about, whatever its findings.
func TestVersions_Others(t *testing.T) {
	for _, verdict := range []search.Verdict{search.OK, search.Violation} {
		r := &report.Report{Settings: report.Settings{System: "s"}, Verdict: verdict, Kind: sim.Safety, Property: "p",
			OtherVersions: []report.OtherVersion{{Module: "example.org/dep", Required: "v1.2.0", Used: "v1.3.0"}}}
		contains(t, flat(printed(t, render.Terminal, r)), true, "built with", "example.org/dep v1.3.0, where go.mod requires v1.2.0")
		contains(t, string(printed(t, render.JSON, r)), true, `"used": "v1.3.0"`)
	}
}
