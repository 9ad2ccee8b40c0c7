//go:build macemc_overlay

package bubble_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// outcomes visits all states of a system under one schedule. It returns the values that the nodes show once each has ended or shows that it
// reads, after the number of states for each choice of random numbers. A system with faults of programs is searched by walks, which do not
// number its states.
func outcomes(t *testing.T, sys sim.System) []string {
	t.Helper()
	seen := map[string]bool{}
	sys.State, sys.Interleave = bubble.Rules, sim.FIFO
	sys.Properties = []sim.Property{{Name: "collects", Always: func(v *sim.View) bool {
		var all []string
		for id := range sim.NodeID(v.Len()) {
			text, _ := bubble.SeenAt[string](v, id)
			all = append(all, text)
			if v.Service(id).(*bubble.Program).Ended == "" && text != "reads" {
				return true
			}
		}
		seen[strings.Join(all, "; ")] = true
		return true
	}}}
	ofPrograms := 0
	for f, limit := range sys.Limits() {
		if sim.Fault(f).Event().OfProgram() {
			ofPrograms += limit
		}
	}
	if ofPrograms > 0 {
		r, err := searched(t, search.Config{System: sys, Workers: 1, MaxPaths: 3000, WalkSteps: 40})
		if err != nil || r.Finding != nil {
			t.Fatalf("%v: %+v", err, r)
		}
		return slices.Sorted(maps.Keys(seen))
	}
	r, err := searched(t, search.Config{System: sys, Workers: 1, Strategy: search.BFS})
	if err != nil || r.Finding != nil || r.Stopped != stats.StoppedSampled {
		t.Fatalf("%v: %+v", err, r)
	}
	states := r.Stats.States
	for range sys.Nodes {
		states /= 16 // samples of the seed
	}
	return append([]string{fmt.Sprint(states)}, slices.Sorted(maps.Keys(seen))...)
}

// changes makes a change of each kind a second after the previous one, and shows those that fail.
func changes(_ context.Context, h *bubble.Host) error {
	failed := ""
	h.Observe(func() any { return failed })
	note := func(what string, err error) {
		if err != nil {
			failed += fmt.Sprintf("%s: %v ", what, errors.Unwrap(err))
		}
		time.Sleep(time.Second)
	}
	note("", nil)
	f, err := os.Create("/data/a")
	note("create", err)
	if err != nil {
		if f, err = os.Create("/data/a"); err != nil {
			return err
		}
	}
	_, err = f.WriteString("x")
	note("write", err)
	note("sync", f.Sync())
	note("close", f.Close())
	_, err = os.ReadFile("/data/a")
	note("read", err)
	note("rename", os.Rename("/data/a", "/data/b"))
	note("remove", os.RemoveAll("/data/b"))
	return nil
}

