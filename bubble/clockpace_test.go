package bubble

import (
	"reflect"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/simext"
)

// when is the inverse of clock: it returns the first time at which the clock shows at least the argument.
func TestPace(t *testing.T) {
	for _, drift := range []int64{0, 1, -1, 7, -7, 100_000, -100_000, 499_999, -500_000, 500_000} {
		p := pace{booted: 3 * time.Second, start: epoch - 5, drift: drift}
		for _, d := range []int64{0, 1, 2, 3, 999_999, million, million + 1, 12_345_678_901, int64(forever)} {
			at := p.when(epoch - 5 + d)
			if got := p.clock(at) - p.start; got < d || at > p.booted && p.clock(at-1)-p.start >= d {
				t.Errorf("drift %d: the clock has advanced by %d after %v, want %d or the next that it shows", drift, got, at-p.booted, d)
			}
			exact := float64(d) / (1 + float64(drift)/million)
			if got := float64(at - p.booted); got < exact*(1-1e-9)-2 || got > exact*(1+1e-9)+2 {
				t.Errorf("drift %d: the clock advances by %d in %v, want %v", drift, d, at-p.booted, time.Duration(exact))
			}
		}
	}
}

// Reports find the goroutines of a program by the name of the field.
func TestProgram_GoroutinesField(t *testing.T) {
	if f, ok := reflect.TypeFor[Program]().FieldByName(simext.GoroutinesField); !ok || f.Type != reflect.TypeFor[*history]() {
		t.Errorf("field %s: %v, %v; want the history of the node", simext.GoroutinesField, f.Type, ok)
	}
}
