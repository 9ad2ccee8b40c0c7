package replay

import "testing"

func TestShort(t *testing.T) {
	for want, c := range map[string]NodeChange{
		"Seen 1->2":                   {Path: "Seen", Old: "1", New: "2"},
		"parent removed":              {Path: "parent", Old: "1"},
		"unsynced write 1: lease = 7": {Path: "(unsynced write 1)", New: "lease = 7"},
		"unsynced write 2 removed":    {Path: "(unsynced write 2)", Old: "lease = 7"},
		"goroutines wait elsewhere":   {Path: "(goroutines)", Old: "select", New: "no goroutines"},
	} {
		if got := c.Short(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
