package realnet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/test/ports"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/realnet"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

func TestPortInUse(t *testing.T) {
	sys := pushSystem(1, 1)
	for _, network := range []string{"tcp", "udp"} {
		addrs := ports.Free(t, 2)
		if network == "tcp" {
			l, err := net.Listen("tcp", addrs[0])
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
		} else {
			l, err := net.ListenPacket("udp", addrs[0])
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
		}
		n, err := realnet.New(realnet.Config{System: &sys, Peers: addrs, Messages: []any{numbered{}}})
		if err == nil {
			n.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "node 0") || !strings.Contains(err.Error(), "address already in use") {
			t.Errorf("%s: %v", network, err)
		}
	}
}

func TestConfigurationErrors(t *testing.T) {
	sys := pushSystem(1, 1)
	good := []string{"127.0.0.1:1", "127.0.0.1:2"}
	type hooked struct{ F func() }
	for _, c := range []struct {
		cfg  realnet.Config
		want string
	}{
		{realnet.Config{}, "System is nil"},
		{realnet.Config{System: &sys, Peers: good[:1]}, "1 addresses for the 2 nodes"},
		{realnet.Config{System: &sys, Peers: good, Node: 2}, "no node 2; system "},
		{realnet.Config{System: &sys, Peers: []string{"localhost:1", "127.0.0.1:2"}}, `the address of node 0 is "localhost:1", want IP:port`},
		{realnet.Config{System: &sys, Peers: []string{"0.0.0.0:1", "127.0.0.1:2"}}, "which others can reach"},
		{realnet.Config{System: &sys, Peers: good, Messages: []any{hooked{}}}, "hooked.F is a func"},
		{realnet.Config{System: &sys, Peers: good, MaxMessage: -1}, "MaxMessage is -1"},
	} {
		n, err := realnet.New(c.cfg)
		if err == nil {
			n.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// A hundred thousand random datagrams, some of them nearly right, lose nothing and crash nothing.
func TestGarbageDatagrams(t *testing.T) {
	count := 100_000
	if testing.Short() {
		count = 10_000
	}
	x := newCluster(t, "transport", spec.Config{Nodes: 2, Params: map[string]string{"messages": "20"}}, true)
	c, err := net.Dial("udp", x.base.Peers[1])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 1<<11)
	for i := range count {
		n := random.IntN(len(b))
		for k := range min(n, 64) {
			b[k] = byte(random.Uint32())
		}
		if i%2 == 0 && n > 8 {
			binary.LittleEndian.PutUint32(b, 0x3143434d)
		}
		_, _ = c.Write(b[:n])
		if i%(count/100) == 0 {
			x.act("send")
		}
	}
	for limit := time.Now().Add(3 * time.Minute); !x.live() && time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		x.act("send")
	}
	if s := x.nodes[1].Stats(); s.Garbage == 0 || s.Garbage > uint64(count) {
		t.Errorf("%d of %d datagrams were counted as garbage", s.Garbage, count)
	} else {
		t.Logf("%d of %d random datagrams arrived", s.Garbage, count)
	}
	m := x.merged()
	agrees(t, m)
	delivered := 0
	for _, s := range fileOf(t, m).Steps {
		if strings.HasPrefix(s.Key, "deliver") && strings.Contains(s.Key, "Number:20 ") {
			delivered++
		}
	}
	if delivered < 2 {
		t.Errorf("the last message has arrived at %d of 2 nodes", delivered)
	}
}

type blob struct{ Data []byte }

// blower sends a blob of that many bytes, as datagram and as stream.
type blower struct {
	sim.Nop
	Got, Errors int
}

func (b *blower) Receive(_ sim.Env, _ sim.NodeID, msg any) { b.Got += len(msg.(blob).Data) }

func (b *blower) PeerError(sim.Env, sim.NodeID, error) { b.Errors++ }

func blowSystem(bytes int) sim.System {
	return sim.System{
		Name: "blow", Nodes: 2, New: func(sim.NodeID) sim.Service { return &blower{} }, Network: netsim.Both{},
		Actions: []sim.AnyAction{
			sim.Action[*blower]{Name: "datagram", Do: func(_ *blower, env sim.Env) { env.Send(1, blob{make([]byte, bytes)}) }},
			sim.Action[*blower]{Name: "stream", Do: func(_ *blower, env sim.Env) { _ = env.Stream(1).Send(blob{make([]byte, bytes)}) }},
		},
	}
}

// A message that does not fit into a datagram is lost, in a stream it arrives.
func TestFault_OversizedDatagram(t *testing.T) {
	x := custom(t, blowSystem(100_000), blob{})
	x.nodes[0].Act(context.Background(), "datagram")
	x.nodes[0].Act(context.Background(), "stream")
	x.until("the stream arrives", func(s []sim.Service) bool { return s[1].(*blower).Got == 100_000 })
	if s := x.nodes[0].Stats(); s.Oversized != 1 || s.Sent != 2 {
		t.Errorf("got %+v, want 2 sent, 1 oversized", s)
	}
	agrees(t, x.merged())
}

func TestMessageAboveTheLimitEndsItsSender(t *testing.T) {
	x := custom(t, blowSystem(2<<20), blob{})
	x.nodes[0].Act(context.Background(), "stream")
	<-x.nodes[0].done
	if err := x.nodes[0].err; err == nil || !strings.Contains(err.Error(), "a realnet_test.blob to node 1 cannot be sent: it takes 2097157 bytes, the limit is 1048576") {
		t.Errorf("%v", err)
	}
	x.nodes[0] = nil
}

// A peer that ends in the middle of a message, or talks nonsense, does no harm, and the message is not
// delivered.
func TestPeerEndsInTheMiddleOfAMessage(t *testing.T) {
	x := custom(t, blowSystem(1000), blob{})
	frame := func(kind byte, content ...byte) []byte {
		b := binary.LittleEndian.AppendUint32(nil, uint32(1+len(content)))
		return append(append(b, kind), content...)
	}
	for _, raw := range [][]byte{
		nil, []byte("GET / HTTP/1.1\r\n\r\n"), bytes.Repeat([]byte{0xff}, 100), frame(1), frame(1, 1, 2, 3), frame(4, 1, 2, 3),
	} {
		c, err := net.Dial("tcp", x.base.Peers[1])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write(raw)
		c.Close()
	}
	// A node 0 that has the right hello, and then only a part of a message.
	x.nodes[0].end()
	x.nodes[0] = nil
	l, err := net.Listen("tcp", x.base.Peers[0])
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// Learn the hello from node 1, which sends to node 0.
	x.nodes[1].Do(context.Background(), func(env sim.Env, _ sim.Service) { _ = env.Stream(0).Send(blob{[]byte{1}}) })
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 5)
	if _, err := io.ReadFull(c, head); err != nil || head[4] != 1 {
		t.Fatalf("% x, %v", head, err)
	}
	hello := make([]byte, binary.LittleEndian.Uint32(head)-1)
	if _, err := io.ReadFull(c, hello); err != nil {
		t.Fatal(err)
	}
	welcome := binary.AppendUvarint(nil, uint64(time.Now().UnixNano()))
	_, _ = c.Write(frame(2, append(welcome, 0)...))
	_, _ = c.Write(frame(4, 1, 1, 200)[:7]) // of message 1 the beginning
	c.Close()
	x.until("the error is told", func(s []sim.Service) bool { return s[1].(*blower).Errors == 1 })
	x.all(func(s []sim.Service) bool {
		if got := s[1].(*blower).Got; got != 0 {
			t.Errorf("%d bytes of messages that never ended were delivered", got)
		}
		return true
	})
}

