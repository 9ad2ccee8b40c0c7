package realnet

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/sim"
)

// Config says which node to run, and how. System, Node and Peers are needed, and Messages or Codec.
type Config struct {
	System *sim.System
	Node   sim.NodeID
	// Peers are the addresses of all nodes by their numbers, as IP:port, for UDP and TCP alike. The
	// node listens on its own.
	Peers []string
	// Public allows an own address that is not a loopback address: whoever reaches the port can send
	// messages in the name of any node.
	Public bool

	// Messages are samples of all types of messages, for the default codec. Unused with Codec.
	Messages []any
	Codec    wire.Codec // nil: wire.Types of Messages
	// MaxMessage is the size of the largest message in bytes, encoded; 0: 1 MB. Larger ones break the
	// node that sends them, and the connection that brings them. Datagrams carry at most [MaxDatagram].
	MaxMessage int

	// MaxQueue is how many bytes of messages may wait for one peer, encoded; 0: 256 MB. Streams take as many messages as the model's send buffer, but what
	// machines send and what goes to a network of queues waits without any bound but this one, which ends the node with a [QueueError].
	MaxQueue int64

	// Dir is the folder of the node's disk, for this node alone; made when it is not there. "": the disk
	// is empty at each start, and the monotone counter begins anew.
	Dir string
	// Record says where to record; nil: nowhere. Params and Bugs go into the recording's header.
	Record *recording.Options
	Params map[string]string
	Bugs   []string
	// StateEvery is after how many events the fingerprint of the state is recorded; 0: 16.
	StateEvery int

	// Await is how long the first boot waits for all peers to listen. They count as up from the start, so
	// that what is sent to them must not be refused. 0: it does not wait.
	Await time.Duration
	// DialTimeout is after which time a peer that does not answer counts as down; 0: 3 seconds.
	DialTimeout time.Duration

	// HandlerLimit is after which time a handler that has not returned is logged, and told of by
	// [Node.Stuck]. It cannot be ended. 0: 2 seconds.
	HandlerLimit time.Duration

	// Speed divides the durations of timers, so that tests need not wait; the clock is left alone. 0: 1.
	Speed int

	Seed uint64 // of random draws; 0: a random one
	// Log may be nil: nothing is logged. At the level for debugging it is told of each event, message and announcement, with the keys that
	// package observe reads.
	Log *slog.Logger
	_   struct{}
}

// QueueError ends a node that has more to send than Config.MaxQueue lets wait.
type QueueError struct {
	Node, Peer     sim.NodeID
	Messages       int
	Waiting, Limit int64 // bytes
}

func (e *QueueError) Error() string {
	return fmt.Sprintf("live: %d messages of n%d to n%d wait, of %d bytes, and at most %d bytes may wait for a node: have senders wait for answers or for room (TrySend), "+
		"send less, or allow more (Config.MaxQueue, --max-queue)", e.Messages, e.Node, e.Peer, e.Waiting, e.Limit)
}

// MaxDatagram is how large a message in a datagram can be, encoded. Larger ones are lost.
const MaxDatagram = 65_000

func (c *Config) complete() (addrs []netip.AddrPort, err error) {
	if c.System == nil {
		return nil, errors.New("live: System is nil")
	}
	if err := c.System.Validate(); err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	if len(c.Peers) != c.System.Nodes {
		return nil, fmt.Errorf("live: %d addresses for the %d nodes of system %q", len(c.Peers), c.System.Nodes, c.System.Name)
	}
	if c.Node < 0 || int(c.Node) >= c.System.Nodes {
		return nil, fmt.Errorf("live: there is no node %d of %d", c.Node, c.System.Nodes)
	}
	for i, p := range c.Peers {
		a, err := netip.ParseAddrPort(p)
		if err != nil || a.Port() == 0 && sim.NodeID(i) != c.Node {
			return nil, fmt.Errorf("live: the address of node %d is %q, want IP:port", i, p)
		}
		addrs = append(addrs, netip.AddrPortFrom(a.Addr().Unmap(), a.Port()))
	}
	if own := addrs[c.Node]; !own.Addr().IsLoopback() && !c.Public {
		return nil, fmt.Errorf("live: node %d would listen on %v, which others can reach: anybody there can send "+
			"messages in the name of any node; allow it explicitly (Config.Public, --public) if that is meant", c.Node, own)
	}
	if c.MaxMessage < 0 || c.MaxMessage > 1<<30 || c.MaxQueue < 0 || c.StateEvery < 0 || c.Speed < 0 || c.HandlerLimit < 0 {
		return nil, fmt.Errorf("live: MaxMessage is %d, MaxQueue %d, StateEvery %d, Speed %d, HandlerLimit %v: out of range",
			c.MaxMessage, c.MaxQueue, c.StateEvery, c.Speed, c.HandlerLimit)
	}
	own := simext.AsLive(*c.System) // what machines send is not for the model to bound
	c.System = &own
	c.Speed = cmp.Or(c.Speed, 1)
	c.MaxMessage = cmp.Or(c.MaxMessage, 1<<20)
	c.MaxQueue = cmp.Or(c.MaxQueue, 256<<20)
	c.StateEvery = cmp.Or(c.StateEvery, 16)
	c.HandlerLimit = cmp.Or(c.HandlerLimit, 2*time.Second)
	c.DialTimeout = cmp.Or(c.DialTimeout, 3*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Log = c.Log.With("node", int(c.Node))
	if c.Codec == nil {
		if c.Codec, err = wire.NewTypes(c.Messages...); err != nil {
			return nil, fmt.Errorf("live: system %q: %w", c.System.Name, err)
		}
	}
	return addrs, nil
}
