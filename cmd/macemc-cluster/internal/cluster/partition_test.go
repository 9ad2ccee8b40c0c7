package cluster

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/systems/spec"
)

// relay forwards between a worker and the server. While it is cut it forwards nothing, and no connection ends.
type relay struct {
	url  string
	mu   sync.Mutex
	open *sync.Cond
	cut  bool
}

func newRelay(t *testing.T, server string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &relay{url: "nats://" + l.Addr().String()}
	r.open = sync.NewCond(&r.mu)
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", strings.TrimPrefix(server, "nats://"))
			if err != nil {
				in.Close()
				continue
			}
			go r.copy(in, out)
			go r.copy(out, in)
		}
	}()
	t.Cleanup(func() { r.set(false) })
	return r
}

func (r *relay) copy(to, from net.Conn) {
	defer to.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		r.mu.Lock()
		for r.cut {
			r.open.Wait()
		}
		r.mu.Unlock()
		if _, e := to.Write(buf[:n]); e != nil || err != nil {
			return
		}
	}
}

func (r *relay) set(cut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = cut
	r.open.Broadcast()
}

// A worker that was cut off or stopped, and returns after others have taken its parts, does no harm.
func TestComesBack(t *testing.T) {
	if !*long {
		t.Skip("half a minute")
	}
	t.Parallel()
	for _, how := range []string{"cut", "stopped"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			url := serve(t)
			between := newRelay(t, url)
			spawn(t, url)
			victim := spawn(t, between.url)
			leave, back := func() { between.set(true) }, func() { between.set(false) }
			if how == "stopped" {
				leave, back = signaller(t, victim, syscall.SIGSTOP), signaller(t, victim, syscall.SIGCONT)
			}
			const begins, gone, returned = 0, 1, 2
			at, when := begins, time.Time{}
			x, err := search(t, url, "paxos", spec.Config{Params: map[string]string{"proposers": "3"}}, func(o *options.Options) {
				o.MaxDepth = 19
				o.Progress = func(states, _, _, _ int) {
					st, err := StatusOf(t.Context(), url, Security{})
					switch {
					case err != nil:
					case at == begins && states > 20_000 && len(st.Workers) == 2:
						leave()
						at, when = gone, time.Now()
					case at == gone && len(st.Workers) == 1 && states > 400_000:
						back()
						t.Logf("it is back after %v, at %d states", time.Since(when).Round(time.Millisecond), states)
						at = returned
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if at != returned || x.States != 4_479_288 || x.Transitions != 22_435_113 {
				t.Errorf("at %d: got %d states, %d transitions, stopped by %q, want 4479288, 22435113", at, x.States, x.Transitions, x.Stopped)
			}
		})
	}
}

func signaller(t *testing.T, cmd *exec.Cmd, sig os.Signal) func() {
	return func() {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Error(err)
		}
	}
}
