package vet

import (
	"go/types"
	"slices"
)

// scope selects the code in which something is a hazard.
type scope uint8

const (
	inHandlers scope = 1 << iota
	inPrograms       // in code that runs in package bubble
	everywhere = inHandlers | inPrograms
)

// scopeOf returns the scope of a kind of hazard. Time, random numbers and goroutines of programs are controlled.
func scopeOf(k Kind) scope {
	switch k {
	case Clock, Random, Concurrency, MapOrder:
		return inHandlers
	}
	return everywhere
}

// simulated lists packages of the standard library that are hazards in handlers but not in programs: they use the
// simulated machine of the node.
var simulated = []string{"net", "net/http", "net/rpc", "net/smtp", "crypto/tls", "os/signal"}

// harmless lists further names that are hazards in handlers only. Ending the process is a finding in a program.
var harmless = words("sync.Pool.Get os.Exit os.Hostname os.Getpid os.Getppid runtime.NumCPU")

// useScope returns the scope in which using o is a hazard of the kind.
func useScope(k Kind, o types.Object) scope {
	name, all := memberName(o)
	path := o.Pkg().Path()
	if slices.Contains(harmless, path+"."+name) || slices.Contains(harmless, path+"."+all) || slices.Contains(simulated, path) {
		return inHandlers
	}
	return scopeOf(k)
}

func (h *handler) scope() scope {
	if h.program {
		return inPrograms
	}
	return inHandlers
}

// instead returns the alternative to a hazard of the kind.
func (h *handler) instead(k Kind) string {
	if h.program {
		switch k {
		case Global:
			return "keep it in what the program makes when it starts"
		case Outside:
			return "take the disk from the bubble.Host, and configuration from who makes the program"
		case MapOrder:
			return "sort the elements by something other than their addresses"
		}
	}
	return infoOf(k).Instead
}
