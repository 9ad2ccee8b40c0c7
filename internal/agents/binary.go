package agents

import (
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/testflags"
	"github.com/macemc/macemc/internal/testsched"
)

// Binary is a test binary.
type Binary struct {
	Start   []string // the words of the user's -exec, and the file
	Args    []string
	Environ []string // of its processes
	Stage   string   // see [testsched.VariableStage]
	Status  int      // of earlier stages
	Quiet   bool     // see testsched.Call
	Running *Processes
}

// descriptor is the number of the descriptor by which a process of a test binary is connected. It is large, so that the tests get the
// descriptors that they get from go test.
const descriptor = 100

// Streams are the standard streams of a process; nil means the null device.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Open starts a process with some environment variables changed.
func (b *Binary) Open(args, env []string, streams Streams) (*Session, error) {
	cmd := exec.Command(b.Start[0], slices.Concat(b.Start[1:], args)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = streams.In, streams.Out, streams.Err
	cmd.Env = slices.Concat(b.Environ, env, []string{testsched.VariableAgent + "=" + strconv.Itoa(descriptor)})
	child.EndWithParent(cmd)
	stream, other, err := connect()
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = append(make([]*os.File, descriptor-3), other)
	x := &Session{Connection: testsched.Connect(stream), cmd: cmd, close: func() { stream.Close() }, start: b.startPoints(),
		running: b.Running, ended: make(chan struct{})}
	err = b.Running.start(x)
	other.Close()
	if err != nil {
		stream.Close()
		return nil, err
	}
	return x, nil
}

// Tests lists the tests, fuzz tests and examples of the binary, in the order in which they are executed.
func (b *Binary) Tests() (names []string) {
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.Start[0], slices.Concat(b.Start[1:], []string{"-test.list=^(Test|Fuzz|Example)"})...)
	cmd.Env = b.Environ
	child.EndWithParent(cmd)
	out, _ := cmd.Output()
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); listed.MatchString(line) {
			names = append(names, line)
		}
	}
	return names
}

// listTime is the time limit of a process that lists tests.
const listTime = 10 * time.Second

var listed = regexp.MustCompile(`^(Test|Fuzz|Example)[\pL\d_]*$`)

// startPoints returns a number of points that runs pass in a multiple of the time in which another process starts. It depends on the size
// of the file, so that equal seeds have equal results. 0 means unknown.
func (b *Binary) startPoints() uint64 {
	const least, bytesPerPoint = 1 << 18, 16
	info, err := os.Stat(b.Start[len(b.Start)-1])
	if err != nil {
		return 0
	}
	return max(least, uint64(info.Size())/bytesPerPoint)
}

// Unconnected says why a process of a binary has not called.
var Unconnected = "the program of -exec closes descriptor " + strconv.Itoa(descriptor) + ", or changes the environment"

// Variables returns the variables of the environment that depend on the stage, and that with the flag -timeout.
func (b *Binary) Variables(timeout time.Duration) []string {
	return []string{testsched.VariableStage + "=" + b.Stage, testsched.VariableStatus + "=" + strconv.Itoa(b.Status),
		testsched.VariableTimeout + "=" + testsched.Timeout(timeout).String()}
}

// Next makes b the process of the stage that follows a process which has asked for it, and has ended with a status.
func (b *Binary) Next(flags testflags.Flags, call *testsched.Call) {
	replaced := []string{"-test.timeout", "-test.testlogfile", "-test.bench"}
	args := []string{"-test.timeout=" + call.Left.String()}
	if !call.All {
		var patterns []string
		for _, test := range call.Later {
			patterns = append(patterns, flags.Selection(test))
		}
		args, replaced = append(args, "-test.run="+strings.Join(patterns, "|")), append(replaced, "-test.run")
	}
	for _, arg := range b.Args {
		if name, _, _ := strings.Cut(arg, "="); !slices.Contains(replaced, name) {
			args = append(args, arg)
		}
	}
	b.Args = args
	if b.Stage == testsched.StageBegin || call.All {
		b.Stage = testsched.StagePlain
	} else {
		b.Stage = testsched.StageBegin
	}
	b.Status, b.Quiet = call.Status, call.Quiet
}
