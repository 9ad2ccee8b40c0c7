package realnet

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Node is one node of a system on a real network. Its methods are safe for concurrent use.
type Node struct {
	cfg         Config
	addrs       []netip.AddrPort
	log         *slog.Logger
	system      uint64 // identifies the system on the wire
	incarnation uint64
	udp         *net.UDPConn
	tcp         *net.TCPListener
	inbox       chan item
	ctx         context.Context // of all goroutines
	cancel      context.CancelFunc
	wait        sync.WaitGroup
	ran         atomic.Bool
	counters    counters
	watchdog    watchdog

	// Owned by the event loop.
	run     *runner.Runner
	links   []*link
	timers  timers
	times   instants
	disk    *disk
	rec     *recording.Writer
	random  *choose.Random
	event   recording.Event // the current event
	debug   bool            // log each event
	events  int
	stateAt int            // number of the last event with a recorded state
	found   runner.Durable // at boot
	number  uint64         // of the last message sent
	local   []item         // unhandled messages to the node itself
	dirty   []*link        // with something to transmit
	closing []*conn        // closed by the service
	grams   []outgoing     // datagrams to send
	scratch []byte         // empty buffer for frames
	encoded []byte         // empty buffer for messages
	broken  *sim.Finding   // ends the loop
	full    *QueueError    // ends the loop
	frozen  bool
	held    []item // arrived while frozen
	waiting []item // for quorums, in the order of arrival
	counts  []int  // by action, how often executed
}

// outgoing is a datagram to send.
type outgoing struct {
	to   sim.NodeID
	data []byte
}

type itemKind uint8

const (
	frameItem itemKind = iota
	lostItem
	acceptedItem
	dialledItem
	datagramItem
	callItem
)

// item is an input of the event loop from another goroutine.
type item struct {
	kind  itemKind
	frame byte
	conn  *conn
	err   error

	peer        sim.NodeID
	stream      bool
	incarnation uint64
	number      uint64
	abandoned   uint64
	msg         any
	data        []byte // of msg, when recording
	hello       hello

	call func() error
	done chan error
}

// Stats are counters of a node.
type Stats struct {
	Events    uint64 // handled by the service
	Sent      uint64 // messages
	Received  uint64 // decoded messages
	Garbage   uint64 // datagrams that do not follow the protocol
	Oversized uint64 // datagrams too large to send
}

type counters struct {
	events, sent, received, garbage, oversized atomic.Uint64
}

