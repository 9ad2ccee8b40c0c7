package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"go/constant"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-delve/delve/pkg/proc"
	"github.com/go-delve/delve/pkg/proc/native"

	"github.com/macemc/macemc/internal/inspect"
)

// program has the names in the test binary that the debugger needs: functions where it stops, and variables.
type program struct {
	atOperation string // before the operation breakAt
	atBegin     string // before a run
	atEnd       string // after a run, while its goroutines exist
	breakAt     string // number of an operation
	executed    string // number of executed operations, including the one where the run stops
	cut         string // the run ends before its next operations
	number      string // of a goroutine in its bubble, from 1 on
	repeats     string // the latest run had the outcome of the first one
	unfit       string // why the run ends before the end of its file; empty means that there is no such variable
	bubbles     string // of nodes, by node; empty means that there are no nodes
	fullRuns    int    // number of whole runs of a new process, which show whether it can execute the schedule again
}

var (
	// scheduled executes the schedule of a test.
	scheduled = program{
		atOperation: "runtime.macemcBreak", atBegin: "testing/internal.runBegins", atEnd: "testing.macemcKill",
		breakAt: "runtime.macemcBreakAt", executed: "runtime.macemcT.executed", cut: "runtime.macemcT.cut",
		number: "runtime.curg.macemc.test.number", repeats: `"testing/internal".repeats`, fullRuns: 2,
	}
	// replayed executes the run of a system. Its operations are the states of the run.
	replayed = program{
		atOperation: tasks + ".stateReached", atBegin: tasks + ".runBegins", atEnd: tasks + ".runEnds",
		breakAt: `"` + tasks + `".breakAt`, executed: `"` + tasks + `".reached`, cut: `"` + tasks + `".cut`,
		number: "runtime.curg.macemc.macemcCommonG.id", repeats: `"` + tasks + `".repeats`,
		unfit: `"` + tasks + `".unfit`, bubbles: `"` + tasks + `".bubbles`,
	}
)

// tasks is the package that executes the run of a system for the debugger.
const tasks = "github.com/macemc/macemc/internal/task"

// ownGoroutines is the number of goroutines of the run outside the test.
const ownGoroutines = 2

// process is a test binary that executes a schedule again and again. Its methods are not safe for concurrent use, except kill.
type process struct {
	program
	args     []string
	group    *proc.TargetGroup // nil means that there is no process
	pid      atomic.Int64      // 0 means that there is no process
	at       uint64            // address of the variable breakAt
	nodes    []uint64          // bubbles of the nodes at the stop
	stop     inspect.Stop
	running  bool // a run has begun, and not ended
	launched bool
	once     bool   // only the first run of a process follows the schedule
	goroot   string // source folder of the distribution
	selected int64  // goroutine of the stop
	ids      []goroutine
	lines    []*proc.LogicalBreakpoint
	within   within // handler of the stop
}

