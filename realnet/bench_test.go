//go:build unix

package realnet_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/test/ports"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/realnet"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/transport"
)

// window is how many messages of the benchmarks are under way.
const window = 64

// echo is the service of the benchmarks: node 0 sends, node 1 sends everything back. Either over the
// streams of package live, or over the bundled transport.
type echo struct {
	Sent, Back, Total int

	over *transport.Transport // nil: streams
	data []byte
	done chan struct{} `macemc:"-"`
}

func (e *echo) Boot(env sim.Env) {
	if e.over != nil {
		e.over.Boot(env)
	}
}

func (e *echo) Receive(env sim.Env, from sim.NodeID, msg any) {
	if e.over != nil {
		e.over.Receive(env, from, msg)
		return
	}
	e.Deliver(env, from, msg)
}

func (e *echo) Timer(env sim.Env, t any) {
	if e.over != nil {
		e.over.Timer(env, t)
	}
}

func (e *echo) PeerReady(env sim.Env, _ sim.NodeID) { e.send(env) }

func (e *echo) ClearToSend(env sim.Env, _ sim.NodeID) { e.send(env) }

func (e *echo) Failed(sim.Env, sim.NodeID, error) {}

func (e *echo) Deliver(env sim.Env, from sim.NodeID, msg any) {
	if env.Self() == 1 {
		e.put(env, from, msg)
		return
	}
	if e.Back++; e.Back == e.Total {
		close(e.done)
	}
	e.send(env)
}

func (e *echo) put(env sim.Env, to sim.NodeID, msg any) bool {
	if e.over == nil {
		return env.Stream(to).Send(msg) == nil
	}
	if e.over.Send(env, to, msg) != nil {
		e.over.RequestClearToSend(env, to)
		return false
	}
	return true
}

func (e *echo) send(env sim.Env) {
	for env.Self() == 0 && e.Sent < e.Total && e.Sent-e.Back < window && e.put(env, 1, blob{e.data}) {
		e.Sent++
	}
}

func echoSystem(size, total int, over bool, done chan struct{}) sim.System {
	return sim.System{
		Name: "echo", Nodes: 2, Network: netsim.Both{Streams: netsim.Streams{Buffer: 4 * window}},
		New: func(id sim.NodeID) sim.Service {
			e := &echo{Total: total, done: done, data: make([]byte, size)}
			if over {
				t := transport.New(e, transport.Config{Buffer: 4 * window})
				e.over = &t
			}
			return e
		},
		Actions: []sim.AnyAction{sim.Action[*echo]{Name: "send", Do: (*echo).send}},
		State:   []sim.StateRule{sim.IgnoreField[echo]("data"), sim.IgnoreField[echo]("done")},
	}
}

func (e *echo) run(b *testing.B, size int, over, record bool) {
	done := make(chan struct{})
	sys := echoSystem(size, b.N, over, done)
	peers := ports.Free(b, 2)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var nodes []*realnet.Node
	ended := make(chan error, 2)
	for id := range sim.NodeID(2) {
		cfg := realnet.Config{System: &sys, Node: id, Peers: peers, Dir: b.TempDir(), Await: 5 * time.Second,
			Messages: []any{blob{}, transport.Data{}, transport.Ack{}, transport.Reset{}}}
		if record {
			cfg.Record = &recording.Options{Dir: b.TempDir(), MaxBytes: 1 << 40}
		}
		n, err := realnet.New(cfg)
		if err != nil {
			b.Fatal(err)
		}
		nodes = append(nodes, n)
		go func() { ended <- n.Run(ctx) }()
	}
	if err := nodes[1].Look(ctx, func(*runner.Runner) {}); err != nil {
		b.Fatal(err)
	}
	cpu := cpuTime()
	b.ResetTimer()
	if _, err := nodes[0].Act(ctx, "send"); err != nil {
		b.Fatal(err)
	}
	<-done
	report(b, size, cpu)
	b.StopTimer()
	stop()
	for range 2 {
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}
}

func report(b *testing.B, size int, cpuAtStart time.Duration) {
	perSecond := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(float64(cpuTime()-cpuAtStart)/float64(b.N)/1e3, "cpu-µs/msg")
	b.ReportMetric(perSecond, "msg/s")
	b.ReportMetric(perSecond*float64(size)/1e6, "MB/s")
	b.ReportMetric(0, "ns/op")
}

// plainEcho is the baseline of the operating system: a TCP connection with the same number of messages under way.
func plainEcho(b *testing.B, size int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		buf := make([]byte, size)
		for in := bufio.NewReaderSize(c, 64<<10); ; {
			if _, err := io.ReadFull(in, buf); err != nil {
				return
			}
			if _, err := c.Write(buf); err != nil {
				return
			}
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	tokens := make(chan struct{}, window)
	cpu := cpuTime()
	b.ResetTimer()
	go func() {
		buf := make([]byte, size)
		for range b.N {
			tokens <- struct{}{}
			if _, err := c.Write(buf); err != nil {
				return
			}
		}
	}()
	buf := make([]byte, size)
	in := bufio.NewReaderSize(c, 64<<10)
	for range b.N {
		if _, err := io.ReadFull(in, buf); err != nil {
			b.Fatal(err)
		}
		<-tokens
	}
	report(b, size, cpu)
}

// cpuTime returns the processor time of this process, which is more reliable than the clock on a busy machine.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkEcho compares messages that are sent and come back: by plain TCP, by the streams of live
// nodes, and by the bundled transport over their datagrams, without and with recording.
func BenchmarkEcho(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"64B", 64}, {"16KB", 16 << 10}} {
		b.Run(size.name+"/tcp", func(b *testing.B) { plainEcho(b, size.bytes) })
		for _, kind := range []struct {
			name         string
			over, record bool
		}{{"streams", false, false}, {"streams-recorded", false, true}, {"transport", true, false}, {"transport-recorded", true, true}} {
			b.Run(size.name+"/"+kind.name, func(b *testing.B) { new(echo).run(b, size.bytes, kind.over, kind.record) })
		}
	}
}
