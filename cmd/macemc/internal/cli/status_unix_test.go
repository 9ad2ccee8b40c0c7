//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// A signal ends a search with a report on standard output alone. The report states the interruption, and does not claim that nothing was
// found.
func TestInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	t.Parallel()
	for _, c := range []struct {
		signal   syscall.Signal
		strategy string
		status   int
	}{
		{syscall.SIGINT, "walk", exitcode.Interrupted},
		{syscall.SIGTERM, "deepening", exitcode.Terminated},
		{syscall.SIGHUP, "walk", exitcode.Terminated},
		{syscall.SIGTERM, "bfs --reduce none", exitcode.Terminated},
	} {
		if signal.Ignored(c.signal) { // under nohup
			continue
		}
		dir := t.TempDir()
		cmd := command(dir, strings.Fields("search busy --time 10m --json --junit j.xml --strategy "+c.strategy)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, filepath.Join(dir, sign))
		cmd.Process.Signal(c.signal)
		status := exitCode(cmd.Wait())
		var report struct {
			Verdict, Stopped string
			Events           int
		}
		if e := json.Unmarshal(stdout.Bytes(), &report); e != nil {
			t.Fatalf("%v: %v: %s%s", c.signal, e, stdout.String(), stderr.String())
		}
		if status != c.status || report.Verdict != "interrupted" || report.Stopped != "interrupted" || report.Events == 0 {
			t.Errorf("%s, %v: exit status %d, %+v, %s", c.strategy, c.signal, status, report, stderr.String())
		}
		junit, err := os.ReadFile(filepath.Join(dir, "j.xml"))
		if err != nil || !strings.Contains(string(junit), `<error type="interrupted"`) || strings.Contains(string(junit), "nothing found in") {
			t.Errorf("%s: %v\n%s", c.strategy, err, junit)
		}
	}
}

// Without room for temporary files, there is one error line, and a report without coverage.
func TestNoRoom(t *testing.T) {
	cmd := command(t.TempDir(), "search", "pingack")
	out := limited(t, cmd)
	said := "macemc: no room in the folder for temporary files, "
	if status := cmd.ProcessState.ExitCode(); status != exitcode.Resource || !strings.Contains(out, said) ||
		strings.Contains(out, "goroutine") {
		t.Errorf("exit status %d\n%s", status, out)
	}
}

// limited runs a command whose files may have at most about 1 MB.
func limited(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	cmd.Args = append([]string{shell, "-c", `ulimit -f 1000 && exec "$@"`, "-", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = shell
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// An excessive number of workers is rejected before anything is allocated for them.
func TestTooManyWorkers(t *testing.T) {
	for _, args := range []string{"search pingack", "critical x.path", "shrink x.path"} {
		_, stderr, status := run(t, append(strings.Fields(args), "--workers", "100000")...)
		if status != exitcode.Usage || !strings.HasPrefix(stderr, "macemc: --workers is 100000, must be at most 256") {
			t.Errorf("%s: exit status %d: %s", args, status, stderr)
		}
	}
}

// Output to a full device yields one clear error line. The exit status is that of the verdict, unless that is success.
func TestFull(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if out, err := command(dir, "search", "pingack", "--no-shrink", "--walks", "20", "--walk-steps", "200", "--out", "found").CombinedOutput(); exitCode(err) != exitcode.Violation {
		t.Fatalf("%v\n%s", err, out)
	}
	clean := "search pingack --loss 0 --max-paths 50"
	for _, c := range []struct {
		args   string
		full   bool // standard output
		status int
		want   string
	}{
		{clean + " --junit " + full, false, exitcode.Usage, full + " is not a regular file"},
		{"graph found/error.path -o " + full, false, exitcode.Usage, full + " is not a regular file"},
		{"report found/error.path -o " + full, false, exitcode.Usage, full + " is not a regular file"},
		{"shrink found/error.path -o " + full, false, exitcode.Usage, full + " exists already"},
		{clean, true, exitcode.Resource, "no space left on device"},
		{clean + " --json", true, exitcode.Resource, "no space left on device"},
		{"search pingack --walks 20 --walk-steps 200 --json", true, exitcode.Violation, "no space left on device"},
		{"search pingack --no-shrink --walks 20 --walk-steps 200", true, exitcode.Violation, "no space left on device"},
		{"replay found/error.path", true, exitcode.Violation, "no space left on device"},
		{"critical found/error.path --walks 20 --walk-steps 200", true, exitcode.Violation, "no space left on device"},
		{"shrink found/error.path --walks 20 --walk-steps 200", true, exitcode.Violation, "no space left on device"},
		{"graph found/error.path", true, exitcode.Resource, "no space left on device"},
		{"systems --json", true, exitcode.Resource, "no space left on device"},
		{"systems", true, exitcode.Resource, "no space left on device"},
		{"mdb found/error.path --batch -x where", true, exitcode.Resource, "no space left on device"},
	} {
		cmd := command(dir, strings.Fields(c.args)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if c.full {
			f, err := os.OpenFile(full, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			cmd.Stdout = f
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
		status := exitCode(cmd.Wait())
		late.Stop()
		if said := stderr.String(); status != c.status || !strings.Contains(said, c.want) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: exit status %d, want %d: %s", c.args, status, c.status, said)
		}
	}
}

// Files that do not fit on the disk yield one error line, and the finding is not lost.
func TestDiskFull(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	found, err := exec.LookPath("unshare")
	if err != nil {
		t.Skip(err)
	}
	small, temp := t.TempDir(), t.TempDir()
	mount := `mount -t tmpfs -o size=64k small "$1" && head -c 65536 /dev/zero > "$1"/filler; cd "$1" && shift && exec "$@"`
	if out, err := exec.Command(found, "-rm", "sh", "-c", mount, "-", small, "true").CombinedOutput(); err != nil {
		t.Skipf("no file system of its own: %v: %s", err, out)
	}
	for _, c := range []struct {
		args   string
		status int
	}{
		{"search pingack --loss 0 --max-paths 50 --junit j.xml", exitcode.Resource},
		{"search pingack --no-shrink --walks 20 --walk-steps 200 --junit j.xml", exitcode.Violation},
	} {
		cmd := command("", strings.Fields(c.args)...)
		cmd.Env = append(cmd.Env, "TMPDIR="+temp) // where a finding is left
		cmd.Args = append([]string{found, "-rm", "sh", "-c", mount, "-", small, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = found
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		status := exitCode(cmd.Run())
		if said := stderr.String(); status != c.status || !strings.Contains(said, "no space left on device") || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: exit status %d, want %d: %s", c.args, status, c.status, said)
		}
	}
}

// A closed output ends the tests, and leaves no temporary folder.
func TestTest_ClosedOutput(t *testing.T) {
	testFile(t, "package x\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\n"+
		"func TestX(t *testing.T) {\n\tfor range 1000 {\n\t\tt.Log(1)\n\t\ttime.Sleep(time.Millisecond)\n\t}\n}\n")
	temp := t.TempDir()
	cmd := command(".", "test", "-count=1", "-v", "-explore-time=1h", "-schedules=1000000000", ".")
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if status := exitCode(cmd.Wait()); status != 128+int(syscall.SIGPIPE) {
		t.Errorf("exit status %d", status)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "macemc-*")); err != nil || len(left) > 0 {
		t.Errorf("%v, left %q", err, left)
	}
}
