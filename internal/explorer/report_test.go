package explorer

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/testsched"
)

// A report describes each goroutine that it names once, unless the headline does.
func TestExplain_Identities(t *testing.T) {
	o := &testsched.Outcome{Kind: testsched.Failed, Message: "wrong",
		Details: []string{"goroutine 3 sleeps at x.go:1, started at x.go:2", "goroutine 4 sleeps at x.go:5"},
		Origins: []testsched.Origin{{Number: 3, At: "x.go:2"}, {Number: 4, Timer: true, At: "x.go:4"}, {Number: 5, At: "x.go:6"},
			{Number: 7, At: "x.go:6"}, {Number: 10, At: "x.go:6"}}}
	got := o.Identities("TestX", headline(o),
		[]string{"goroutine 1 pauses", "goroutine 4 runs before goroutine 9's step 2", "goroutine 10, goroutine 7, goroutine 5"})
	want := []string{"  goroutine 4: started by the timer set at x.go:4", "  goroutine 1: TestX",
		"  goroutines 5, 7 and 10: started at x.go:6"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
