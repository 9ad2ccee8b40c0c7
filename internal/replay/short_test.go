package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/encoding/diff"
)

func TestShort(t *testing.T) {
	for want, c := range map[string]NodeChange{
		"Seen 1->2":      {Path: "Seen", Old: "1", New: "2"},
		"parent removed": {Path: "parent", Old: "1"},
		`Map …,"Owners":[0,1,2],"Free":true}->…,"Owners":[0,1,2],"Free":false}`: {Path: "Map",
			Old: `{"Token":1,"Owners":[0,1,2],"Free":true}`, New: `{"Token":1,"Owners":[0,1,2],"Free":false}`},
		"unsynced write 1: lease = 7":         {Path: "(unsynced write 1)", Part: Part{Kind: diff.OfWrite}, New: "lease = 7"},
		"disk: write 4 bytes to /data/a at 0": {Part: Part{Kind: diff.OfDisk, Name: "00000016 write 4 bytes to /data/a at 0"}, New: `"4 6"`},
		"(disk lease) 7->8":                   {Path: "(disk lease)", Part: Part{Kind: diff.OfDisk, Name: "lease"}, Old: "7", New: "8"},
		"unsynced write 2 removed":            {Path: "(unsynced write 2)", Part: Part{Kind: diff.OfWrite}, Old: "lease = 7"},
		"":                                    {Path: "(goroutines)", Part: Part{Kind: diff.OfProgram, Name: "goroutines"}, Old: "select at a.go:1 in f", New: "2 x select in the standard library"},
		"goroutine 5 pauses before a.go:3 in g, waits: 2 x select at a.go:2 in f": {Path: "(goroutines)", Part: Part{Kind: diff.OfProgram, Name: "goroutines"},
			Old: "select at a.go:1 in f; select at a.go:2 in f",
			New: "2 x select at a.go:2 in f; goroutine 5 pauses before a.go:3 in g; select at a.go:1 in f"},
	} {
		if got := c.Short(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A state can be live and violate a property that must always hold.
func TestTraceStep_Judgement(t *testing.T) {
	kinds := map[string]string{"one leader": "always", "a leader": "eventually", "the game ends": "inevitably"}
	for _, c := range []struct {
		live    bool
		failing []string
		want    string
	}{
		{true, nil, "live"},
		{true, []string{"one leader"}, "live; violated: one leader"},
		{true, []string{"the game ends"}, "live; pending: the game ends"},
		{false, []string{"a leader"}, "not live: a leader"},
		{false, []string{"one leader", "the game ends", "a leader"}, "not live: a leader; violated: one leader; pending: the game ends"},
	} {
		s := TraceStep{Live: c.live, Failing: c.failing}
		if got := s.judgement(kinds); got != c.want {
			t.Errorf("%q: got %q, want %q", c.failing, got, c.want)
		}
	}
}

// A crash names the lost changes of a program's files. What survived of the others is chosen when the program boots.
func TestAftermath_Files(t *testing.T) {
	for _, c := range []struct {
		lost []string
		want string
	}{
		{nil, ""},
		{[]string{"00000060 create /data/lock"}, "lost changes of files: create /data/lock"},
		{slices.Repeat([]string{"00000007 sync /data/a"}, 9), "lost changes of files: " + strings.Repeat("sync /data/a, ", 8) + "and 1 more"},
	} {
		s := TraceStep{Kept: []string{"00000059 remove /data/lock"}, Lost: c.lost, Changes: []NodeChange{{Part: Part{Kind: diff.OfProgram}}}}
		if got := strings.Join(s.Aftermath(), "; "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
