package transport

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Values of the parameter of systems that can use a [Carrier] of either kind.
const (
	overParam     = "over"
	overStreams   = "streams"
	overTransport = "transport"
)

// OverParam returns the parameter that selects the network of a system's [Carrier].
func OverParam() spec.Param {
	return spec.Param{Name: overParam, Kind: spec.OneOf, Default: overStreams, Values: []string{overStreams, overTransport},
		Help: "transport of messages: streams of the network, or the bundled transport over datagrams"}
}

// OverTransport reports whether the parameter selects a [Transport].
func OverTransport(c spec.Config) bool { return c.Text(overParam) == overTransport }

// LimitsOver returns the fault limits for the parameter: the given ones over streams; over datagrams as many crashes,
// one lost datagram and one duplicated datagram.
func LimitsOver(streams sim.Limits) func(spec.Config) sim.Limits {
	return func(c spec.Config) sim.Limits {
		if OverTransport(c) {
			return sim.Limits{sim.Crashes: streams[sim.Crashes], sim.Loss: 1, sim.Dup: 1, sim.Partitions: streams[sim.Partitions]}
		}
		return streams
	}
}
