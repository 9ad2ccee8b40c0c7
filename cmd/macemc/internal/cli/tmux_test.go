//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// foreground matches escape sequences that set a colour of text.
var foreground = regexp.MustCompile(`\x1b\[([0-9;]*;)?(3[0-8]|9[0-7])[;m]`)

// A real session on a terminal is driven by keys. It jumps to the critical transition, compares with the live run, changes the size of the
// terminal, executes a command, and quits. It runs with colour, without, and on a terminal that cannot show a screen.
func TestMdbOnATerminal(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("there is no tmux")
	}
	file, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "mdb", "testdata", "mt3", "error.path"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, env, args string
		dumb            bool
	}{
		{name: "colour"},
		{name: "no-color", args: "--no-color"},
		{name: "NO_COLOR", env: "NO_COLOR=1"},
		{name: "dumb", env: "TERM=dumb", dumb: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "colour" {
				t.Skip("takes seconds")
			}
			socket := filepath.Join(t.TempDir(), "tmux")
			do := func(args ...string) string {
				t.Helper()
				out, err := exec.Command(tmux, append([]string{"-S", socket, "-f", os.DevNull}, args...)...).CombinedOutput()
				if err != nil {
					t.Fatalf("tmux %q: %v: %s", args, err, out)
				}
				return string(out)
			}
			line := fmt.Sprintf("env %s=1 %s %s mdb %s %s; echo status $?; sleep 600", mainVar, c.env, os.Args[0], file, c.args)
			do("new-session", "-d", "-x", "80", "-y", "24", line)
			t.Cleanup(func() { exec.Command(tmux, "-S", socket, "kill-server").Run() })
			see := func(want ...string) string {
				t.Helper()
				shown := ""
				for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
					shown = do("capture-pane", "-p")
					missing := false
					for _, w := range want {
						missing = missing || !strings.Contains(shown, w)
					}
					if !missing {
						return shown
					}
				}
				t.Fatalf("%q is not all on the screen:\n%s", want, shown)
				return ""
			}
			if c.dumb {
				see("(mdb)", ">14")
				do("send-keys", "13", "Enter")
				see("step 13 of 40")
				// Ctrl-C stops a command, and never the session.
				do("send-keys", "C-c")
				see(`"quit" ends the session`)
				do("send-keys", "end; walk steps=500000000", "Enter")
				see("step 40 of 40") // what was typed is read: Ctrl-C no longer drops it
				do("send-keys", "C-c")
				see("was stopped")
				do("send-keys", "take 0", "Enter")
				see("branch")
				do("send-keys", "clear; quit", "Enter") // the first fails
				do("send-keys", "quit", "Enter")
				see("not saved")
				do("send-keys", "quit", "Enter")
				see("status 0")
				return
			}
			see("step 14 of 40", "CRITICAL", "event graph", ">14")
			do("send-keys", "s")
			see("source", "=> ")
			do("send-keys", "g")
			see("event graph")
			colours := foreground.MatchString(do("capture-pane", "-p", "-e"))
			if want := c.name == "colour"; colours != want {
				t.Errorf("colours: %v, want %v", colours, want)
			}
			do("send-keys", "d")
			see("difference from the live run", "live after step 17")
			do("resize-window", "-x", "40", "-y", "12")
			see("40x12 is too small")
			do("resize-window", "-x", "120", "-y", "40")
			see("step 14 of 40", "difference from the live run")
			do("send-keys", ":", "diff live sa", "Tab", "Enter")
			see("live after step 14", "n0.(timer retransmit{Peer:1 Seq:4001})  none | armed")
			do("send-keys", "?")
			see("Keys", "the critical transition")
			do("send-keys", "?")
			see("diff live same", "none | armed")
			do("send-keys", "q")
			see("status 0")
		})
	}
}
