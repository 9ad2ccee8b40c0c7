//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// lingers is a system that is slow in one phase of a search, or uses up a resource. Before it is slow, it writes the IDs of the searching
// process and of this process to the file sign.
var lingers = spec.Entry{
	Name: "lingers", Summary: "takes its time in a phase", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
	Params: []spec.Param{{
		Name: "in", Kind: spec.OneOf, Default: "search", Values: []string{"search", "confirm", "critical", "shrink", "write"}, Help: "the phase",
	}, {
		Name: "uses", Kind: spec.OneOf, Default: "time", Values: []string{"time", "disk", "memory", "sleep"},
		Help: "what a handler uses up: time, the disk of the working folder, or memory; or that a property sleeps",
	}},
	Build: func(c spec.Config) (sim.System, error) {
		in, uses := c.Text("in"), c.Text("uses")
		again := os.Getenv("MACEMC_ROLE") == "reexecute"
		inHand := func() string {
			text, _ := os.ReadFile(filepath.Join("out", check.SuspectPath))
			return string(text)
		}
		present := func() bool {
			switch in {
			case "search":
				return true
			case "confirm":
				return again
			case "critical":
				return !again && inHand() != ""
			case "shrink":
				_, err := os.Stat(filepath.Join("out", outfolder.ErrorPath))
				return !again && err == nil
			}
			return !again && strings.Contains(inHand(), "note confirmed: ")
		}
		linger := func() {
			switch uses {
			case "disk":
				fillDisk()
				return
			case "memory":
				for all := [][]byte{}; ; {
					all = append(all, bytes.Repeat([]byte{1}, 16<<20))
				}
			case "sleep":
				time.Sleep(300 * time.Millisecond)
				return
			}
			pid := os.Getpid()
			if again {
				pid = os.Getppid()
			}
			if _, err := os.Stat(sign); err != nil {
				_ = os.WriteFile(sign+"-", fmt.Appendln(nil, pid, os.Getpid()), 0o600)
				_ = os.Rename(sign+"-", sign)
			}
			time.Sleep(map[string]time.Duration{"search": time.Millisecond, "confirm": time.Second, "critical": 10 * time.Millisecond,
				"shrink": 10 * time.Millisecond, "write": 2 * time.Second}[in])
		}
		slowly := func(now bool) { // now reports whether this is the place that is slow
			if now && in != "write" && present() {
				linger()
			}
		}
		property := uses == "sleep"
		do := func(f func(*labourer)) func(*labourer, sim.Env) {
			return func(s *labourer, _ sim.Env) {
				f(s)
				slowly(!property)
			}
		}
		sys := sim.System{
			Name: "lingers", Nodes: 1, New: func(sim.NodeID) sim.Service { return &labourer{} },
			Actions: []sim.AnyAction{
				sim.Action[*labourer]{Name: "count", Do: do(func(s *labourer) { s.Count++ })},
				sim.Action[*labourer]{Name: "waste", Do: do(func(s *labourer) { s.Wasted++ })},
			},
		}
		most := 3
		switch {
		case in == "search" && uses != "disk":
			most = 1_000
		case in == "critical":
			sys.Properties = []sim.Property{{Name: "rested", Eventually: sim.Each(func(sim.NodeID, *labourer) bool { slowly(property); return false })}}
			return sys, nil
		case in == "shrink":
			most = 30
		}
		sys.Properties = []sim.Property{{
			Name: "few", Always: sim.Each(func(_ sim.NodeID, s *labourer) bool { slowly(property); return s.Count < most }),
			Explain: func(*sim.View) string {
				if in == "write" && present() {
					linger()
				}
				return "it counted too far"
			},
		}}
		return sys, nil
	},
}

// fillDisk fills the disk of the working folder, which is small.
func fillDisk() {
	f, err := os.OpenFile("filler", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4<<10))
	}
}

