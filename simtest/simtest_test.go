package simtest_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/simtest"
)

// service executes commands in messages.
type service struct {
	sim.Nop
	Got  []string
	List []int
	At   macetime.Time
	late sim.Env `macemc:"-"`
}

type (
	do   func(*service, sim.Env) // only through call
	list struct{ L []int }
	tick struct{ N int }
	late struct{}
)

func (s *service) Boot(env sim.Env) {
	v, _ := env.Disk().Get("boots")
	env.Disk().Put("boots", append(v, 'x'))
}

func (s *service) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case list:
		m.L[0]++ // its own copy
		s.List = m.L
	case late:
		s.late.Send(1, tick{1})
	}
	s.Got = append(s.Got, fmt.Sprintf("%d: %v", from, msg))
}

func (s *service) Timer(env sim.Env, t any) { s.Got = append(s.Got, fmt.Sprintf("timer %v", t)) }

func (s *service) PeerError(_ sim.Env, peer sim.NodeID, err error) {
	s.Got = append(s.Got, fmt.Sprintf("error %d: %v", peer, err))
}

func (s *service) PeerReady(_ sim.Env, peer sim.NodeID) {
	s.Got = append(s.Got, fmt.Sprintf("ready %d", peer))
}

var both = sim.System{
	Nodes:   3,
	Network: netsim.Both{Streams: netsim.Streams{Buffer: 2}},
	New:     func(sim.NodeID) sim.Service { return &service{} },
	Actions: []sim.AnyAction{
		sim.Action[*service]{Name: "once", Times: 1, Do: func(s *service, env sim.Env) { env.Send(2, tick{9}) }},
		sim.Action[*service]{Name: "again", Do: func(s *service, env sim.Env) {}},
	},
}

// double is a test that records its failures.
type double struct {
	testing.TB
	cleanups []func()
	failures []string
	output   bytes.Buffer
}

func (d *double) Helper()                      {}
func (d *double) Cleanup(f func())             { d.cleanups = append(d.cleanups, f) }
func (d *double) Output() io.Writer            { return &d.output }
func (d *double) Error(args ...any)            { d.failures = append(d.failures, fmt.Sprint(args...)) }
func (d *double) Errorf(f string, args ...any) { d.Error(fmt.Sprintf(f, args...)) }
func (d *double) Fatal(args ...any)            { d.Error(args...); runtime.Goexit() }
func (d *double) Fatalf(f string, args ...any) { d.Fatal(fmt.Sprintf(f, args...)) }

// run runs a test to its end and returns its failures.
func (d *double) run(test func(t testing.TB)) []string {
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() {
			for _, f := range slices.Backward(d.cleanups) {
				f()
			}
		}()
		test(d)
	}()
	<-done
	return d.failures
}

func booted(t testing.TB) *simtest.Node[*service] {
	n := simtest.New[*service](t, both, 0)
	n.Boot()
	return n
}