func TestFault_DiskSurvives(t *testing.T) {
	sys := sim.System{Name: "draw", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{} }}
	dir := t.TempDir()
	cfg := realnet.Config{System: &sys, Peers: ports.Free(t, 1), Dir: dir}
	run := func(f func(d *drawer)) {
		t.Helper()
		n, err := realnet.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := realnet.New(realnet.Config{System: &sys, Peers: ports.Free(t, 1), Dir: dir}); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("the disk was opened twice: %v", err)
		}
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- n.Run(ctx) }()
		for late := false; !late; time.Sleep(time.Millisecond) {
			if err := n.Look(ctx, func(r *runner.Runner) { late = len(r.Service(0).(*drawer).Drawn) >= 8 }); err != nil {
				t.Fatal(err)
			}
		}
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		_ = n.Look(context.Background(), nil)
		f(nil)
	}
	run(func(*drawer) {})
	file := filepath.Join(dir, "disk.log")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(before, 30, 0, 0, 0, 1, 2, 3), 0o644); err != nil {
		t.Fatal(err)
	}
	run(func(*drawer) {})
	after, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(after, before) || len(after) == len(before) {
		t.Errorf("the log had %d bytes and now has %d, of which the first are the same: %v", len(before), len(after), bytes.HasPrefix(after, before))
	}
}

