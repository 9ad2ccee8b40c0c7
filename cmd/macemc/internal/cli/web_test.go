package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/mdb"
)

// webSession is a run of macemc mdb --web.
type webSession struct {
	t       *testing.T
	address string
	cancel  context.CancelFunc // as Ctrl-C does
	errs    bothStreams        // also written by the process of a package; complete after end
	end     chan int           // gets the exit status
}

func startWeb(t *testing.T, args ...string) *webSession {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	w := &webSession{t: t, cancel: cancel, end: make(chan int, 1)}
	out, in := io.Pipe()
	a := &app{Process: task.Process{
		Stdout: in, Stderr: &w.errs, Program: "macemc", Systems: testSystems(), Screen: showScreen, NoScreen: "standard input is no terminal",
	}}
	go func() {
		w.end <- a.run(ctx, append([]string{"mdb", "--web"}, args...))
		in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%q: exit status %d: %s", args, <-w.end, &w.errs.text)
	}
	w.address = strings.TrimSpace(line)
	return w
}

// do executes a command, as the page does.
func (w *webSession) do(line string) (text, failed string, at mdb.Position) {
	w.t.Helper()
	question, err := json.Marshal(map[string]string{"line": line})
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := http.Post(w.address+"do", "application/json", bytes.NewReader(question))
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Body.Close()
	var answer struct {
		Text, Error string
		View        mdb.View
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		w.t.Fatal(err)
	}
	return answer.Text, answer.Error, answer.View.At
}

// The address is printed, and Ctrl-C ends the server and lists what is lost.
func TestMdbWeb(t *testing.T) {
	t.Chdir(t.TempDir())
	w := startWeb(t, "pingack", "-x", "take 0")
	if !strings.HasPrefix(w.address, "http://127.0.0.1:") {
		t.Errorf("the address is %q", w.address)
	}
	if text, _, at := w.do(""); !strings.Contains(text, "(mdb) take 0\nbranch1 step 1 of 1: n0 ping") || at.Step != 1 {
		t.Errorf("%q at %+v", text, at)
	}
	if text, failed, at := w.do("take 1; save two.path"); at.Step != 2 || !strings.Contains(text, "2 steps are in two.path") {
		t.Errorf("%q, %q at %+v", text, failed, at)
	}
	w.do("take 0")
	w.cancel()
	if status := <-w.end; status != 0 || !strings.Contains(w.errs.text.String(), "macemc: not saved: branch1\n") {
		t.Errorf("exit status %d: %s", status, &w.errs.text)
	}
	// The file is a run of the system, which opens in the page as it does in a batch.
	w = startWeb(t, "two.path")
	if text, _, at := w.do("end"); at.Last != 2 || !strings.Contains(text, "step 2 of 2: n1 receives Ping{1} from n0") {
		t.Errorf("%q at %+v", text, at)
	}
	const script = "start; next; options; properties; take 2; state; diff; runs"
	batch, _, _ := run(t, "mdb", "two.path", "--batch", "-x", script)
	wanted := ""
	for line := range strings.Lines(batch) {
		if !strings.HasPrefix(line, "(mdb) ") {
			wanted += line
		}
	}
	if text, failed, _ := w.do(script); failed != "" || text != wanted || !strings.Contains(text, "branch1") {
		t.Errorf("%s: got\n%s\nwant\n%s", failed, text, wanted)
	}
	w.do("quit")
	w.do("quit")
	if status := <-w.end; status != 0 || strings.Contains(w.errs.text.String(), "not saved") {
		t.Errorf("exit status %d: %s", status, &w.errs.text)
	}
}

// A system in place of a file opens at its first state, and a saved branch is a path file of that system.
func TestMdb_System(t *testing.T) {
	t.Chdir(t.TempDir())
	stdout, stderr, status := run(t, "mdb", "twophase", "--batch", "-x", "info; options; take 0; save one.path")
	if status != 0 || stderr != "" || !strings.Contains(stdout, "branch1 step 1 of 1: ") {
		t.Errorf("exit status %d: %s\n%s", status, stderr, stdout)
	}
	if stdout, stderr, status := run(t, "replay", "one.path"); status != 0 || !strings.Contains(stdout, "1  ") {
		t.Errorf("exit status %d: %s\n%s", status, stderr, stdout)
	}
	if err := os.WriteFile("pingack", []byte("macemc path 7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"twophase", "one.path"}, "LIVE requires a run, and twophase is a system"},
		{[]string{"twophase", "--web", "--batch"}, "--web and --batch exclude each other"},
		{[]string{"pingak"}, "no such file"},
		{[]string{"none/error.path"}, "no such file"},
		{[]string{"./none"}, "no such file"},
		{[]string{"pingack"}, "version"}, // a file wins
		{[]string{".:TestX"}, "go.mod"},
	} {
		_, stderr, status := run(t, append([]string{"mdb"}, c.args...)...)
		if status != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit status %d: %s; want one with %q", c.args, status, stderr, c.want)
		}
	}
}

// dyingTest checks a system whose node can end its process.
const dyingTest = `package dying

import (
	"os"
	"testing"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

type service struct {
	sim.Nop
	N int
}

func TestDying(t *testing.T) {
	mctest.Check(t, sim.System{
		Name: "dying", Nodes: 1, New: func(sim.NodeID) sim.Service { return &service{} },
		Actions: []sim.AnyAction{
			sim.Action[*service]{Name: "count", Do: func(s *service, _ sim.Env) { s.N++ }},
			sim.Action[*service]{Name: "die", Do: func(*service, sim.Env) { os.Exit(7) }},
		},
		Properties: []sim.Property{{Name: "few", Always: sim.Each(func(_ sim.NodeID, s *service) bool { return s.N < 2 })}},
	})
}
`

// The system of a package's test is stepped through in the page. A run becomes a regression test. The death of the checked process is an
// error in the page, and ends the command as in the terminal.
func TestMdbWeb_Package(t *testing.T) {
	dir := testModule(t)
	folder := filepath.Join(dir, "dying")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "dying_test.go"), []byte(dyingTest), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	w := startWeb(t, "./dying:TestDying")
	if text, failed, at := w.do("take 0; take 0; save two.path; test"); failed != "" || at.Step != 2 || !strings.Contains(text, "SAFETY VIOLATION: few") {
		t.Errorf("%q, %q at %+v", text, failed, at)
	}
	for name, want := range map[string]string{
		"dying/regress_dying_1_test.go": `mctest.Replay(t, sim.System{`, "dying/testdata/regress/Dying_1.path": "0 action n0 count", "two.path": "0 action n0 count",
	} {
		if text, err := os.ReadFile(name); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v: %s", name, err, text)
		}
	}
	if _, failed, _ := w.do("take 0; save two.path"); !strings.Contains(failed, "exists already") {
		t.Errorf("the error is %q", failed)
	}
	if _, failed, _ := w.do("take 1"); failed != "the process that executes the run has ended" {
		t.Errorf("the error is %q", failed)
	}
	if status := <-w.end; status != exitcode.Inconclusive || !strings.Contains(w.errs.text.String(), "macemc: the process that executes the run has ended\n") {
		t.Errorf("exit status %d: %s", status, &w.errs.text)
	}
}
