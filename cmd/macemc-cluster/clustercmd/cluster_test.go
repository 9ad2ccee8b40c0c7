package clustercmd_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc-cluster/clustercmd"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/test/toys"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// execute executes a command line of p.
func execute(ctx context.Context, p *task.Process, line string) error {
	root := &cobra.Command{Use: "macemc", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(clustercmd.Commands(p)...)
	root.SetArgs(strings.Fields(line))
	return root.ExecuteContext(ctx)
}

// output returns what a command line prints.
func output(t *testing.T, line string) string {
	t.Helper()
	var out bytes.Buffer
	if err := execute(t.Context(), &task.Process{Stdout: &out, Stderr: t.Output()}, line); err != nil {
		t.Errorf("%s: got error %v, want none", line, err)
	}
	return out.String()
}

// up runs "cluster up" until the end of the test, and returns the URL that it prints.
func up(t *testing.T, flags string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- execute(ctx, &task.Process{Stdout: w, Stderr: t.Output()}, "cluster up --listen 127.0.0.1:0 "+flags)
		w.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("cluster up: got error %v, want none", err)
		}
	})
	url, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(url, "\n")
}

func TestCommands_RejectArguments(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what is not rejected ends
	const url = "nats://127.0.0.1:1"
	for line, want := range map[string]string{
		"cluster stat":                             `macemc cluster: unknown command "stat"; the commands are up, status, drain and abort`,
		"cluster status":                           "macemc cluster status takes URL, got []; see macemc cluster status --help",
		"cluster abort a b":                        `macemc cluster abort takes URL, got ["a" "b"]; see macemc cluster abort --help`,
		"cluster drain " + url:                     `macemc cluster drain takes URL and WORKER, got ["` + url + `"]; see macemc cluster drain --help`,
		"cluster drain a 0":                        `"0" is not a worker: give its number as in macemc cluster status`,
		"cluster drain a first":                    `"first" is not a worker: give its number as in macemc cluster status`,
		"worker":                                   "missing --join URL: give the URL that macemc cluster up prints",
		"worker --memory -1 --join " + url:         "--memory is -1, must be 0 to 1073741824",
		"worker --memory 1073741825 --join " + url: "--memory is 1073741825, must be 0 to 1073741824",
	} {
		if err := execute(ctx, &task.Process{Stdout: t.Output(), Stderr: t.Output()}, line); fmt.Sprint(err) != want {
			t.Errorf("%s: got error %v, want %s", line, err, want)
		}
	}
}

func TestCommands_ReportAServerWithoutSearch(t *testing.T) {
	url := up(t, "--dir "+t.TempDir())
	const none = "there is no search\n"
	for line, want := range map[string]string{
		"cluster status " + url:       none,
		"cluster drain " + url + " 1": none,
		"cluster abort " + url:        none,
		"cluster status --json " + url: `{
  "run": "",
  "system": "",
  "states": 0,
  "waiting": 0,
  "transitions": 0,
  "depth": 0,
  "superstep": 0,
  "epoch": 0,
  "workers": [],
  "servers": []
}
`,
	} {
		if got := output(t, line); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestClusterUp_RemovesItsTemporaryFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	count := func() int {
		all, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	t.Run("server", func(t *testing.T) {
		up(t, "")
		if n := count(); n != 1 {
			t.Errorf("with a server: got %d folders, want 1", n)
		}
	})
	if n := count(); n != 0 {
		t.Errorf("without a server: got %d folders, want 0", n)
	}
}

// gated returns a system of 8 states in a row. The fifth is visited when the gate is closed.
func gated(gate <-chan struct{}) []spec.Entry {
	return []spec.Entry{{Name: "gated", MinNodes: 2, MaxNodes: 2, DefaultNodes: 2, Build: func(spec.Config) (sim.System, error) {
		sys := toys.Ticking(6, 0)
		sys.Properties = []sim.Property{{Name: "gate", Always: func(v *sim.View) bool {
			if v.Service(0).(*toys.Ticker).Ticks == 4 {
				<-gate
			}
			return true
		}}}
		return *sys, nil
	}}}
}

// search searches the gated system by workers, and sends its result.
func search(t *testing.T, url string) <-chan string {
	t.Helper()
	gate := make(chan struct{})
	close(gate)
	entries := gated(gate)
	sys, err := entries[0].New(spec.Config{})
	if err != nil {
		t.Fatal(err)
	}
	visited, err := stateset.Named(stateset.Fingerprints128)
	if err != nil {
		t.Fatal(err)
	}
	p := &task.Process{Systems: entries, Stderr: t.Output()}
	clustercmd.Commands(p)
	explore, err := p.Cluster(task.Cluster{URL: url}, task.ClusterJob{Build: task.ClusterBuild(), Title: "gated",
		Job: json.RawMessage(`{"Subject":{"System":"gated"}}`), Visited: string(stateset.Fingerprints128)})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string, 1)
	go func() {
		x, err := explore(t.Context(), &sys, options.Options{Visited: visited})
		if err != nil {
			done <- err.Error()
			return
		}
		done <- fmt.Sprintf("%d states, %d transitions, complete %v", x.States, x.Transitions, x.Complete)
	}()
	return done
}

func TestClusterAbort_EndsASearchWithoutWorkers(t *testing.T) {
	url := up(t, "--dir "+t.TempDir())
	done := search(t, url)
	run := await(t, "cluster status "+url, `run          (\w+): gated
states       1; 1 not yet expanded
transitions  0
depth        0
superstep    0, epoch 0
`)
	if got, want := output(t, "cluster abort "+url), "run "+run+" is removed\n"; got != want {
		t.Errorf("cluster abort: got %q, want %q", got, want)
	}
	if got, want := <-done, "run "+run+" was removed"; !strings.HasPrefix(got, want) {
		t.Errorf("the search: got %s, want %s", got, want)
	}
}

func TestWorker_VisitsTheStatesOfASearch(t *testing.T) {
	url := up(t, "--dir "+t.TempDir())
	gate := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- execute(ctx, &task.Process{Systems: gated(gate), Stdout: t.Output(), Stderr: t.Output()}, "worker --join "+url)
	}()
	done := search(t, url)
	await(t, "cluster status "+url, `run          (\w+): gated
states       4; 1 not yet expanded
transitions  3
depth        3
superstep    3, epoch 1
worker 1     \S+:`+strconv.Itoa(os.Getpid())+`: 4 states in 12 parts; it leads
`)
	err := execute(t.Context(), new(task.Process), "cluster drain "+url+" 1")
	if want := "worker 1 is the only one, "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("cluster drain: got error %v, want %s", err, want)
	}
	close(gate)
	if got, want := <-done, "8 states, 7 transitions, complete true"; got != want {
		t.Errorf("the search: got %s, want %s", got, want)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the worker: got error %v, want none", err)
	}
}

// await repeats a command line until its output matches, and returns the submatch.
func await(t *testing.T, line, want string) string {
	t.Helper()
	re, got := regexp.MustCompile("^(?:"+want+")$"), ""
	for range 100 {
		got = output(t, line)
		if m := re.FindStringSubmatch(got); m != nil {
			return m[1]
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s: got %s, want %s", line, got, want)
	return ""
}