// Damage is reported, and all events before it are used.
func TestDamagedRecording(t *testing.T) {
	x := newCluster(t, "randtree", spec.Config{Nodes: 3}, true)
	x.act("joinOverlay")
	x.until("one tree", oneTree)
	x.stop()
	whole := merge(t, x.sys, x.base)
	file := filepath.Join(x.base.Record.Dir, "n1-0001-0001.rec")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)*3/4] ^= 1 // an event: the header is in the first half
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	m := merge(t, x.sys, x.base)
	if len(m.Notes) == 0 || !strings.Contains(m.Notes[0], "n1-0001-0001.rec: at byte") || !strings.Contains(m.Notes[0], "events before that were read") {
		t.Errorf("notes %q", m.Notes)
	}
	if m.Disagreement != nil || len(fileOf(t, m).Steps) == 0 || len(fileOf(t, m).Steps) >= len(fileOf(t, whole).Steps) {
		t.Errorf("%d of %d steps; %v", len(fileOf(t, m).Steps), len(fileOf(t, whole).Steps), m.Disagreement)
	}
	for _, n := range m.Notes[1:] {
		if !strings.Contains(n, " ends before ") {
			t.Errorf("note %q", n)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := recording.ReadDir(x.base.Record.Dir); err == nil || !strings.Contains(err.Error(), "the recording of node 1 of 3 is missing") {
		t.Errorf("%v", err)
	}
}

// The fingerprints of a run do not depend on how it was rotated.
func TestRotatedRecording(t *testing.T) {
	x := custom(t, pushSystem(300, 5), numbered{})
	x.stop()
	x.base.Record = &recording.Options{Dir: t.TempDir(), PartBytes: 1000}
	for id := range x.nodes {
		x.start(sim.NodeID(id))
	}
	x.act("push")
	x.until("all have arrived", func(s []sim.Service) bool { return s[1].(*pusher).Got == 300 })
	m := x.merged()
	agrees(t, m)
	parts, _ := filepath.Glob(filepath.Join(x.base.Record.Dir, "n1-*.rec"))
	if len(parts) < 5 {
		t.Errorf("%d parts", len(parts))
	}
}

// A recording at its limit ends, and the node continues.
func TestFault_RecordingLimit(t *testing.T) {
	x := custom(t, pushSystem(300, 5), numbered{})
	x.stop()
	x.base.Record = &recording.Options{Dir: t.TempDir(), MaxBytes: 4000}
	for id := range x.nodes {
		x.start(sim.NodeID(id))
	}
	x.act("push")
	x.until("all have arrived", func(s []sim.Service) bool { return s[1].(*pusher).Got == 300 })
	m := x.merged()
	if m.Disagreement != nil || len(fileOf(t, m).Steps) < 20 || m.Left[0]+m.Left[1] > 200 {
		t.Errorf("%d steps, left %v, %v", len(fileOf(t, m).Steps), m.Left, m.Disagreement)
	}
	sum := int64(0)
	parts, _ := filepath.Glob(filepath.Join(x.base.Record.Dir, "n1-*.rec"))
	for _, p := range parts {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
	}
	if sum == 0 || sum > 4000 {
		t.Errorf("n1 has recorded %d bytes", sum)
	}
}

// hasty closes its stream and fails before the close has left the node.
type hasty struct {
	sim.Nop
	Got int
}

func (h *hasty) Receive(_ sim.Env, from sim.NodeID, _ any) {
	if h.Got++; from == 0 && h.Got > 1 {
		panic("on purpose")
	}
}

func (h *hasty) end(env sim.Env) {
	h.Got++
	env.Stream(1).Close()
	env.Send(0, numbered{}) // handled before anything leaves the node
}

// A failing node ends even if it has just closed a stream with a live other end.
func TestFault_FailsAfterClosing(t *testing.T) {
	x := custom(t, sim.System{
		Name: "hasty", Nodes: 2, New: func(sim.NodeID) sim.Service { return &hasty{} }, Network: netsim.Both{},
		Actions: []sim.AnyAction{
			sim.Action[*hasty]{Name: "send", Do: func(_ *hasty, env sim.Env) { _ = env.Stream(1).Send(numbered{}) }},
			sim.Action[*hasty]{Name: "end", Do: (*hasty).end},
		},
	}, numbered{})
	sender := x.nodes[0]
	for _, action := range []string{"send", "end"} {
		if _, err := sender.Act(context.Background(), action); err != nil {
			t.Fatal(err)
		}
		if action == "send" {
			x.until("it has arrived", func(s []sim.Service) bool { return s[1].(*hasty).Got == 1 })
		}
	}
	select {
	case <-sender.done:
	case <-time.After(time.Minute):
		t.Fatal("the node does not end")
	}
	if f := (*sim.Finding)(nil); !errors.As(sender.err, &f) || f.Kind != sim.Panic {
		t.Errorf("it ended with %v", sender.err)
	}
	x.nodes[0] = nil
}
