package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// A report says of which versions it is, whatever was found.
func TestOtherVersionsAreSaid(t *testing.T) {
	for _, verdict := range []search.Verdict{search.OK, search.Violation} {
		r := &Report{System: "s", Verdict: verdict, Kind: sim.Safety, Property: "p",
			OtherVersions: []OtherVersion{{Module: "example.org/dep", Required: "v1.2.0", Used: "v1.3.0"}}}
		var text, object bytes.Buffer
		if err := Terminal(&text, r, Style{}); err != nil {
			t.Fatal(err)
		}
		if err := JSON(&object, r); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(got, "built with") || !strings.Contains(got, "example.org/dep v1.3.0, where go.mod requires v1.2.0") {
			t.Errorf("%s: %s", verdict, &text)
		}
		if !strings.Contains(object.String(), `"used": "v1.3.0"`) {
			t.Errorf("%s: %s", verdict, &object)
		}
	}
}
