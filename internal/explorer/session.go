package explorer

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/procgroup"
	"github.com/macemc/macemc/internal/testsched"
)

// binary is a test binary.
type binary struct {
	start   []string // the words of the user's -exec, and the file
	args    []string
	environ []string // of its processes
	stage   string   // see [testsched.VariableStage]
	status  int      // of earlier stages
	read    []string // files that explorations depend on
}

// session is a process of a test binary.
type session struct {
	*testsched.Connection
	cmd       *exec.Cmd
	close     func()
	processor time.Duration // processor time of the process, if it has not ended
	connected bool          // the process has called
	damaged   bool          // it has sent something else than a message
}

// descriptor is the number of the descriptor by which a process of a test binary is connected. It is large, so that the tests get the
// descriptors that they get from go test.
const descriptor = 100

// open starts a process with some environment variables changed.
func (b *binary) open(args, env []string, streams [3]*os.File) (*session, error) {
	cmd := exec.Command(b.start[0], slices.Concat(b.start[1:], args)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = streams[0], streams[1], streams[2]
	cmd.Env = slices.Concat(b.environ, env, []string{testsched.VariableAgent + "=" + strconv.Itoa(descriptor)})
	procgroup.EndWithParent(cmd)
	stream, other, err := connect()
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = append(make([]*os.File, descriptor-3), other)
	err = cmd.Start()
	other.Close()
	if err != nil {
		stream.Close()
		return nil, err
	}
	return &session{Connection: testsched.Connect(stream), cmd: cmd, close: func() { stream.Close() }}, nil
}

// wait waits for the end of the process, which ends if it still expects requests.
func (x *session) wait() *os.ProcessState {
	x.close()
	x.cmd.Wait()
	agents.Add(-int64(x.processor)) // [program.ProcessorTime] includes it
	return x.cmd.ProcessState
}

// receive receives a call or a response.
func (x *session) receive(m testsched.Message) error {
	err := x.Receive(m)
	x.damaged = x.damaged || err == testsched.ErrDamaged
	return err
}

// lost is the value of the panic that ends the work with a process that has ended.
type lost struct{}

// ask returns the answer of a process to a request. It panics if the process has ended.
func (x *session) ask(q *testsched.Request) *testsched.Response {
	var r testsched.Response
	if x.Send(q) != nil || x.receive(&r) != nil {
		panic(lost{})
	}
	agents.Add(int64(r.Processor - x.processor))
	x.processor = r.Processor
	return &r
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

// remote executes a test in a process.
type remote struct {
	*session
	s      *Settings
	part   string // subtest; empty means the whole test
	record string // see testsched.Manner
}

// Run implements [testsched.Runner].
func (r *remote) Run(s *testsched.Schedule, traced bool) *testsched.Outcome {
	return r.execute([]*testsched.Schedule{s}, traced)[0]
}

// batch implements [batcher].
func (r *remote) batch(list []*testsched.Schedule) []*testsched.Outcome {
	return r.execute(list, false)
}

// batcher executes several schedules, see Config.Batch.
type batcher interface {
	batch([]*testsched.Schedule) []*testsched.Outcome
}

func (r *remote) execute(list []*testsched.Schedule, traced bool) []*testsched.Outcome {
	for _, s := range list {
		s.Hasty, s.Record = r.s.SkipPatience, r.record
	}
	return r.ask(&testsched.Request{What: testsched.Run, Part: r.part, Schedules: list, Traced: traced,
		Executed: r.s.runs.executed, Dies: r.s.runs.dies}).Outcomes
}

// Changed implements [testsched.Runner].
func (r *remote) Changed() []string {
	return r.ask(&testsched.Request{What: testsched.Changed, Part: r.part}).Names
}

// locate implements [locator].
func (r *remote) locate(at []uintptr) []string {
	return r.ask(&testsched.Request{What: testsched.Located, Places: at}).Names
}

// Subtests implements [testsched.Divisible].
func (r *remote) Subtests() []testsched.Subtest {
	return r.ask(&testsched.Request{What: testsched.Subtests, Part: r.part}).Subtests
}

// Select implements [testsched.Divisible].
func (r *remote) Select(only string, without []string, shown bool) {
	r.ask(&testsched.Request{What: testsched.Select, Part: r.part, Only: only, Without: without, Shown: shown})
}

// Part implements [testsched.Divisible].
func (r *remote) Part(test string) testsched.Runner { return &remote{r.session, r.s, test, r.record} }

// serve answers the calls of a process until it ends. It returns false if the process ended during a call.
func (x *session) serve(answer func(*testsched.Call) testsched.Verdict) bool {
	for {
		var call testsched.Call
		if x.receive(&call) != nil {
			return true
		}
		if call.What == testsched.Connects {
			x.connected = true
			continue
		}
		q := testsched.Request{What: testsched.Concludes}
		if !working(func() { q.Verdict = answer(&call) }) {
			return false
		}
		if call.What != testsched.Continues && x.Send(&q) != nil {
			return true
		}
	}
}

// next makes b the process of the stage that follows a process which has asked for it, and has ended with a status.
func (b *binary) next(s *Settings, call *testsched.Call) {
	replaced := []string{"-test.timeout", "-test.testlogfile", "-test.bench"}
	args := []string{"-test.timeout=" + call.Left.String()}
	if !call.All {
		var patterns []string
		for _, test := range call.Later {
			patterns = append(patterns, s.flags.Selection(test))
		}
		args, replaced = append(args, "-test.run="+strings.Join(patterns, "|")), append(replaced, "-test.run")
	}
	for _, arg := range b.args {
		if name, _, _ := strings.Cut(arg, "="); !slices.Contains(replaced, name) {
			args = append(args, arg)
		}
	}
	b.args = args
	if b.stage == testsched.StageBegin || call.All {
		b.stage = testsched.StagePlain
	} else {
		b.stage = testsched.StageBegin
	}
	b.status = call.Status
}
