package bubble

import (
	"fmt"
	"os"
	"syscall"

	"github.com/macemc/macemc/sim"
)

// DiskError returns a fault of nodes with a [DataDir], as an action: the next change of a file or a directory fails with err, and so does
// the next Sync, whichever comes first. syscall.ENOSPC fails only what takes space: writes, creations and longer files. Nothing changes, and
// a later Sync makes earlier writes durable. The fault happens at most once in the life of a node. The fields of the result may be changed.
func DiskError(err syscall.Errno) sim.Action[*Program] {
	return fault(fmt.Sprint("disk error: ", err), func(p *Program) bool { return p.goroutines.data != "" }, func(h *Host) {
		h.files.failing = err
	})
}

// HalfOpen returns a fault of nodes with connections, as an action: one connection breaks at this node, with the error ETIMEDOUT. The other
// end stays open. It is reset when it sends data, and notices nothing while it only reads. The fault happens at most once in the life of a
// node. The fields of the result may be changed.
func HalfOpen() sim.Action[*Program] {
	return fault("half-open connection", func(p *Program) bool { return p.goroutines.conns > 0 }, func(h *Host) {
		h.conns[h.choose("connection that breaks at this end", len(h.conns))].breaks(os.NewSyscallError("read", syscall.ETIMEDOUT))
	})
}

// fault returns an action that strikes a running program. Recovery does not rely on it.
func fault(name string, when func(*Program) bool, strike func(*Host)) sim.Action[*Program] {
	c := &call{name: name, on: strike}
	return sim.Action[*Program]{
		Name:     name,
		Times:    1,
		Disturbs: true,
		When:     func(p *Program) bool { return p.Ended == "" && when(p) },
		Do:       func(p *Program, env sim.Env) { p.step(env, &input{kind: callInput, call: c}) },
	}
}
