package netsim

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/sim"
)

func TestWithLimits(t *testing.T) {
	for _, test := range []struct {
		network sim.Network
		limits  sim.Limits
		want    sim.Network
		wrong   string // part of the error
	}{
		{Datagrams{Loss: 7, Dup: 8, Partitions: 9}, sim.Limits{}, Datagrams{}, ""},
		{Datagrams{Loss: 7}, sim.Limits{sim.Loss: 1, sim.Dup: 2, sim.Partitions: 3}, Datagrams{Loss: 1, Dup: 2, Partitions: 3}, ""},
		{Datagrams{}, sim.Limits{sim.NetErrors: 1}, nil, "1 socket errors requested"},
		{Datagrams{}, sim.Limits{sim.Loss: -1}, nil, "the limit of lost datagrams (loss) is -1"},
		{Streams{Buffer: 5, Errors: 7, Partitions: 8}, sim.Limits{}, Streams{Buffer: 5}, ""},
		{Streams{Buffer: 5}, sim.Limits{sim.NetErrors: 1, sim.Partitions: 2}, Streams{Buffer: 5, Errors: 1, Partitions: 2}, ""},
		{Streams{}, sim.Limits{sim.Loss: 1}, nil, "1 lost datagrams requested"},
		{Streams{}, sim.Limits{sim.Dup: 2}, nil, "2 duplicated datagrams requested"},
		{Streams{}, sim.Limits{sim.Crashes: 1}, nil, "crashes are a limit of the system"},
		{Datagrams{}, sim.Limits{sim.Halts: 1}, nil, "halts are a limit of the system"},
		{Both{Streams: Streams{Buffer: 5, Errors: 7}, Datagrams: Datagrams{Dup: 8}, Partitions: 9},
			sim.Limits{sim.Loss: 1, sim.Dup: 2, sim.NetErrors: 3, sim.Partitions: 4},
			Both{Streams: Streams{Buffer: 5, Errors: 3}, Datagrams: Datagrams{Loss: 1, Dup: 2}, Partitions: 4}, ""},
		{Both{}, sim.Limits{sim.Partitions: -4}, nil, "the limit of partitions is -4"},
	} {
		got, err := test.network.WithLimits(test.limits)
		switch {
		case test.wrong != "":
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%+v with %+v: error %v, want %q", test.network, test.limits, err, test.wrong)
			}
		case err != nil:
			t.Errorf("%+v with %+v: %v", test.network, test.limits, err)
		case got != test.want:
			t.Errorf("%+v with %+v: %+v, want %+v", test.network, test.limits, got, test.want)
		case got.Limits() != test.limits:
			t.Errorf("%+v with %+v: limits are %+v", test.network, test.limits, got.Limits())
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		network sim.Network
		nodes   int
		wrong   string // part of the error; empty if valid
	}{
		{Datagrams{}, 1, ""},
		{Datagrams{Loss: 1, Dup: 1, Partitions: 1}, 300, ""},
		{Datagrams{Dup: -2}, 2, "the limit of duplicated datagrams (dup) is -2"},
		{Datagrams{}, 0, "the network has 0 nodes"},
		{Streams{}, 2, ""},
		{Streams{Buffer: 1, Errors: 1, Partitions: 1}, 2, ""},
		{Streams{Buffer: -1}, 2, "the send buffer holds -1 messages"},
		{Streams{Errors: -1}, 2, "the limit of socket errors (net-errors) is -1"},
		{Both{}, 2, ""},
		{Both{Streams: Streams{Buffer: -3}}, 2, "the send buffer holds -3 messages"},
		{Both{Streams: Streams{Partitions: 1}}, 2, "set Both.Partitions"},
		{Both{Datagrams: Datagrams{Partitions: 1}}, 2, "set Both.Partitions"},
		{Both{Datagrams: Datagrams{Loss: -1}}, 2, "the limit of lost datagrams (loss) is -1"},
	} {
		err := test.network.Validate(test.nodes)
		if test.wrong == "" && err != nil || test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%+v, %d nodes: error %v, want %q", test.network, test.nodes, err, test.wrong)
		}
	}
}
