package bubble

import (
	"fmt"
	"time"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// pace relates the clock of a node to the common time of [sim.Clocks], starting at the node's boot.
type pace struct {
	booted time.Duration // common time of the boot
	start  int64         // clock at the boot
	drift  int64         // how much faster the clock runs than common time, in parts per million
}

const million = 1_000_000

// clock returns the reading of the clock at a common time, which must not be before the boot.
func (p *pace) clock(t time.Duration) int64 {
	d := int64(t - p.booted)
	return p.start + d + d/million*p.drift + d%million*p.drift/million
}

// when returns the first common time at which the clock reaches a reading that is after the one at the boot.
func (p *pace) when(clock int64) time.Duration {
	d, rate := clock-p.start, million+p.drift
	t := p.booted + time.Duration(d/rate*million+d%rate*million/rate)
	for p.clock(t) < clock {
		t++
	}
	for t > p.booted && p.clock(t-1) >= clock {
		t--
	}
	return t
}

// newPace chooses the clock of a node that boots. nil means that clocks are independent.
func newPace(env sim.Env) *pace {
	now, clocks := commonTime(env)
	if clocks == nil {
		return nil
	}
	p := &pace{booted: now, start: epoch + int64(now)}
	if o := clocks.Offset; o > 0 {
		offsets := [...]time.Duration{0, o, -o}
		p.start += int64(offsets[env.Choose(fmt.Sprintf("clock offset %v", offsets), len(offsets))])
	}
	if d := clocks.Drift; d > 0 {
		drifts := [...]int{0, d, -d}
		p.drift = int64(drifts[env.Choose(fmt.Sprintf("clock drift %v ppm", drifts), len(drifts))])
	}
	return p
}

func commonTime(env sim.Env) (time.Duration, *sim.Clocks) {
	if t, ok := env.(simext.Timekeeper); ok {
		now, clocks, _ := t.Time()
		return now, clocks
	}
	return 0, nil
}

// setClock sets the clock reading at which a step begins.
func (p *Program) setClock(env sim.Env, in *input) {
	if p.goroutines.pace != nil {
		now, _ := commonTime(env)
		in.clock = p.goroutines.pace.clock(now)
	}
}

// left returns the time until the next timer of a node fires. The node must have a timer.
func (p *Program) left(env sim.Env, n *node) time.Duration {
	if p.goroutines.pace == nil {
		return time.Duration(n.next - n.now)
	}
	now, _ := commonTime(env)
	return p.goroutines.pace.when(max(n.next, n.now)) - now
}