// New prepares a node: it listens, and reads its disk. The error describes a defect of the configuration. A node
// that is not run must be closed.
func New(cfg Config) (_ *Node, err error) {
	addrs, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	n := &Node{cfg: cfg, addrs: addrs, log: cfg.Log, inbox: make(chan item, 1024)}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			n.cancel()
			n.close()
		}
	}()
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", cfg.System.Name, cfg.System.Nodes)
	n.system = h.Sum64()
	n.incarnation = uint64(time.Now().UnixNano())
	if err := n.listen(); err != nil {
		return nil, err
	}
	var cut int64
	if n.disk, n.found, cut, err = openDisk(cfg.Dir); err != nil {
		return nil, err
	}
	if cut > 0 {
		n.log.Warn("the end of the disk's log was torn or damaged, and is kept in a file beside it", "bytes", cut)
	}
	clock, err := macetime.NewRealClock(int(cfg.Node), 0, nil)
	if err != nil {
		return nil, err
	}
	n.times = newInstants(clock)
	if n.run, err = runner.NewRunner(cfg.System, kernel.Options{Log: n.log, Times: &n.times}); err != nil {
		return nil, err
	}
	if len(cfg.System.Quorums) > 0 && n.run.Ordered() {
		return nil, fmt.Errorf("system %q has quorums and a network of queues, which take messages in order: use netsim.Datagrams "+
			"to run it", cfg.System.Name)
	}
	n.run.Revive(cfg.Node, n.found)
	n.counts = n.run.Durable(cfg.Node, 0).Counts
	for i := range cfg.System.Nodes {
		n.links = append(n.links, &link{peer: sim.NodeID(i)})
	}
	n.random = choose.NewRandom(seed(cfg.Seed), uint64(cfg.Node))
	if cfg.Record != nil {
		n.rec, err = recording.NewWriter(*cfg.Record, recording.Header{
			System: cfg.System.Name, Nodes: cfg.System.Nodes, Node: int(cfg.Node), Params: cfg.Params, Bugs: cfg.Bugs,
			Incarnation: n.incarnation, Codec: cfg.Codec.ID(),
		})
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

func seed(given uint64) uint64 {
	if given != 0 {
		return given
	}
	var b [8]byte
	_, _ = crand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

func (n *Node) listen() error {
	own := n.addrs[n.cfg.Node]
	var err error
	if n.tcp, err = net.ListenTCP("tcp", net.TCPAddrFromAddrPort(own)); err != nil {
		return fmt.Errorf("live: node %d: %w", n.cfg.Node, err)
	}
	own = netip.AddrPortFrom(own.Addr(), n.tcp.Addr().(*net.TCPAddr).AddrPort().Port())
	n.addrs[n.cfg.Node] = own
	if n.udp, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(own)); err != nil {
		return fmt.Errorf("live: node %d: %w", n.cfg.Node, err)
	}
	_ = n.udp.SetReadBuffer(4 << 20) // or as much as the system allows
	_ = n.udp.SetWriteBuffer(1 << 20)
	return nil
}

// Addr returns the address that the node listens on.
func (n *Node) Addr() netip.AddrPort { return n.addrs[n.cfg.Node] }

// Stats returns the current counters.
func (n *Node) Stats() Stats {
	c := &n.counters
	return Stats{c.events.Load(), c.sent.Load(), c.received.Load(), c.garbage.Load(), c.oversized.Load()}
}

// Close ends a node that was not run.
func (n *Node) Close() error {
	if n.ran.Swap(true) {
		return errors.New("live: a node that runs is stopped by its context")
	}
	n.cancel()
	return n.close()
}

func (n *Node) close() error {
	var errs []error
	if n.run != nil {
		if found := n.run.Close(n.cfg.Node); found != nil {
			errs = append(errs, found)
		}
	}
	if n.tcp != nil {
		n.tcp.Close()
	}
	if n.udp != nil {
		n.udp.Close()
	}
	for _, l := range n.links {
		if l.conn != nil {
			l.conn.close()
		}
	}
	for _, c := range n.closing { // if the node failed before it sent the close
		c.close()
	}
	n.wait.Wait()
	for i := range n.held {
		if c := n.held[i].conn; c != nil {
			c.close()
		}
	}
	for len(n.inbox) > 0 {
		if it := <-n.inbox; it.conn != nil {
			it.conn.close()
		}
	}
	if n.rec != nil {
		errs = append(errs, n.rec.Close(n.events, n.run.Hash(n.cfg.Node)))
	}
	if n.disk != nil {
		errs = append(errs, n.disk.close())
	}
	return errors.Join(errs...)
}

// Run boots the service and handles events until ctx ends, which is not an error. The node also ends if a handler
// panics, with a [*sim.Finding] as error and without the handler's effects, if its disk cannot be written, or if a
// message cannot be encoded. Run can be called once.
func (n *Node) Run(ctx context.Context) error {
	if n.ran.Swap(true) {
		return errors.New("live: a node runs once")
	}
	defer context.AfterFunc(ctx, n.cancel)()
	n.wait.Go(n.acceptor)
	n.wait.Go(n.receiver)
	n.wait.Go(n.watch)
	err := n.await(ctx)
	if err == nil {
		err = n.loop(ctx)
	}
	n.cancel()
	if err != nil {
		n.log.Error("the node stops", "why", err)
	}
	return errors.Join(err, n.close())
}

// await waits until all peers listen, at the first start of the node.
func (n *Node) await(ctx context.Context) error {
	if n.cfg.Await <= 0 || n.found.Ticks > 0 || n.rec != nil && n.rec.Header().Start > 1 {
		return nil
	}
	limit, cancel := context.WithTimeout(ctx, n.cfg.Await)
	defer cancel()
	for peer, addr := range n.addrs {
		for sim.NodeID(peer) != n.cfg.Node {
			var d net.Dialer
			c, err := d.DialContext(limit, "tcp", addr.String())
			if err == nil {
				c.Close()
				break
			}
			select {
			case <-limit.Done():
				if ctx.Err() != nil {
					return nil
				}
				return fmt.Errorf("live: node %d: node %d at %v does not listen after %v: %w", n.cfg.Node, peer, addr, n.cfg.Await, err)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	return nil
}

// post passes an item to the event loop. It returns false after the loop has ended.
func (n *Node) post(it item) bool {
	select {
	case n.inbox <- it:
		return true
	case <-n.ctx.Done():
		return false
	}
}
