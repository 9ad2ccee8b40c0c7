package netsim

import (
	"errors"
	"fmt"

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

// Streams is a network of reliable, ordered streams: a simulated TCP. The zero value has no faults.
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
func (d Datagrams) Limits() sim.Limits {
	return sim.Limits{sim.Loss: d.Loss, sim.Dup: d.Dup, sim.Partitions: d.Partitions}
}

// Limits implements [sim.Network].
func (s Streams) Limits() sim.Limits {
	return sim.Limits{sim.NetErrors: s.Errors, sim.Partitions: s.Partitions}
}

// Limits implements [sim.Network].
func (b Both) Limits() sim.Limits {
	return sim.Limits{sim.Loss: b.Datagrams.Loss, sim.Dup: b.Datagrams.Dup, sim.NetErrors: b.Streams.Errors, sim.Partitions: b.Partitions}
}

// WithLimits implements [sim.Network]: it replaces all limits.
func (d Datagrams) WithLimits(l sim.Limits) (sim.Network, error) {
	if l[sim.NetErrors] != 0 {
		return nil, fmt.Errorf("%d socket errors requested, but only netsim.Streams and netsim.Both have connections", l[sim.NetErrors])
	}
	if err := checkNew(l); err != nil {
		return nil, err
	}
	d.Loss, d.Dup, d.Partitions = l[sim.Loss], l[sim.Dup], l[sim.Partitions]
	return d, nil
}

// WithLimits implements [sim.Network]: it replaces all limits.
func (s Streams) WithLimits(l sim.Limits) (sim.Network, error) {
	if l[sim.Loss] != 0 || l[sim.Dup] != 0 {
		return nil, fmt.Errorf("%d lost and %d duplicated datagrams requested, but only netsim.Datagrams and netsim.Both have datagrams", l[sim.Loss], l[sim.Dup])
	}
	if err := checkNew(l); err != nil {
		return nil, err
	}
	s.Errors, s.Partitions = l[sim.NetErrors], l[sim.Partitions]
	return s, nil
}

// WithLimits implements [sim.Network]: it replaces all limits.
func (b Both) WithLimits(l sim.Limits) (sim.Network, error) {
	if err := checkNew(l); err != nil {
		return nil, err
	}
	b.Datagrams = Datagrams{Loss: l[sim.Loss], Dup: l[sim.Dup]}
	b.Streams.Errors, b.Streams.Partitions = l[sim.NetErrors], 0
	b.Partitions = l[sim.Partitions]
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

func checkNew(l sim.Limits) error {
	if l[sim.Crashes] != 0 {
		return fmt.Errorf("%d crashes requested for the network: crashes are a limit of the system", l[sim.Crashes])
	}
	if l[sim.Halts] != 0 {
		return fmt.Errorf("%d halts requested for the network: halts are a limit of the system", l[sim.Halts])
	}
	return l.Validate()
}

// Start implements [sim.Network].
func (d Datagrams) Start(host sim.NetHost) sim.NetModel {
	return newModel(host, config{datagrams: true, order: Any, limits: d.Limits()})
}

// Start implements [sim.Network].
func (s Streams) Start(host sim.NetHost) sim.NetModel {
	return newModel(host, config{streams: true, buffer: s.Buffer, limits: s.Limits(), asLive: s.asLive, mutation: s.mutation})
}

// Start implements [sim.Network].
func (b Both) Start(host sim.NetHost) sim.NetModel {
	return newModel(host, config{datagrams: true, order: Any, streams: true, buffer: b.Streams.Buffer, limits: b.Limits(),
		asLive: b.Streams.asLive, mutation: b.Streams.mutation})
}