// Errors in a node, and events that cannot happen, fail the test with a reason.
func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name string
		test func(t testing.TB)
		want string // of the only failure
	}{
		{"assertion", func(t testing.TB) {
			n := booted(t)
			n.Do(func(_ *service, env sim.Env) { env.Assert(false, "%d is odd", 3); env.Send(1, tick{1}) })
			n.WantSent(simtest.Datagram(1, tick{1})) // the handler has continued
		}, "^n0: safety: assertion: 3 is odd$"},
		{"panic", func(t testing.TB) {
			booted(t).Do(func(s *service, _ sim.Env) { _ = s.List[7] })
			panic("not reached")
		}, `^n0: panic: .*index out of range \[7\] with length 0\n(?s).*simtest_test.go`},
		{"changed message", func(t testing.TB) {
			n := booted(t)
			n.Do(func(s *service, env sim.Env) { s.List = []int{1}; env.Send(1, list{s.List}) })
			n.Do(func(s *service, env sim.Env) { s.List[0] = 2 })
			n.WantSent(simtest.Datagram(1, list{[]int{1}}))
		}, `^safety: messages are values: node 0 changed a message to node 1 after sending it: sent list{{1}|\[1\]}`},
		{"message changed by the test's end", func(t testing.TB) {
			n := booted(t)
			l := []int{1}
			n.Do(func(s *service, env sim.Env) { env.Send(1, list{l}) })
			l[0] = 2
		}, "^safety: messages are values: "},
		{"late use", func(t testing.TB) {
			n := booted(t)
			n.Do(func(s *service, env sim.Env) { s.late = env })
			n.Receive(1, late{})
		}, "^n0: panic: Send: the Env of node 0 was used after its handler had returned"},
		{"no answer", func(t testing.TB) {
			booted(t).Do(func(_ *service, env sim.Env) { env.Choose("a child", 3); env.Choose("x", 2) })
			panic("not reached")
		}, `^n0 has no answer for "a child" \(3 alternatives\); call Answer\("a child", pick\) before$`},
		{"bad answer", func(t testing.TB) {
			n := booted(t)
			n.Answer("a child", 3)
			n.Do(func(_ *service, env sim.Env) { env.Choose("a child", 3) })
		}, `^n0 answer 3 to "a child" is not 0 to 2$`},
		{"unused answer", func(t testing.TB) {
			n := booted(t)
			n.Answer("a child", 1, 2)
			n.Answer("alone", 0)
			n.Do(func(_ *service, env sim.Env) { env.Choose("a child", 3); env.Choose("alone", 1) })
		}, `^n0 did not use all answers: "a child" \[2\], "alone" \[0\]; `},
		{"endless questions", func(t testing.TB) {
			n := booted(t)
			n.AnswerOthers(choose.First)
			n.Do(func(_ *service, env sim.Env) {
				for env.Choose("stop", 2) == 0 {
				}
			})
		}, "^n0: divergence: the handler made more choices"},
		{"timer not armed", func(t testing.TB) {
			n := booted(t)
			n.Do(func(_ *service, env sim.Env) { env.SetTimer(tick{1}, 1); env.SetTimer(tick{2}, 1) })
			n.Fire(tick{3})
		}, `^Fire: n0 has not armed tick{N:3}; armed are \[tick{N:1} tick{N:2}\]$`},
		{"fired twice", func(t testing.TB) {
			n := booted(t)
			n.Do(func(_ *service, env sim.Env) { env.SetTimer(tick{1}, 1) })
			n.Fire(tick{1})
			n.Fire(tick{1})
		}, `^Fire: n0 has not armed tick{N:1}; armed are \[\]$`},
		{"down", func(t testing.TB) {
			simtest.New[*service](t, both, 0).Receive(1, tick{})
		}, "^Receive: n0 is down; call Boot first$"},
		{"booted twice", func(t testing.TB) { booted(t).Boot() }, "^Boot: n0 is up$"},
		{"no such sender", func(t testing.TB) { booted(t).Receive(3, tick{}) },
			"^Receive: there is no node 3; the system has 3 nodes$"},
		{"no such receiver", func(t testing.TB) {
			booted(t).Do(func(_ *service, env sim.Env) { env.Send(3, tick{}) })
		}, "^n0: panic: Send: there is no node 3"},
		{"no such node", func(t testing.TB) { simtest.New[*service](t, both, 3) },
			"^simtest.New: there is no node 3; the system has 3 nodes$"},
		{"other service", func(t testing.TB) { simtest.New[*Pinger](t, both, 0) },
			`^simtest.New: node 0 runs a \*simtest_test.service, not a \*simtest_test.Pinger$`},
		{"bad system", func(t testing.TB) { simtest.New[*service](t, sim.System{Nodes: 1}, 0) },
			`^simtest.New: system "": New is nil$`},
		{"bad message", func(t testing.TB) { booted(t).Receive(1, do(nil)) },
			`^Receive: message: .*simtest_test.do`},
		{"bad message sent", func(t testing.TB) {
			booted(t).Do(func(_ *service, env sim.Env) { env.Send(1, do(nil)) })
		}, `^n0: panic: message .*simtest_test.do`},
		{"action", func(t testing.TB) {
			n := booted(t)
			n.Action("once")
			n.WantSent(simtest.Datagram(2, tick{9}))
			n.Action("once")
		}, `^Action: "once" of n0 is not enabled; enabled are \["again"\]$`},
		{"no handler", func(t testing.TB) {
			n := simtest.New[*Pinger](t, system, 0)
			n.Boot()
			n.PeerError(1, sim.ErrReset)
		}, `^PeerError: \*simtest_test.Pinger has no PeerError\(sim.Env, sim.NodeID, error\)$`},
		{"streams without streams", func(t testing.TB) {
			n := simtest.New[*Pinger](t, system, 0)
			n.Boot()
			n.Do(func(_ *Pinger, env sim.Env) { _ = env.Stream(1).Send(Ping{1}) })
		}, `^n0: panic: the network has no streams: use netsim.Streams or netsim.Both`},
		{"no network", func(t testing.TB) {
			n := simtest.New[*Pinger](t, sim.System{Nodes: 2, New: system.New}, 0)
			n.Boot()
			n.Do(func(_ *Pinger, env sim.Env) { _ = env.Stream(1).Send(Ping{1}) })
		}, `^n0: panic: Stream: the system has no network: set the field Network of sim.System, .*netsim.Both{}`},
		{"too much kept", func(t testing.TB) { booted(t).CrashKeeping(2) },
			"^CrashKeeping: n0 has 1 unsynced writes, not 2$"},
		{"room to nobody", func(t testing.TB) { booted(t).SetRoom(9, 1) }, "^SetRoom: there is no node 9; the system has "},
		{"too much room", func(t testing.TB) { booted(t).SetRoom(1, 3) },
			"^SetRoom: 3 is not 0 to 2, which the system's network allows$"},
		{"sent", func(t testing.TB) {
			n := booted(t)
			n.Do(func(_ *service, env sim.Env) { _ = env.Stream(2).Send(tick{1}) })
			n.WantSent(simtest.Datagram(2, tick{1}))
		}, "^n0 sent\n\tstream to n2: tick{N:1}\nwant\n\tdatagram to n2: tick{N:1}\n$"},
		{"not sent", func(t testing.TB) { booted(t).WantSent(simtest.Datagram(2, tick{1})) },
			"^n0 sent\n\tnothing\nwant\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := new(double).run(tc.test)
			if len(got) != 1 || !regexp.MustCompile(tc.want).MatchString(got[0]) {
				t.Errorf("failures %q, want one that matches %q", got, tc.want)
			}
		})
	}
}

