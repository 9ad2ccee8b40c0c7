package bubble

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/macemc/macemc/sim"
)

// machineFault is a fault that strikes a running program.
type machineFault struct {
	can    func(*Program) bool // whether it can strike; nil means always
	strike func(*Host)
}

// machineFaults are the faults whose events have OfProgram.
var machineFaults = map[sim.Fault]machineFault{
	sim.ClockJumps: {nil, (*Host).jumpClock},
	sim.DiskErrors: {func(p *Program) bool { return p.goroutines.data != "" }, (*Host).failDisk},
	sim.HalfOpens:  {func(p *Program) bool { return p.goroutines.conns > 0 }, (*Host).breakEnd},
	sim.LostSyncs:  {(*Program).mayHaveDisk, (*Host).loseSync},
	sim.BitFlips:   {func(p *Program) bool { return p.goroutines.filled }, (*Host).flipBit},
}

// CanStrike implements [simext.Struck].
func (p *Program) CanStrike(f sim.Fault) bool {
	m, ok := machineFaults[f]
	return ok && p.Ended == "" && (m.can == nil || m.can(p))
}

// Strike implements [simext.Struck].
func (p *Program) Strike(env sim.Env, f sim.Fault) {
	p.step(env, &input{kind: callInput, call: &call{name: f.Singular(), on: machineFaults[f].strike}})
}

// jumps are the possible jumps of a wall clock.
var jumps = [...]time.Duration{time.Second, -time.Second, time.Minute, -time.Minute, time.Hour, -time.Hour}

func (h *Host) jumpClock() {
	stepping.now.ctl.ahead += int64(jumps[h.choose(fmt.Sprintf("jump of the clock %v", jumps), len(jumps))])
}

// diskErrors are the possible errors of a disk.
var diskErrors = [...]syscall.Errno{syscall.EIO, syscall.ENOSPC}

func (h *Host) failDisk() {
	h.files.failing = diskErrors[h.choose(fmt.Sprintf("error of the disk %v", diskErrors), len(diskErrors))]
}

// mayHaveDisk reports whether the program has a data directory, or a Host, and so [Host.Disk].
func (p *Program) mayHaveDisk() bool {
	if p.goroutines.data != "" || p.goroutines.command == nil {
		return true
	}
	_, hasHost := p.goroutines.command.main.(func(context.Context, *Host) error)
	return hasHost
}

func (h *Host) loseSync() { h.disk.losing++ }

// flipBit flips a bit of a file. The sync protects the record of the flip from a crash, and makes no earlier change of a file durable.
func (h *Host) flipBit() {
	h.files.do(h.files.tree.ChooseFlip(h.files.names, h.choose))
	h.effect(effect{kind: syncEffect})
}

func (h *Host) breakEnd() {
	h.conns[h.choose("connection that breaks at this end", len(h.conns))].breaks(os.NewSyscallError("read", syscall.ETIMEDOUT))
}