// A search that ends in any phase, in any way, reports its suspect, with its status, and the path is on disk. Its processes have limits by
// the clock, so it runs before the parallel tests.
func TestHand(t *testing.T) {
	const (
		child, parent, limit = "kill the child", "kill the parent", "time limit"
		stop, fault, memory  = "stop the child", "fault of the child", "memory"
		// Of a process that executes a run again.
		stopHelper, faultHelper = "stop the helper", "fault of the helper"
	)
	type want struct {
		status  int    // of the command
		verdict string // an empty string means that there is no report
		suspect string // its status
		path    string // begins the note in the path file; an empty string means that there is no file
	}
	nothing := func(status int, verdict string) want { return want{status, verdict, "", ""} }
	violation := func(note string) want { return want{exitcode.Violation, "violation", "", note} }
	suspected := want{exitcode.Inconclusive, "inconclusive", "suspected", "suspected: "}
	orphan := func(note string) want { return want{-1, "", "", note} }
	all := newWaiting()
	defer all.Wait()
	for _, c := range []struct {
		phase, by string
		want      want
	}{
		{"search", "INT", nothing(exitcode.Interrupted, "interrupted")},
		{"search", "TERM", nothing(exitcode.Terminated, "interrupted")},
		{"search", child, nothing(exitcode.Inconclusive, "inconclusive")},
		{"search", parent, orphan("")},
		{"search", limit, nothing(exitcode.OK, "ok")},
		{"search", stop, nothing(exitcode.Inconclusive, "inconclusive")},
		{"search", fault, nothing(exitcode.Inconclusive, "inconclusive")},
		{"search", memory, violation("divergence: ")},
		{"confirm", "INT", violation("safety: ")},
		{"confirm", "TERM", violation("safety: ")},
		{"confirm", limit, violation("safety: ")},
		{"confirm", child, suspected},
		{"confirm", parent, orphan("suspected: safety: ")},
		{"confirm", stop, suspected},
		{"confirm", stopHelper, violation("safety: ")},
		{"confirm", faultHelper, violation("safety: ")},
		{"confirm", memory, violation("nondeterminism: ")},
		{"critical", "INT", suspected},
		{"critical", "TERM", suspected},
		{"critical", limit, suspected},
		{"critical", child, suspected},
		{"critical", parent, orphan("suspected: liveness: ")},
		{"critical", stop, suspected},
		{"critical", memory, suspected},
		{"shrink", "INT", violation("safety: ")},
		{"shrink", "TERM", violation("safety: ")},
		{"shrink", limit, violation("safety: ")},
		{"shrink", child, violation("safety: ")},
		{"shrink", parent, orphan("safety: ")},
		{"shrink", stop, violation("safety: ")},
		{"shrink", memory, violation("safety: ")},
		{"write", "INT", violation("safety: ")},
		{"write", "TERM", violation("safety: ")},
		{"write", limit, violation("safety: ")},
		{"write", child, violation("confirmed: safety: ")},
		{"write", parent, orphan("confirmed: safety: ")},
		{"write", stop, violation("confirmed: safety: ")},
		{"write", memory, violation("safety: ")}, // before or after the path is written, as the limit is noticed
	} {
		all.run(t, c.phase+" "+c.by, func(t *testing.T) {
			if testing.Short() && (c.by != child || c.phase != "confirm") {
				t.Skip("takes seconds")
			}
			dir := t.TempDir()
			args := []string{"search", "lingers", "--set", "in=" + c.phase, "--strategy", "walk", "--engine", "replay", "--workers", "1", "--walk-steps", "100", "--out", "out", "--json"}
			if c.phase == "write" {
				args = append(args, "--no-shrink")
			}
			const seconds = 1
			switch c.by {
			case limit, stop:
				args = append(args, "--time", fmt.Sprint(seconds, "s"))
			case stopHelper:
				args = append(args, "--handler-limit", "150ms")
			case memory:
				args = append(args, "--set", "uses=memory")
			}
			cmd := command(dir, args...)
			if c.by == memory {
				cmd = inMemory(t, cmd, 1<<29)
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			began := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
			defer late.Stop()
			searching, helper := 0, 0
			if c.by != memory {
				await(t, filepath.Join(dir, sign))
				text, _ := os.ReadFile(filepath.Join(dir, sign))
				_, _ = fmt.Sscan(string(text), &searching, &helper)
			}
			switch c.by {
			case "INT":
				cmd.Process.Signal(syscall.SIGINT)
			case "TERM":
				cmd.Process.Signal(syscall.SIGTERM)
			case child:
				syscall.Kill(searching, syscall.SIGKILL)
			case stop:
				syscall.Kill(searching, syscall.SIGSTOP)
			case fault:
				syscall.Kill(searching, syscall.SIGSEGV)
			case stopHelper:
				syscall.Kill(helper, syscall.SIGSTOP)
			case faultHelper:
				syscall.Kill(helper, syscall.SIGSEGV)
			case parent:
				cmd.Process.Kill()
			}
			status := exitCode(cmd.Wait())
			took := time.Since(began)
			if c.by == parent {
				for end := time.Now().Add(time.Minute); syscall.Kill(searching, 0) == nil && time.Now().Before(end); {
					time.Sleep(10 * time.Millisecond)
				}
			}
			var rep struct {
				Verdict, Message string
				PathFile         string `json:"path_file"`
				Suspect          struct {
					Status   string
					PathFile string `json:"path_file"`
				}
				Findings []struct {
					PathFile string `json:"path_file"`
				}
			}
			if err := json.Unmarshal(stdout.Bytes(), &rep); err != nil && c.want.verdict != "" {
				t.Fatalf("%v: %s%s", err, stdout.String(), stderr.String())
			}
			if status != c.want.status || rep.Verdict != c.want.verdict || rep.Suspect.Status != c.want.suspect {
				t.Errorf("exit status %d, %+v, want %+v: %s", status, rep, c.want, stderr.String())
			}
			killed := map[string]string{
				child: "is killed by SIGKILL (peak resident size ", fault: "is killed by SIGSEGV; the signal may have come from outside",
				stop: "no response within 6s, the time limit with all that follows the search", memory: "exhausts the memory",
			}[c.by]
			if !strings.Contains(stderr.String()+rep.Message, killed) && c.phase != "write" {
				t.Errorf("want %q in %s%s", killed, rep.Message, stderr.String())
			}
			if most := seconds*3*time.Second/2 + 5*time.Second; c.by == stop && took > 3*most { // a busy machine takes longer
				t.Errorf("it took %v, want about %v", took, most)
			}
			reported := rep.PathFile + rep.Suspect.PathFile
			for _, f := range rep.Findings {
				reported += f.PathFile
			}
			files, _ := filepath.Glob(filepath.Join(dir, "out", "*.path"))
			switch {
			case c.want.path == "":
				if len(files) > 0 || reported != "" {
					t.Errorf("%v, %q, want no path", files, reported)
				}
				return
			case reported == "" && c.want.verdict != "":
				t.Errorf("the report names no path: %+v", rep)
			case reported == "" && len(files) > 0:
				reported = filepath.Join("out", filepath.Base(files[0]))
			}
			text, err := os.ReadFile(filepath.Join(dir, reported))
			if c.phase == "write" && c.by == memory {
				text = bytes.Replace(text, []byte("\nnote confirmed: "), []byte("\nnote "), 1)
			}
			if err != nil || !strings.Contains(string(text), "\nnote "+c.want.path) {
				t.Errorf("%v: %v, want a note %q in\n%s", err, files, c.want.path, text)
			}
		})
	}
}

// inMemory runs a command with a limit of memory in bytes.
func inMemory(t *testing.T, cmd *exec.Cmd, bytes int) *exec.Cmd {
	t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	cmd.Args = append([]string{shell, "-c", fmt.Sprintf(`ulimit -d %d && exec "$@"`, bytes>>10), "-", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = shell
	return cmd
}

// A disk that becomes full in any phase after the first suspect does not change the report, and preserves the path that was written.
func TestHand_FullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		t.Skip(err)
	}
	const script = `mount -t tmpfs -o size=12m small "$1" && cd "$1" && to=$2 && shift 2 && { "$@"; status=$?; cp -r out "$to" 2>/dev/null; exit $status; }`
	if out, err := exec.Command(unshare, "-rm", "sh", "-c", script, "-", t.TempDir(), t.TempDir(), "true").CombinedOutput(); err != nil {
		t.Skipf("no file system of its own: %v: %s", err, out)
	}
	all := newWaiting()
	defer all.Wait()
	for _, c := range []struct {
		phase string
		temp  bool   // temporary files lie on that disk, too
		path  string // the file that is left; an empty string means one elsewhere
		note  string // of it
	}{
		{"search", false, "", "safety: "},
		{"confirm", false, check.SuspectPath, "suspected: safety: "},
		{"confirm", true, check.SuspectPath, "confirmed: safety: "}, // the files of the other process, which are gone, leave room
		{"critical", false, check.SuspectPath, "suspected: liveness: "},
		{"critical", true, check.SuspectPath, "suspected: liveness: "},
		{"shrink", false, outfolder.ErrorPath, "safety: "},
		{"shrink", true, outfolder.ErrorPath, "safety: "},
		{"write", false, check.SuspectPath, "confirmed: safety: "},
		{"write", true, check.SuspectPath, "confirmed: safety: "},
	} {
		all.run(t, fmt.Sprint(c.phase, " ", c.temp), func(t *testing.T) {
			kept, elsewhere := t.TempDir(), t.TempDir()
			args := []string{"search", "lingers", "--set", "in=" + c.phase, "--set", "uses=disk", "--strategy", "walk", "--engine", "replay", "--workers", "1", "--walks", "4", "--walk-steps", "100", "--out", "out", "--json"}
			if c.phase == "write" {
				args = append(args, "--no-shrink")
			}
			cmd := command(t.TempDir(), args...)
			temp := elsewhere
			if c.temp {
				temp = "."
			}
			cmd.Env = append(cmd.Environ(), "TMPDIR="+temp)
			cmd.Args = append([]string{unshare, "-rm", "sh", "-c", script, "-", t.TempDir(), kept, cmd.Path}, cmd.Args[1:]...)
			cmd.Path = unshare
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			status := exitCode(cmd.Run())
			var rep struct {
				Verdict  string
				PathFile string `json:"path_file"`
			}
			if err := json.Unmarshal(stdout.Bytes(), &rep); err != nil || status != exitcode.Violation || rep.Verdict != "violation" || !strings.Contains(stderr.String(), "no space left on device") {
				t.Fatalf("%v, exit status %d, %+v: %s", err, status, rep, &stderr)
			}
			file := filepath.Join(kept, rep.PathFile)
			if c.path == "" {
				file = rep.PathFile
			} else if want := filepath.Join("out", c.path); rep.PathFile != want {
				t.Errorf("the report names the path file %q, want %q", rep.PathFile, want)
			}
			text, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(text), "\nnote "+c.note) {
				t.Errorf("%v, want a note %q in\n%s", err, c.note, text)
			}
			files, _ := filepath.Glob(filepath.Join(kept, "out", "*.path"))
			if left, _ := os.ReadDir(elsewhere); (len(left) > 0) != (c.path == "") || (len(files) > 0) != (c.path != "") {
				t.Errorf("left %v, and elsewhere %v", files, left)
			}
		})
	}
}