// Messages are copied in both directions; equality is by content, not identity.
func TestMessages(t *testing.T) {
	n := booted(t)
	m := list{[]int{1}}
	n.Receive(2, m)
	if m.L[0] != 1 || n.Service().List[0] != 2 {
		t.Errorf("the test has %v, the node %v", m.L, n.Service().List)
	}
	n.Do(func(s *service, env sim.Env) { env.Send(1, list{}); env.Send(1, list{[]int{3}}) })
	n.WantSent(simtest.Datagram(1, list{[]int{}}), simtest.Datagram(1, list{[]int{3}}))
	n.WantSent()
	n.Do(func(s *service, env sim.Env) { env.Announce(tick{4}); env.Log().Info("hello", "n", 5) })
	if a := n.Announced(); len(a) != 1 || a[0] != any(tick{4}) || n.Announced() != nil {
		t.Errorf("announced %v", a)
	}
}

func TestLog(t *testing.T) {
	d := &double{}
	d.run(func(t testing.TB) { booted(t).Do(func(_ *service, env sim.Env) { env.Log().Debug("hello", "n", 5) }) })
	if got := d.output.String(); got != "level=DEBUG msg=hello n=5\n" {
		t.Errorf("logged %q", got)
	}
}

// A stream has the system's room in every step until the test sets it; then sending reduces it.
func TestRoom(t *testing.T) {
	n := booted(t)
	send := func(_ *service, env sim.Env) {
		s := env.Stream(1)
		for i := 1; s.Send(tick{i}) == nil; i++ {
		}
	}
	one, two := simtest.OnStream(1, tick{1}), simtest.OnStream(1, tick{2})
	for range 2 {
		n.Do(send)
		n.WantSent(one, two)
	}
	n.SetRoom(1, 1)
	n.Do(send)
	n.WantSent(one)
	n.Do(send)
	n.WantSent()
	n.PeerReady(1)
	n.SetRoom(1, 2)
	n.Do(func(_ *service, env sim.Env) {
		s := env.Stream(1)
		if s.Room() != 2 || s.Send(tick{1}) != nil || s.Room() != 1 {
			t.Error("room is not 2, then 1")
		}
		s.Close()
	})
	n.WantSent(one, simtest.Sent{To: 1, Msg: simtest.Closed{}, Stream: true})
	n.Do(send)
	n.WantSent(one, two)
	n.SetRoom(1, 0)
	n.PeerError(1, sim.ErrReset)
	n.Do(send)
	n.WantSent(one, two)
	if want := []string{"ready 1", "error 1: connection reset"}; !slices.Equal(n.Service().Got, want) {
		t.Errorf("got %q, want %q", n.Service().Got, want)
	}
}

