package shrink

import (
	"context"
	"math"
	"time"

	"github.com/macemc/macemc/internal/budget"
)

// pace predicts whether a candidate ends before a context does, by the time that each step has taken so far. Steps of programs may take
// a second. Nil predicts that everything ends in time.
type pace struct {
	player   *Player
	executed func() int // number of steps so far
	repeated int        // as in [Config]

	clock, processor time.Duration // at the beginning, of package budget
	first            int           // steps executed before it

	ctx  context.Context // of the latest prediction
	at   time.Time       // of the latest prediction
	most int             // the number of steps when ctx ends
}

// predictedFor is the time after which a prediction is made again.
const predictedFor = 50 * time.Millisecond

// newPace returns a pace of steps that begin now.
func newPace(p *Player, executed func() int, repeated int) *pace {
	return &pace{player: p, executed: executed, repeated: repeated,
		clock: budget.Now(), processor: budget.ProcessTime(), first: executed()}
}

// fits reports whether a script, and afterwards the best one as the result, can be executed before ctx ends.
func (p *pace) fits(ctx context.Context, s, best *Script) bool {
	if p == nil {
		return true
	}
	if now := time.Now(); ctx != p.ctx || now.Sub(p.at) >= predictedFor {
		p.ctx, p.at, p.most = ctx, now, p.predict(ctx)
	}
	left := p.most - p.executed() - p.repeated*len(best.Steps)
	return len(s.Steps) <= left || p.player.ahead(s) <= left
}

// before returns a context that ends early enough to execute the best script as the result before ctx ends.
func (p *pace) before(ctx context.Context, best *Script) (context.Context, context.CancelFunc) {
	at, ok := budget.Deadline(ctx)
	if !ok || p == nil || p.executed() == p.first {
		return context.WithCancel(ctx)
	}
	executed := p.executed() - p.first
	reserved := float64(budget.Now()-p.clock) / float64(executed) * float64(p.repeated*len(best.Steps))
	return budget.WithDeadline(ctx, at-time.Duration(reserved))
}

// predict returns the number of steps when ctx ends, those until now included.
func (p *pace) predict(ctx context.Context) int {
	executed := p.executed()
	clock, processor := budget.Left(ctx)
	left := min(share(clock, budget.Now()-p.clock), share(processor, budget.ProcessTime()-p.processor)) * float64(executed-p.first)
	if left > math.MaxInt32 || executed == p.first {
		return math.MaxInt32
	}
	return executed + int(left)
}

// share returns the ratio of the time left to the time that was taken.
func share(left, taken time.Duration) float64 {
	if left == math.MaxInt64 || taken <= 0 {
		return math.MaxInt32
	}
	return float64(left) / float64(taken)
}
