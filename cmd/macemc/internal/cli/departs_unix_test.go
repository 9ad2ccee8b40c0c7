//go:build unix

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// departures counts the steps that this process has executed.
var departures atomic.Int64

// departs is a system in which a goroutine of the second step ends the process: a second later, during slow steps, or at
// the second step that its process executes.
var departs = spec.Entry{
	Name: "departs", Summary: "ends its process late", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
	Params: []spec.Param{{Name: "by", Kind: spec.OneOf, Default: "exit", Values: []string{"exit", "panic", "second"}, Help: "how it ends"}},
	Build: func(c spec.Config) (sim.System, error) {
		end := func() {
			time.Sleep(time.Second)
			switch {
			case os.Getenv("DEPARTS_NEVER") != "":
			case c.Text("by") == "panic":
				panic("departed")
			default:
				os.Exit(exitcode.Violation)
			}
		}
		return sim.System{
			Name: "departs", Nodes: 1, New: func(sim.NodeID) sim.Service { return &labourer{} },
			Actions: []sim.AnyAction{sim.Action[*labourer]{Name: "go", Times: 6, Do: func(s *labourer, _ sim.Env) {
				s.Count++
				switch n := departures.Add(1); {
				case c.Text("by") == "second":
					if n == 2 {
						go os.Exit(exitcode.Violation)
					}
				case s.Count == 2:
					go end()
				case s.Count > 2:
					time.Sleep(300 * time.Millisecond)
				}
			}}},
		}, nil
	},
}

// Every command shows a run in which a goroutine ends the process after its step, or says what to use in its place.
func TestDeparts(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for goroutines")
	}
	t.Parallel()
	all := newWaiting()
	defer all.Wait()
	for by, ended := range map[string]string{
		"exit":  "a goroutine that the handler of step 2 started",
		"panic": "a goroutine started by github.com/macemc/macemc/cmd/macemc/internal/cli.init.func",
	} {
		all.run(t, by, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join("out", outfolder.ErrorPath)
			out, err := command(dir, "search", "departs", "--set", "by="+by, "--engine", "replay", "--workers", "1", "--out", "out").CombinedOutput()
			if text := strings.Join(strings.Fields(string(out)), " "); exitCode(err) != exitcode.Violation || !strings.Contains(text, ended) || !strings.Contains(text, "1 go Count 0->1") {
				t.Fatalf("%s: exit status %d\n%s", by, exitCode(err), out)
			}
			commands := newWaiting()
			defer commands.Wait()
			for _, c := range []struct {
				args        string
				status      int
				said, other string // with another process that does not end
				otherStatus int
			}{
				{"replay", exitcode.Violation, "the finding that the file records recurs: panic", "the finding that the file records does not recur: panic", exitcode.Inconclusive},
				{"report --format text", exitcode.OK, "1  go                            Count 0->1", "the run contains no violation", exitcode.Usage},
				{"graph", exitcode.OK, "!! panic: ", "   2  go ", exitcode.OK},
				{"mdb --batch -x end", exitcode.OK, "step 2 is not executed here: ", "step 2 is not executed here: step 2 starts a goroutine", exitcode.OK},
				{"shrink", exitcode.Usage, "the run cannot be shrunk: ", "the run cannot be shrunk: step 2 starts a goroutine", exitcode.Usage},
				{"critical", exitcode.Usage, "macemc replay " + file + " shows the run", "macemc replay " + file + " shows the run", exitcode.Usage},
			} {
				commands.run(t, c.args, func(t *testing.T) {
					name, flags, _ := strings.Cut(c.args, " ")
					args := append([]string{name, file}, strings.Fields(flags)...)
					out, err := command(dir, args...).CombinedOutput()
					if exitCode(err) != c.status || !strings.Contains(string(out), c.said) || c.status != exitcode.OK && !strings.Contains(string(out), ended) {
						t.Errorf("%s: %s: exit status %d, want %d and %q\n%s", by, c.args, exitCode(err), c.status, c.said, out)
					}
					if by != "exit" {
						return
					}
					again := command(dir, args...)
					again.Env = append(again.Env, "DEPARTS_NEVER=1")
					out, err = again.CombinedOutput()
					if exitCode(err) != c.otherStatus || !strings.Contains(string(out), c.other) {
						t.Errorf("%s does not recur: exit status %d, want %d and %q\n%s", c.args, exitCode(err), c.otherStatus, c.other, out)
					}
				})
			}
		})
	}
}

// A run that ends its process only when it is not the first run of that process is reported in all forms.
func TestDeparts_Second(t *testing.T) {
	for _, strategy := range []string{"deepening", "walk", "bfs"} {
		if testing.Short() && strategy == "walk" {
			continue
		}
		dir := t.TempDir()
		cmd := command(dir, "search", "departs", "--set", "by=second", "--strategy", strategy, "--workers", "1", "--out", "out", "--json", "--junit", "junit.xml")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		var rep struct {
			Verdict, Message string
			PathFile         string `json:"path_file"`
		}
		if e := json.Unmarshal(out, &rep); e != nil || exitCode(err) != exitcode.Violation || rep.Verdict != "violation" || !strings.Contains(rep.Message, "ends the process with exit status 1") {
			t.Errorf("%s: %v, exit status %d\n%s%s", strategy, e, exitCode(err), out, &stderr)
			continue
		}
		if junit, err := os.ReadFile(filepath.Join(dir, "junit.xml")); err != nil || !strings.Contains(string(junit), rep.Message) {
			t.Errorf("%s: %v\n%s", strategy, err, junit)
		}
		if text, err := os.ReadFile(filepath.Join(dir, rep.PathFile)); err != nil || !strings.Contains(string(text), "action n0 go") {
			t.Errorf("%s: %v, %+v\n%s", strategy, err, rep, text)
		}
	}
}
