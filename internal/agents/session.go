package agents

import (
	"cmp"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/internal/testsched"
)

// Session is a process of a test binary.
type Session struct {
	*testsched.Connection
	Connected bool // the process has called
	Damaged   bool // it has sent something else than a message
	cmd       *exec.Cmd
	close     func()
	running   *Processes
	ended     chan struct{} // closed when the process has ended
	start     uint64        // see startPoints
	base      int64         // address of a function of the process
	processor time.Duration // processor time of the process, if it has not ended
}

// live is the processor time of those processes that have not ended.
var live atomic.Int64

// Process returns the process.
func (x *Session) Process() *os.Process { return x.cmd.Process }

// Wait waits for the end of the process, which ends if it still expects requests.
func (x *Session) Wait() *os.ProcessState {
	x.close()
	x.cmd.Wait()
	x.running.end(x)
	live.Add(-int64(x.processor)) // the processor time of this process includes it
	return x.cmd.ProcessState
}

// receive receives a call or a response.
func (x *Session) receive(m any) error {
	err := x.Receive(m)
	x.Damaged = x.Damaged || err == testsched.ErrDamaged
	return err
}

// lost is the value of the panic that ends the work with a process that has ended.
type lost struct{}

// ask returns the answer of a process to a request. It panics if the process has ended.
func (x *Session) ask(q *testsched.Request) *testsched.Response {
	var r testsched.Response
	if x.Send(q) != nil || x.receive(&r) != nil {
		panic(lost{})
	}
	x.used(r.Processor)
	return &r
}

// used sets the processor time of the process.
func (x *Session) used(t time.Duration) {
	live.Add(int64(t - x.processor))
	x.processor = t
}

// working calls f, and reports whether the process has not ended meanwhile.
func working(f func()) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok = p.(lost); !ok {
				panic(p)
			}
			ok = false
		}
	}()
	f()
	return true
}

// Serve answers the calls of a process until it ends. It returns false if the process ended during a call.
func (x *Session) Serve(answer func(*testsched.Call) testsched.Verdict) bool {
	for {
		var call testsched.Call
		if x.receive(&call) != nil {
			return true
		}
		if call.What == testsched.Connects {
			x.Connected, x.base = true, call.Base
			continue
		}
		if call.What == testsched.Explores { // what it did before is no part of this exploration
			x.used(call.Processor)
		}
		call.Package = cmp.Or(testsched.PackagePath, call.Package)
		q := testsched.Request{What: testsched.Concludes}
		if !working(func() { q.Verdict = answer(&call) }) {
			return false
		}
		if call.What != testsched.Continues && x.Send(&q) != nil {
			return true
		}
	}
}