// kill ends the process and waits for its end, for a second at most.
func (p *process) kill() {
	pid := int(p.pid.Swap(0))
	if pid == 0 {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for range 100 {
		var status syscall.WaitStatus
		if ended, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); err != nil || ended == pid && (status.Exited() || status.Signaled()) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// launch starts the process. Unless only its first run follows the schedule, fullRuns are executed before.
func (p *process) launch() error {
	p.launched = true
	group, err := native.Launch(p.args, "", 0, nil, "", "", proc.OutputRedirect{File: os.Stderr}, proc.OutputRedirect{File: os.Stderr})
	if err != nil {
		return explained(err)
	}
	p.group, p.running, p.ids, p.lines = group, false, nil, nil
	p.pid.Store(int64(group.Selected.Pid()))
	for _, b := range group.LogicalBreakpoints { // of Delve, at panics
		if err := group.SetBreakpointEnabled(b, false); err != nil {
			return err
		}
	}
	for _, function := range []string{p.atOperation, p.atBegin, p.atEnd} {
		if _, err := p.set(proc.SetBreakpoint{FunctionName: function}, ""); err != nil {
			return fmt.Errorf("the test cannot be debugged: %w", err)
		}
	}
	v, err := p.value(p.breakAt)
	if err != nil {
		return err
	}
	p.at = v.Addr
	if file, _, fn := group.Selected.BinInfo().PCToLine(p.entry("runtime.gopark")); fn != nil {
		p.goroot = filepath.Dir(filepath.Dir(file)) + string(filepath.Separator)
	}
	if p.once {
		return p.begin()
	}
	for range p.fullRuns + 1 {
		if err := p.begin(); err != nil {
			return err
		}
	}
	if v, err := p.value(p.repeats); err != nil || v.Value == nil || !constant.BoolVal(v.Value) {
		return errAgain
	}
	return nil
}

// errAgain asks for a new process of the test, with a new debugger: only the first run of a process follows the schedule, or the process
// has ended.
var errAgain = errors.New("a new process is needed")

// explained returns an error that describes what is missing to start a process in the debugger.
func explained(err error) error {
	if errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "operation not permitted") {
		return fmt.Errorf("no permission to trace processes (ptrace): a container needs the capability SYS_PTRACE, and a seccomp "+
			"profile that permits ptrace; elsewhere, /proc/sys/kernel/yama/ptrace_scope must be below 3: %w", err)
	}
	return fmt.Errorf("the debugger cannot start the test: %w", err)
}

func (p *process) entry(function string) uint64 {
	if fns, err := p.group.Selected.BinInfo().FindFunction(function); err == nil && len(fns) > 0 {
		return fns[0].Entry
	}
	return 0
}

// set sets a breakpoint.
func (p *process) set(at proc.SetBreakpoint, condition string) (*proc.LogicalBreakpoint, error) {
	id := len(p.group.LogicalBreakpoints) + 1
	for p.group.LogicalBreakpoints[id] != nil {
		id++
	}
	b := &proc.LogicalBreakpoint{LogicalID: id, HitCount: map[int64]uint64{}, Set: at}
	p.group.LogicalBreakpoints[id] = b
	err := p.group.ChangeBreakpointCondition(b, condition, "", false)
	if err == nil {
		err = p.group.SetBreakpointEnabled(b, true)
	}
	if err != nil {
		delete(p.group.LogicalBreakpoints, id)
		return nil, err
	}
	return b, nil
}

// value returns a variable of the process, which is loaded.
func (p *process) value(name string) (*proc.Variable, error) {
	s, err := proc.ThreadScope(p.group.Selected, p.group.Selected.CurrentThread())
	if err != nil {
		return nil, err
	}
	return s.EvalExpression(name, proc.LoadConfig{MaxVariableRecurse: 1, MaxStructFields: -1, MaxArrayValues: 1000, MaxStringLen: 1000})
}

func (p *process) count() (uint64, error) {
	v, err := p.value(p.executed)
	if err != nil {
		return 0, err
	}
	n, _ := constant.Uint64Val(v.Value)
	return n, nil
}

// stopAt sets the operation before which the run stops; 0 means none.
func (p *process) stopAt(operation uint64) error {
	_, err := p.group.Selected.Memory().WriteMemory(p.at, binary.LittleEndian.AppendUint64(nil, operation))
	return err
}

// errEnded is the error of a process that has ended.
var errEnded = errors.New("the process of the test ends here, before the next stop")

// resume continues the process by a function, and returns the reason of its next stop. It is empty at the beginning of a run.
func (p *process) resume(f func() error) (inspect.Reason, error) {
	p.ids, p.within = nil, within{}
	err := f()
	if _, exited := errors.AsType[proc.ErrProcessExited](err); exited || errors.Is(err, syscall.ESRCH) {
		p.kill()
		p.group = nil
		p.stop = inspect.Stop{}
		return "", errEnded
	}
	if err != nil {
		return "", err
	}
	t := p.group.Selected
	reason := inspect.AtLine
	if b := t.CurrentThread().Breakpoint(); b.Breakpoint != nil && b.Active && b.Logical != nil {
		switch b.Logical.Set.FunctionName {
		case p.atOperation:
			reason = inspect.AtOperation
		case p.atEnd:
			reason = inspect.AtEnd
		case p.atBegin:
			reason = ""
		default:
			if !b.Stepping {
				reason = inspect.AtBreakpoint
			}
		}
	}
	if reason != inspect.AtLine {
		if err := p.group.ClearSteppingBreakpoints(); err != nil {
			return "", err
		}
	}
	return reason, p.locate(reason)
}

// locate sets the stop.
func (p *process) locate(reason inspect.Reason) (err error) {
	p.running = reason != "" && reason != inspect.AtEnd
	p.stop, p.selected = inspect.Stop{Reason: reason}, 0
	if reason == "" {
		return nil
	}
	if p.stop.Operation, err = p.count(); err != nil || reason == inspect.AtEnd {
		return err
	}
	if p.bubbles != "" {
		if err := p.readNodes(); err != nil {
			return err
		}
	}
	if g := p.group.Selected.SelectedGoroutine(); g != nil {
		p.selected, p.stop.Goroutine = g.ID, p.numberOf(g)
	}
	return nil
}

// numberOf returns the number of a goroutine in the test; 0 or less means that it is another one.
func (p *process) numberOf(g *proc.G) int {
	s, err := proc.ConvertEvalScope(p.group.Selected, g.ID, 0, 0)
	if err != nil {
		return 0
	}
	v, err := s.EvalExpression(p.number, members)
	if err != nil || v.Value == nil {
		return 0
	}
	n, _ := constant.Int64Val(v.Value)
	if n -= ownGoroutines; n <= 0 || p.bubbles == "" {
		return int(n)
	}
	bubble, err := s.EvalExpression("runtime.curg.bubble", members)
	if err != nil || len(bubble.Children) == 0 || bubble.Children[0].Addr == 0 {
		return 0
	}
	if bubble, err = s.EvalExpression("runtime.curg.bubble.id", members); err != nil || bubble.Value == nil {
		return 0
	}
	id, _ := constant.Uint64Val(bubble.Value)
	return inspect.OfNode(slices.Index(p.nodes, id), int(n))
}

// readNodes reads the bubbles of the nodes.
func (p *process) readNodes() error {
	v, err := p.value(p.bubbles)
	if err != nil {
		return err
	}
	p.nodes = nil
	for i := range v.Children {
		n, _ := constant.Uint64Val(v.Children[i].Value)
		p.nodes = append(p.nodes, n)
	}
	return nil
}

// begin ends the run in progress, and continues to the beginning of the next one.
func (p *process) begin() error {
	if err := p.stopAt(0); err != nil {
		return err
	}
	if p.running {
		v, err := p.value(p.cut)
		if err != nil {
			return err
		}
		if _, err := p.group.Selected.Memory().WriteMemory(v.Addr, []byte{1}); err != nil {
			return err
		}
	}
	if err := p.clearLines(); err != nil {
		return err
	}
	for {
		reason, err := p.resume(p.group.Continue)
		if reason == "" {
			return err
		}
	}
}

// move moves to an operation. 0 means the beginning of a run.
func (p *process) move(operation uint64) (inspect.Stop, error) {
	switch {
	case p.group == nil && p.launched:
		return p.stop, errAgain
	case p.group == nil:
		if err := p.launch(); err != nil {
			return p.stop, err
		}
	case p.stop.Reason == inspect.AtOperation && p.stop.Operation == operation:
		return p.stop, nil
	case p.stop.Reason == "" && !p.running: // at the beginning
	case operation > p.stop.Operation && p.running:
	case p.once:
		return p.stop, errAgain
	default:
		if err := p.begin(); err != nil {
			return p.stop, err
		}
	}
	if operation == 0 {
		return p.stop, nil
	}
	if err := errors.Join(p.stopAt(operation), p.clearLines()); err != nil {
		return p.stop, err
	}
	_, err := p.resume(p.group.Continue)
	if err == nil && (p.stop.Reason != inspect.AtOperation || p.stop.Operation != operation) {
		err = p.endedEarly(operation)
	}
	return p.stop, err
}

// endedEarly returns the error of a run that ends before an operation, with the reason if the process has it.
func (p *process) endedEarly(operation uint64) error {
	err := fmt.Errorf("the run ends after operation %d, before operation %d", p.stop.Operation, operation)
	if p.unfit == "" {
		return err
	}
	if v, e := p.value(p.unfit); e == nil && v.Value != nil && constant.StringVal(v.Value) != "" {
		err = fmt.Errorf("%w: %s", err, constant.StringVal(v.Value))
	}
	return err
}