// An error of the disk fails exactly one change, and any one. A full disk fails only what takes space.
func TestDiskError(t *testing.T) {
	got := outcomes(t, sim.System{
		Name: "changes", Nodes: 1, Network: netsim.Streams{}, DiskErrors: 1,
		New: func(sim.NodeID) sim.Service { return bubble.Service(changes, bubble.DataDir("/data")) },
	})
	want := []string{"", "create: input/output error ", "create: no space left on device ", "remove: input/output error ", "rename: input/output error ",
		"sync: input/output error ", "write: input/output error ", "write: no space left on device "}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A call that changes nothing does not fail by an error of the disk, and leaves it to the next change. A shorter file takes no space.
func TestDiskError_Unchanged(t *testing.T) {
	calls := func(_ context.Context, h *bubble.Host) error {
		failed := ""
		h.Observe(func() any { return failed })
		f, err := os.Create("/data/a")
		if err != nil {
			return err
		}
		if _, err := f.WriteString("xy"); err != nil {
			return err
		}
		time.Sleep(time.Second) // the error of the disk strikes here, or after the last call
		r, err := os.Open("/data/a")
		if err != nil {
			return err
		}
		note := func(what string, err error) {
			if errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) {
				failed += fmt.Sprintf("%s: %v ", what, errors.Unwrap(err))
			}
		}
		note("remove of no file", os.Remove("/data/none"))
		note("remove of no tree", os.RemoveAll("/data/none"))
		note("rename of no file", os.Rename("/data/none", "/data/b"))
		note("rename to itself", os.Rename("/data/a", "/data/a"))
		note("existing folder", os.Mkdir("/data", 0o755))
		_, err = f.Write(nil)
		note("empty write", err)
		_, err = f.WriteAt(nil, 0)
		note("empty write at", err)
		note("equal size", f.Truncate(2))
		_, err = r.WriteString("x")
		note("write of a reader", err)
		note("truncation of a reader", r.Truncate(0))
		r.Close()
		note("truncation of a closed file", r.Truncate(0))
		note("shorter", f.Truncate(0))
		note("longer", f.Truncate(1))
		return nil
	}
	got := outcomes(t, sim.System{
		Name: "calls", Nodes: 1, Network: netsim.Streams{}, DiskErrors: 1,
		New: func(sim.NodeID) sim.Service { return bubble.Service(calls, bubble.DataDir("/data")) },
	})
	if want := []string{"", "longer: no space left on device ", "shorter: input/output error "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// synced announces that a value is durable, and restored announces the value that the node finds when it boots.
type (
	synced   struct{}
	restored struct{ Value string }
)

// durability is violated if a value that was synced is not restored.
type durability struct{ Synced bool }

func (d *durability) Observe(_ sim.NodeID, event any) error {
	switch e := event.(type) {
	case synced:
		d.Synced = true
	case restored:
		if d.Synced && e.Value != "x" {
			return errors.New("lost")
		}
	}
	return nil
}

// A lost sync makes nothing durable, and a later one does. A sync that has nothing to make durable is not lost.
func TestLostSync(t *testing.T) {
	open := func(h *bubble.Host, flag int) (read func() string, write func(), sync func()) {
		f, err := os.OpenFile("/data/a", os.O_RDWR|os.O_CREATE|flag, 0o644)
		dir, err2 := os.Open("/data")
		h.Assert(errors.Join(err, err2, dir.Sync()) == nil, "cannot open the file")
		return func() string { text, _ := io.ReadAll(f); return string(text) }, func() { f.WriteString("x") }, func() { f.Sync() }
	}
	disks := map[string]func(h *bubble.Host) (func() string, func(), func()){
		"disk": func(h *bubble.Host) (func() string, func(), func()) {
			h.Disk().Put("b", nil)
			h.Disk().Sync()
			return func() string { v, _ := h.Disk().Get("a"); return string(v) }, func() { h.Disk().Put("a", []byte("x")) }, h.Disk().Sync
		},
		"file":        func(h *bubble.Host) (func() string, func(), func()) { return open(h, 0) },
		"O_SYNC file": func(h *bubble.Host) (func() string, func(), func()) { return open(h, os.O_SYNC) },
	}
	for _, c := range []struct {
		disk, calls string // w writes, s syncs
		lost        int
		want        bool
	}{
		{"disk", "ws", 0, false}, {"disk", "ws", 1, true}, {"disk", "sws", 1, true}, {"disk", "wss", 1, false}, {"disk", "wss", 2, true},
		{"file", "ws", 0, false}, {"file", "ws", 1, true}, {"file", "sws", 1, true}, {"file", "wss", 1, false}, {"file", "wss", 2, true},
		{"O_SYNC file", "w", 0, false}, {"O_SYNC file", "w", 1, true}, {"O_SYNC file", "ws", 1, false},
	} {
		program := func(ctx context.Context, h *bubble.Host) error {
			read, write, sync := disks[c.disk](h)
			h.Announce(restored{read()})
			time.Sleep(time.Second) // all faults strike here, or after the last call
			for _, call := range c.calls {
				if call == 'w' {
					write()
				} else {
					sync()
				}
			}
			h.Announce(synced{})
			<-ctx.Done()
			return nil
		}
		r, err := searched(t, search.Config{Workers: 1, MaxPaths: 500, WalkSteps: 10, System: sim.System{
			Name: "syncs", Nodes: 1, State: bubble.Rules, Interleave: sim.FIFO, Crashes: 1, LostSyncs: c.lost,
			New: func(sim.NodeID) sim.Service {
				if c.disk == "disk" {
					return bubble.Service(program)
				}
				return bubble.Service(program, bubble.DataDir("/data"))
			},
			Monitors: []func() sim.Monitor{func() sim.Monitor { return &durability{} }},
		}})
		if err != nil || (r.Finding != nil) != c.want || c.want && r.Finding.Message != "lost" {
			t.Errorf("%s, calls %s, %d lost: %v, found %v, want %v", c.disk, c.calls, c.lost, err, r.Finding, c.want)
		}
	}
}

// Syncs can be lost on nodes that can have a disk.
func TestLostSync_CanStrike(t *testing.T) {
	main := func(ctx context.Context) error { <-ctx.Done(); return nil }
	client := func(ctx context.Context, _ *bubble.Host) error { <-ctx.Done(); return nil }
	for name, c := range map[string]struct {
		node func() sim.Service
		want bool
	}{
		"service": {func() sim.Service { return bubble.Service(client) }, true},
		"process": {func() sim.Service { return bubble.Command(main, nil, nil) }, false},
		"process with a data directory": {func() sim.Service {
			return bubble.Command(main, nil, nil, bubble.DataDir("/data"))
		}, true},
		"process whose main takes a Host": {func() sim.Service { return bubble.Command(client, nil, nil) }, true},
	} {
		asked, got := false, false
		sys := sim.System{
			Name: "strikes", Nodes: 1, State: bubble.Rules, Network: netsim.Streams{},
			New: func(sim.NodeID) sim.Service { return c.node() },
			Properties: []sim.Property{{Name: "asks", Always: sim.Each(func(_ sim.NodeID, p *bubble.Program) bool {
				asked, got = true, p.CanStrike(sim.LostSyncs)
				return true
			})}},
		}
		if _, err := searched(t, search.Config{System: sys, Strategy: search.Walk, MaxPaths: 1, Workers: 1}); err != nil {
			t.Fatal(err)
		}
		if !asked || got != c.want {
			t.Errorf("%s: CanStrike = %v (asked: %v), want %v", name, got, asked, c.want)
		}
	}
}

// A jump moves the wall clock. Durations, timers and deadlines do not notice it, even if they were derived from a wall clock alone.
func TestClockJumps(t *testing.T) {
	got := outcomes(t, sim.System{
		Name: "times", Nodes: 1, Network: netsim.Streams{}, ClockJumps: 1,
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(_ context.Context, h *bubble.Host) error {
				state := ""
				h.Observe(func() any { return state })
				start := time.Now()
				l, err := net.Listen("tcp", ":80")
				if err != nil {
					return err
				}
				l.(*net.TCPListener).SetDeadline(start.Round(0).Add(time.Second))
				if _, err := l.Accept(); !errors.Is(err, os.ErrDeadlineExceeded) {
					return err
				}
				now := time.Now()
				state = fmt.Sprint(now.Sub(start), " ", now.Round(0).Sub(start.Round(0)))
				return nil
			})
		},
	})
	want := []string{"1s -59m59s", "1s -59s", "1s 0s", "1s 1h0m1s", "1s 1m1s", "1s 1s", "1s 2s"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// reads reads from the connection of a node to its end, and shows its error.
func reads(c net.Conn, h *bubble.Host) error {
	state := "reads"
	h.Observe(func() any { return state })
	_, err := io.Copy(io.Discard, c)
	var number syscall.Errno
	errors.As(err, &number)
	state = number.Error()
	return nil
}

// A half-open connection is an error at one end. The other end notices if and only if it writes or ends its stream.
func TestHalfOpen(t *testing.T) {
	for sends, want := range map[string][]string{
		"":     {"connection timed out; reads", "reads; connection timed out", "reads; reads"},
		"data": {"connection timed out; connection reset by peer", "connection timed out; reads", "reads; connection timed out", "reads; reads"},
		"end": {"connection timed out; connection reset by peer", "connection timed out; reads", "errno 0; connection timed out",
			"errno 0; errno 0", "errno 0; reads",
			"reads; connection timed out", "reads; reads"},
	} {
		got := outcomes(t, sim.System{
			Name: "reads", Nodes: 2, Network: netsim.Streams{}, HalfOpens: 1,
			New: func(id sim.NodeID) sim.Service {
				return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
					if id == 0 {
						l, err := h.Listen("tcp", ":80")
						if err != nil {
							return err
						}
						c, err := l.Accept()
						if err != nil {
							return err
						}
						return reads(c, h)
					}
					c, err := h.Dial(ctx, "tcp", "n0:80")
					if err != nil {
						return err
					}
					time.AfterFunc(time.Second, func() {
						switch sends {
						case "data":
							c.Write([]byte("x"))
						case "end":
							c.(interface{ CloseWrite() error }).CloseWrite()
						}
					})
					return reads(c, h)
				})
			},
		})
		if !slices.Equal(got, want) {
			t.Errorf("sends %q: %q, want %q", sends, got, want)
		}
	}
}

// A writer waits while its peer has not read what the connection holds.
func TestConn_Window(t *testing.T) {
	for read, want := range map[int][]string{0: {"7", "reads; 131072"}, 65535: {"7", "reads; 131072"}, 65536: {"14", "reads; 131072", "reads; 196608"}} {
		got := outcomes(t, sim.System{
			Name: "window", Nodes: 2, Network: netsim.Streams{},
			New: func(id sim.NodeID) sim.Service {
				return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
					if id == 0 {
						h.Observe(func() any { return "reads" })
						l, err := h.Listen("tcp", ":80")
						if err != nil {
							return err
						}
						c, err := l.Accept()
						if err != nil {
							return err
						}
						io.ReadFull(c, make([]byte, read))
						<-ctx.Done()
						return nil
					}
					c, err := h.Dial(ctx, "tcp", "n0:80")
					if err != nil {
						return err
					}
					c.SetWriteDeadline(time.Now().Add(time.Second))
					n, err := c.Write(make([]byte, 1<<20))
					h.Observe(func() any { return fmt.Sprint(n) })
					return err
				})
			},
		})
		if !slices.Equal(got, want) {
			t.Errorf("the reader takes %d bytes: %q, want %q", read, got, want)
		}
	}
}
