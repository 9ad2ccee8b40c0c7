package bubble

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/macemc/macemc/sim"
)

// machineFault is a fault that strikes a running program.
type machineFault struct {
	can       func(*Program, *Host) bool // whether it can strike after a step of the node; nil means always
	strike    func(*Host)
	uncovered string // alternatives that are never tried, for [Program.Uncovered] if the program has a data directory
}

// machineFaults are the faults whose events have OfProgram. They strike only running nodes, between steps. A fault that must outlive a
// crash is a [filetree.Change] with a sync, like bit flips. bitflips_test.go is a test to copy.
var machineFaults = map[sim.Fault]machineFault{
	sim.ClockJumps: {strike: (*Host).jumpClock},
	sim.DiskErrors: {can: func(_ *Program, h *Host) bool { return h.files.data != nil }, strike: (*Host).failDisk},
	sim.HalfOpens:  {can: func(_ *Program, h *Host) bool { return len(h.conns) > 0 }, strike: (*Host).breakEnd},
	sim.LostSyncs:  {can: func(p *Program, _ *Host) bool { return mayHaveDisk(p) }, strike: (*Host).loseSync},
	sim.BitFlips: {can: func(_ *Program, h *Host) bool { return h.files.data != nil && h.files.data.HasData() },
		strike: (*Host).flipBit, uncovered: "most flips of bits"},
	sim.AcceptErrors: {can: func(_ *Program, h *Host) bool { return len(h.listeners) > 0 }, strike: (*Host).failAccept},
}

// strikable returns the set of faults that can strike the program, for [Program.CanStrike]: the node may not be running then.
func (p *Program) strikable(h *Host) (set uint64) {
	for f, m := range machineFaults {
		if m.can == nil || m.can(p, h) {
			set |= 1 << f
		}
	}
	return set
}

// CanStrike implements [simext.Struck].
func (p *Program) CanStrike(f sim.Fault) bool {
	return p.Ended == "" && p.goroutines.strikable>>f&1 == 1
}

// Strike implements [simext.Struck].
func (p *Program) Strike(env sim.Env, f sim.Fault) {
	p.step(env, &input{kind: callInput, call: &call{name: f.Singular(), on: machineFaults[f].strike}})
}

// jumps are the possible jumps of a wall clock.
var jumps = [...]time.Duration{time.Second, -time.Second, time.Minute, -time.Minute, time.Hour, -time.Hour}

func (h *Host) jumpClock() {
	stepping.now.ctl.wall.ahead += int64(jumps[h.choose(fmt.Sprintf("jump of the clock %v", jumps), len(jumps))])
}

// diskErrors are the possible errors of a disk.
var diskErrors = [...]syscall.Errno{syscall.EIO, syscall.ENOSPC}

func (h *Host) failDisk() {
	h.files.data.Fail(diskErrors[h.choose(fmt.Sprintf("error of the disk %v", diskErrors), len(diskErrors))])
}

// mayHaveDisk reports whether the program has a data directory, or a Host, and so [Host.Disk].
func mayHaveDisk(p *Program) bool {
	if p.goroutines.data != "" || p.goroutines.command == nil {
		return true
	}
	_, hasHost := p.goroutines.command.main.(func(context.Context, *Host) error)
	return hasHost
}

func (h *Host) loseSync() { h.disk.losing++ }

func (h *Host) flipBit() { h.files.data.FlipBit(h.choose) }

// connEnd is one end of a connection.
type connEnd struct {
	id      ConnID
	dialled bool
}

func (h *Host) breakEnd() {
	var all []string
	for _, c := range h.conns {
		all = append(all, fmt.Sprintf("%v with n%d", c.id, c.peer))
	}
	c := h.conns[h.choose(fmt.Sprintf("connection that breaks at this end %v", all), len(h.conns))]
	h.halfOpen = append(h.halfOpen, connEnd{c.id, c.dialled})
	c.breaks(os.NewSyscallError("read", syscall.ETIMEDOUT))
}

func (h *Host) failAccept() {
	ports := slices.Sorted(maps.Keys(h.listeners))
	port := ports[h.choose(fmt.Sprintf("port of the listener that fails %v", ports), len(ports))]
	h.listeners[port].in.FailOnce(os.NewSyscallError("accept", syscall.EMFILE))
}
