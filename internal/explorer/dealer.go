package explorer

import (
	"slices"

	"github.com/macemc/macemc/internal/testsched"
)

// Agents execute schedules in processes. The outcomes depend on the calls alone, and not on how many processes work at once.
type Agents interface {
	// Batch executes the first of some schedules, at least one: up to a run that does not pass, or after which other schedules may follow.
	Batch([]*testsched.Schedule) []*testsched.Outcome
	// Count returns the number of processes for an exploration whose runs have passed so many points.
	Count(points uint64) int
	// Deal makes a process execute schedules, after those that were dealt to it before. wait returns their outcomes.
	Deal(process int, list []*testsched.Schedule) (wait func() []*testsched.Outcome)
	// Weigh makes later runs with policy SURW use the weights of the runs so far, which must have ended.
	Weigh()
}

// dealer executes sampled schedules ahead: together, or by several processes. Their results are taken in the order of the schedules.
type dealer struct {
	*exploration
	list     []*testsched.Schedule // that were drawn and not executed
	recorded bool                  // the last one that was drawn is recorded
	blocks   []block               // that were dealt to processes and may not have been executed
	dealt    int                   // number of blocks so far
	pending  int                   // number of schedules of blocks
	queue    []sampled             // that were executed and not taken
}

// block is a list of schedules that a process executes.
type block struct {
	schedules []*testsched.Schedule
	wait      func() []*testsched.Outcome
}

// sampled is a schedule with its outcome; nil means that it was not executed.
type sampled struct {
	schedule *testsched.Schedule
	outcome  *testsched.Outcome
}

// Bounds of the schedules that are executed together.
const (
	batchSchedules = 256
	unbatched      = 3     // number of the first sampled schedules, after each of which others may follow
	blockSchedules = 64    // of a block
	blockPoints    = 8_000 // of the runs of a block
	runPoints      = 32    // that take as much time as the start of a run
	ahead          = 2     // blocks that a process has ahead
)

// fetch fetches outcomes into the queue, which is empty. draws draws schedules into the list, unless it has some, or they depend on outcomes.
// Other processes begin with a new list, because time bounds what Batch executes.
func (d *dealer) fetch(draws func()) {
	if n := d.processes(); len(d.blocks) > 0 || n > 1 && len(d.list) == 0 {
		for len(d.blocks) < ahead*n && n > 1 {
			if draws(); len(d.list) == 0 {
				break
			}
			part := d.list[:min(len(d.list), d.blockSize())]
			d.list = d.list[len(part):]
			d.blocks = append(d.blocks, block{part, d.Agents.Deal(d.dealt%n, part)})
			d.dealt, d.pending = d.dealt+1, d.pending+len(part)
		}
		b := d.blocks[0]
		d.blocks, d.pending = d.blocks[1:], d.pending-len(b.schedules)
		d.executed(b.schedules, b.wait())
		return
	}
	draws()
	outcomes := []*testsched.Outcome{nil}
	if len(d.list) > 1 {
		outcomes = d.Agents.Batch(d.list)
	}
	d.executed(d.list, outcomes)
	d.list = d.list[len(outcomes):]
}

// executed adds the outcomes of the first of some schedules to the queue.
func (d *dealer) executed(list []*testsched.Schedule, outcomes []*testsched.Outcome) {
	for i, o := range outcomes {
		d.queue = append(d.queue, sampled{list[i], o})
	}
}

// processes returns the number of processes that execute the schedules of an exploration.
func (x *exploration) processes() int {
	if x.Agents == nil {
		return 1
	}
	return x.Agents.Count(x.result.points + runPoints*uint64(x.result.Schedules))
}

// blockSize returns the number of schedules of a block.
func (x *exploration) blockSize() int {
	return int(min(max(blockPoints*uint64(x.result.Schedules)/max(x.result.points, 1), 1), blockSchedules))
}

// room returns the number of schedules that are executed together.
func (x *exploration) room() int {
	if n := x.processes(); n > 1 {
		return n * x.blockSize()
	}
	return batchSchedules
}

// together executes the first of some schedules, at least one.
func (x *exploration) together(list []*testsched.Schedule) (outcomes []*testsched.Outcome) {
	n := x.processes()
	if n == 1 {
		return x.Agents.Batch(list)
	}
	var waits []func() []*testsched.Outcome
	for part := range slices.Chunk(list, (len(list)+n-1)/n) {
		waits = append(waits, x.Agents.Deal(len(waits), part))
	}
	for _, wait := range waits {
		outcomes = append(outcomes, wait()...)
	}
	return outcomes
}
