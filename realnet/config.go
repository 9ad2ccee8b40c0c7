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

// Config configures a node. System, Node and Peers are required, and either Messages or Codec.
type Config struct {
	System *sim.System
	Node   sim.NodeID
	// Peers are the addresses of all nodes by number, as IP:port, for UDP and TCP. The node listens on its own.
	Peers []string
	// Public allows the node's own address to be other than a loopback address. Then anybody who can reach the port
	// can send messages in the name of any node.
	Public bool

	// Messages are samples of all types of messages, for the default codec. They are unused with Codec.
	Messages []any
	Codec    wire.Codec // nil means wire.Types of Messages
	// MaxMessage is the maximum size of an encoded message in bytes. 0 means 1 MB. A larger message ends the node
	// that sends it, or the connection that delivers it. Datagrams carry at most [MaxDatagram].
	MaxMessage int

	// MaxQueue is the maximum size in bytes of the encoded messages that wait for one peer. 0 means 256 MB. Streams
	// accept as many messages as the model's send buffer. Messages of machines, and to a network of queues, wait
	// with no other bound, and end the node with a [QueueError] at this one.
	MaxQueue int64

	// Dir is the folder of the node's disk, which no other node may use; it is created if missing. "" means that
	// each start begins with an empty disk and a new monotone counter.
	Dir string
	// Record configures the recording. Nil disables it. Params and Bugs go into the recording's header.
	Record *recording.Options
	Params map[string]string
	Bugs   []string
	// StateEvery is the number of events between two recorded fingerprints of the state. 0 means 16.
	StateEvery int

	// Await is the maximum time that the first boot waits for all peers to listen. Peers count as up from the
	// start, so messages to them must not be refused. 0 means not to wait.
	Await time.Duration
	// DialTimeout is the time after which a peer that does not answer counts as down. 0 means 3 seconds.
	DialTimeout time.Duration

	// HandlerLimit is the time after which a running handler is logged, and reported by [Node.Stuck]. It cannot be
	// stopped. 0 means 2 seconds.
	HandlerLimit time.Duration

	// Speed divides the durations of timers, to make tests faster. It does not affect the clock. 0 means 1.
	Speed int

	Seed uint64 // of random draws; 0 means a random seed
	// Log receives the log; nil means none. At debug level it includes each event, message and announcement, with
	// the keys that package observe reads.
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
	return fmt.Sprintf("live: %d messages of n%d to n%d wait, of %d bytes, and at most %d bytes may wait for a node: have "+
		"senders wait for answers or for room (TrySend), "+
		"send less, or allow more (Config.MaxQueue, --max-queue)", e.Messages, e.Node, e.Peer, e.Waiting, e.Limit)
}

// MaxDatagram is the maximum size of an encoded message in a datagram. Larger ones are lost.
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
		return nil, fmt.Errorf("live: no node %d; system %q has %d nodes", c.Node, c.System.Name, c.System.Nodes)
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
	own := simext.AsLive(*c.System) // the model does not bound the messages of machines
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
