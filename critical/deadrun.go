package critical

import "github.com/macemc/macemc/choose"

// deadRun is the run that is examined.
type deadRun struct {
	path        choose.Path
	bounds      []int32 // as in [replay.Run]
	goal        bool    // it is expected to reach a live state
	lastLive    int     // the last live step; 0 for the first state, -1 for none
	outOfEvents bool
	live        bool // the last state is live
	bounded     bool // its delays are bounded
}

// steps returns the number of steps.
func (r *deadRun) steps() int { return len(r.bounds) }

// prefix returns the path to the state after that many steps.
func (r *deadRun) prefix(steps int) choose.Path { return r.path[:r.end(steps)] }

// end returns the length of the path to the state after that many steps.
func (r *deadRun) end(steps int) int { return endOf(r.bounds, r.path, steps) }

func endOf(bounds []int32, path choose.Path, steps int) int {
	if steps < len(bounds) {
		return int(bounds[steps])
	}
	return len(path)
}
