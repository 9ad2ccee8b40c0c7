//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// slow is a system whose runs are found soon and take long to shrink, because its steps are slow. They do not return while the working
// folder contains a file "stop", and write a file "stopped" first.
var slow = spec.Entry{
	Name: "slow", Summary: "takes its time", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
	Build: func(spec.Config) (sim.System, error) {
		do := func(f func(*sluggish)) func(*sluggish, sim.Env) {
			return func(s *sluggish, _ sim.Env) {
				time.Sleep(10 * time.Millisecond)
				if _, err := os.Stat("stop"); err == nil {
					_ = os.WriteFile("stopped", nil, 0o600)
					time.Sleep(time.Hour)
				}
				f(s)
			}
		}
		return sim.System{
			Name: "slow", Nodes: 1, New: func(sim.NodeID) sim.Service { return &sluggish{} },
			Actions: []sim.AnyAction{
				sim.Action[*sluggish]{Name: "count", Do: do(func(s *sluggish) { s.Count++ })},
				sim.Action[*sluggish]{Name: "waste", Do: do(func(s *sluggish) { s.Wasted++ })},
			},
			Properties: []sim.Property{{Name: "few", Always: sim.Each(func(_ sim.NodeID, s *sluggish) bool { return s.Count < 30 })}},
		}, nil
	},
}

type sluggish struct {
	sim.Nop
	Count, Wasted int
}

// A signal while a run is being shrunk stops the shrinking, and a second one kills the process that shrinks. In both cases the finding,
// which was announced before, is reported.
func TestInterruptShrinking(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	file := filepath.Join("out", "error.path")
	told := regexp.MustCompile(`^slow: found a safety violation in \d+ steps: few; shrinking \(Ctrl-C stops it\); original: ` + regexp.QuoteMeta(file) + `$`)
	all := newWaiting()
	defer all.Wait()
	for _, c := range []struct {
		signal         syscall.Signal
		stop           string // made before the signal, which then comes twice
		stderr, stdout string
	}{
		{syscall.SIGINT, "", "", "others not|shrinking ended"},
		{syscall.SIGTERM, "", "", "others not|shrinking ended"},
		{syscall.SIGINT, "stop", "killed", "few"},
	} {
		all.run(t, c.signal.String()+c.stop, func(t *testing.T) {
			dir := t.TempDir()
			cmd := command(dir, "search", "slow", "--strategy", "walk", "--engine", "replay", "--workers", "1", "--out", "out")
			var stdout bytes.Buffer
			cmd.Stdout = &stdout
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
			defer late.Stop()
			lines := bufio.NewScanner(stderr)
			for lines.Scan() && !told.MatchString(lines.Text()) {
			}
			found, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Errorf("before it is shrunk: %v", err)
			}
			if c.stop != "" {
				if err := os.WriteFile(filepath.Join(dir, c.stop), nil, 0o600); err != nil {
					t.Fatal(err)
				}
				await(t, filepath.Join(dir, "stopped"))
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				if err := cmd.Process.Signal(c.signal); err == nil && c.stop != "" {
					time.Sleep(time.Second) // two that come together count as one
					_ = cmd.Process.Signal(c.signal)
				}
			}()
			rest := ""
			for lines.Scan() {
				rest += lines.Text()
			}
			status := exitCode(cmd.Wait())
			<-ended
			if (rest != "") != (c.stderr != "") || !strings.Contains(rest, c.stderr) {
				t.Errorf("standard error goes on: %q", rest)
			}
			if status != exitcode.Violation || !strings.Contains(stdout.String(), "SAFETY VIOLATION") ||
				!regexp.MustCompile(c.stdout).MatchString(stdout.String()) {
				t.Errorf("exit status %d\n%s", status, stdout.String())
			}
			var report struct{ Verdict string }
			text, err := os.ReadFile(filepath.Join(dir, "out", "report.json"))
			if err != nil || json.Unmarshal(text, &report) != nil || report.Verdict != "violation" {
				t.Errorf("%v\n%s", err, text)
			}
			if now, err := os.ReadFile(filepath.Join(dir, file)); err != nil || len(now) > len(found) {
				t.Errorf("%v\n%s", err, now)
			}
		})
	}
}
