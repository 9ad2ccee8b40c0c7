package netsim

import (
	"errors"
	"fmt"

	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// DefaultBuffer is the default size of send buffers.
const DefaultBuffer = 20

// Datagrams is a network that delivers datagrams in any order. The zero value has no faults.
type Datagrams struct {
	Loss       int // maximum number of datagrams lost in a run
	Dup        int // maximum number of datagrams duplicated in a run
	Partitions int // maximum number of partitions in a run
}

// Streams is a network of reliable, ordered streams: a simulated TCP. The zero value has no faults. Nodes that run
// programs (package bubble) have datagrams, too; [Both] sets their faults.
type Streams struct {
	Buffer     int // maximum number of messages queued by a node to one peer; 0 means DefaultBuffer
	Errors     int // maximum number of broken connections in a run
	Partitions int // maximum number of partitions in a run

	asLive   bool // set by AsLive
	mutation mutation
}

// Both is a network with datagrams and streams. A partition cuts both, so Partitions limits it here and not in the two
// parts.
type Both struct {
	Datagrams  Datagrams
	Streams    Streams
	Partitions int
}

// limitFields holds by fault the field of a network that limits it, or nil if the network lacks the fault.
type limitFields [sim.FaultCount]*int

func (d *Datagrams) limits() limitFields {
	return limitFields{sim.Loss: &d.Loss, sim.Dup: &d.Dup, sim.Partitions: &d.Partitions}
}

func (s *Streams) limits() limitFields {
	return limitFields{sim.NetErrors: &s.Errors, sim.Partitions: &s.Partitions}
}

func (b *Both) limits() limitFields {
	fields := b.Datagrams.limits()
	fields[sim.NetErrors], fields[sim.Partitions] = &b.Streams.Errors, &b.Partitions
	return fields
}

var (
	_ sim.Network        = Datagrams{}
	_ simext.LiveNetwork = Streams{}
	_ simext.LiveNetwork = Both{}
)

// Validate implements [sim.Network].
func (d Datagrams) Validate(nodes int) error { return validate(nodes, 0, d.Limits()) }

// Validate implements [sim.Network].
func (s Streams) Validate(nodes int) error { return validate(nodes, s.Buffer, s.Limits()) }

// Validate implements [sim.Network].
func (b Both) Validate(nodes int) error {
	if b.Datagrams.Partitions != 0 || b.Streams.Partitions != 0 {
		return errors.New("a partition cuts both datagrams and streams: set Both.Partitions instead of a part's")
	}
	return validate(nodes, b.Streams.Buffer, b.Limits())
}

// maxBuffer keeps queue lengths far below the range of their counters.
const maxBuffer = 1 << 20

func validate(nodes, buffer int, l sim.Limits) error {
	if nodes < 1 {
		return fmt.Errorf("the network has %d nodes, must have at least 1", nodes)
	}
	if buffer < 0 || buffer > maxBuffer {
		return fmt.Errorf("the send buffer holds %d messages, must be 1 to %d, or 0 for %d", buffer, maxBuffer, DefaultBuffer)
	}
	return l.Validate()
}

// Limits implements [sim.Network].
func (d Datagrams) Limits() sim.Limits { return d.limits().get() }

// Limits implements [sim.Network].
func (s Streams) Limits() sim.Limits { return s.limits().get() }

// Limits implements [sim.Network].
func (b Both) Limits() sim.Limits { return b.limits().get() }

// WithLimits implements [sim.Network]: it replaces all limits.
func (d Datagrams) WithLimits(l sim.Limits) (sim.Network, error) {
	if err := d.limits().set(l); err != nil {
		return nil, err
	}
	return d, nil
}

// WithLimits implements [sim.Network]: it replaces all limits.
func (s Streams) WithLimits(l sim.Limits) (sim.Network, error) {
	if err := s.limits().set(l); err != nil {
		return nil, err
	}
	return s, nil
}

// WithLimits implements [sim.Network]: it replaces all limits.
func (b Both) WithLimits(l sim.Limits) (sim.Network, error) {
	if err := b.limits().set(l); err != nil {
		return nil, err
	}
	b.Datagrams.Partitions, b.Streams.Partitions = 0, 0
	return b, nil
}

// IsLive implements [simext.LiveNetwork].
func (s Streams) IsLive() bool { return s.asLive }

// IsLive implements [simext.LiveNetwork].
func (b Both) IsLive() bool { return b.Streams.asLive }

// AsLive implements [simext.LiveNetwork].
func (s Streams) AsLive() sim.Network { s.asLive = true; return s }

// AsLive implements [simext.LiveNetwork].
func (b Both) AsLive() sim.Network { b.Streams.asLive = true; return b }

// Start implements [sim.Network].
func (d Datagrams) Start(host netmodel.Host) netmodel.Model {
	return newModel(host, config{datagrams: true, order: Any, limits: d.Limits()})
}

// Start implements [sim.Network].
func (s Streams) Start(host netmodel.Host) netmodel.Model {
	return newModel(host, config{streams: true, buffer: s.Buffer, limits: s.Limits(), asLive: s.asLive, mutation: s.mutation})
}

// StartOfPrograms implements [netmodel.OfPrograms]: the network has datagrams, too, as any network of programs.
func (s Streams) StartOfPrograms(host netmodel.Host) netmodel.Model {
	return Both{Streams: s}.startWith(host, s.Limits())
}

// Start implements [sim.Network].
func (b Both) Start(host netmodel.Host) netmodel.Model {
	return b.startWith(host, b.Limits())
}

func (b Both) startWith(host netmodel.Host, l sim.Limits) netmodel.Model {
	return newModel(host, config{datagrams: true, order: Any, streams: true, buffer: b.Streams.Buffer, limits: l,
		asLive: b.Streams.asLive, mutation: b.Streams.mutation})
}

func (fields limitFields) get() (l sim.Limits) {
	for f, limit := range fields {
		if limit != nil {
			l[f] = *limit
		}
	}
	return l
}

// set replaces all limits. It fails if the network lacks a limited fault.
func (fields limitFields) set(l sim.Limits) error {
	for f := range sim.FaultCount {
		if l[f] != 0 && !f.Event().OfNetwork() {
			return fmt.Errorf("%d %v requested for the network: %[2]v are a limit of the system", l[f], f)
		}
	}
	for i := range faults {
		if f := &faults[i]; l[f.of] != 0 && fields[f.of] == nil {
			return fmt.Errorf(f.lacking, l[f.of])
		}
	}
	for f, limit := range fields {
		if limit != nil {
			*limit = l[f]
		}
	}
	return l.Validate()
}