// Timers are listed in the order in which they were set, and fire in any order. A crash disarms them.
func TestTimers(t *testing.T) {
	n := booted(t)
	n.Do(func(_ *service, env sim.Env) {
		env.SetTimer(tick{1}, time.Second)
		env.SetTimer(tick{2}, time.Minute)
		env.SetTimer(tick{3}, 0)
		env.SetTimer(tick{1}, time.Hour)
		env.StopTimer(tick{3})
	})
	want := []simtest.Timer{{Value: tick{2}, After: time.Minute}, {Value: tick{1}, After: time.Hour}}
	if got := n.Timers(); !slices.Equal(got, want) {
		t.Errorf("timers %v, want %v", got, want)
	}
	n.Fire(tick{1})
	if !n.Armed(tick{2}) || n.Armed(tick{1}) || len(n.Timers()) != 1 {
		t.Errorf("timers %v", n.Timers())
	}
	n.Crash()
	n.Boot()
	if len(n.Timers()) > 0 || n.Armed(tick{2}) || n.Service().Got != nil {
		t.Errorf("after a crash: timers %v, service %+v", n.Timers(), n.Service())
	}
}

// Only synced writes survive a crash, plus as many of the other writes as the test selects.
func TestDisk(t *testing.T) {
	n := simtest.New[*service](t, both, 0)
	n.SetDisk(map[string]string{"boots": "xx", "a": "1"})
	n.Boot()
	check := func(what string, got map[string]string, want ...string) {
		t.Helper()
		m := map[string]string{}
		for _, w := range want {
			k, v, _ := strings.Cut(w, "=")
			m[k] = v
		}
		if !maps.Equal(got, m) {
			t.Errorf("%s %q, want %q", what, got, m)
		}
	}
	check("reads", n.Disk(), "boots=xxx", "a=1")
	check("synced", n.Synced(), "boots=xx", "a=1")
	n.Crash()
	check("after a crash", n.Disk(), "boots=xx", "a=1")
	n.Boot()
	n.Do(func(_ *service, env sim.Env) {
		env.Disk().Sync()
		env.Disk().Put("b", []byte("2"))
		env.Disk().Delete("a")
		env.Disk().Put("c", []byte("3"))
	})
	check("synced", n.Synced(), "boots=xxx", "a=1")
	n.CrashKeeping(2)
	if n.Up() {
		t.Error("up after a crash")
	}
	check("two writes kept", n.Synced(), "boots=xxx", "b=2")
}

// Choices of all kinds are answered by name, in order; AnswerOthers answers the rest.
func TestAnswers(t *testing.T) {
	n := booted(t)
	n.Answer("a", 1, 0)
	n.Answer("is it earlier", 1)
	n.Answer("rand.Jitter", 2)
	n.AnswerOthers(choose.SourceFunc(func(p choose.Point) int { return p.Arity - 1 }))
	var got []any
	n.Do(func(s *service, env sim.Env) {
		got = append(got, env.Choose("a", 2), env.Choose("b", 5), env.Choose("a", 2), env.Choose("a", 3))
		got = append(got, env.Rand().Jitter(time.Second, 3*time.Second, 3), env.Rand().IntN(4))
		deadline := env.Clock().Now().Add(time.Second)
		got = append(got, env.Clock().Before(env.Clock().Now(), deadline))
	})
	if want := []any{1, 4, 0, 2, 3 * time.Second, 3, true}; !slices.Equal(got, want) {
		t.Errorf("answered %v, want %v", got, want)
	}
}
