//go:build unix

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/testflags"
)

// recordingGo replaces the go command by one that records its arguments, and executes only env and list.
func recordingGo(t testing.TB) (calls func() [][]string) {
	const original = "MACEMC_TEST_PATH" // workers of go test -fuzz inherit the changed PATH
	t.Setenv(original, cmp.Or(os.Getenv(original), os.Getenv("PATH")))
	t.Setenv("PATH", os.Getenv(original))
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "calls")
	script := "#!" + shell + "\nprintf '%s\\0' \"$@\" >>'" + log + "'\necho >>'" + log + "'\ncase $1 in env|list) exec '" + goCommand + "' \"$@\";; esac\necho fails >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return func() (list [][]string) {
		text, _ := os.ReadFile(log)
		for call := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
			if call != "" {
				list = append(list, strings.Split(strings.TrimSuffix(call, "\x00"), "\x00"))
			}
		}
		os.Remove(log)
		return list
	}
}

// The arguments of the go command that may depend on a file.
var fromFile = regexp.MustCompile(`^(\^.*|-short|-race|-tags=[\pL\d_., ]*|-run=\^.*|-skip=.*|-exec=\S+/cli\.test exec '[^']*' 0|.*/macemc-\d+/package\.test)$`)

// Whatever a file has, the commands that read it start no other process than the go command, with the arguments of a harmless file, or with
// a package, a test and flags that select tests.
func FuzzFile_Processes(f *testing.F) {
	if testing.Short() {
		f.Skip("executes go env and go list")
	}
	const schedule, path = "macemc schedule 1\npackage example.org/x\ntest TestX\nfinding PANIC: x\n", "macemc path 1\nsystem s\nnodes 1\n"
	for _, text := range []string{
		schedule + "flags -short '-run=^TestX$/a' -tags=x\nend 0\n",
		schedule + "flags -exec=/bin/false\nend 0\n",
		schedule + "flags -short -toolexec=/bin/false\nend 0\n",
		schedule + "flags -args -test.cpuprofile=/tmp/x\nend 0\n",
		schedule + "flags -args -update\nend 0\n",
		strings.Replace(schedule, "example.org/x", "-exec=/bin/false", 1) + "end 0\n",
		strings.Replace(schedule, "example.org/x", "x_test.go", 1) + "end 0\n",
		strings.Replace(schedule, "example.org/x", "./...", 1) + "end 0\n",
		strings.Replace(schedule, "TestX", "../../x", 1) + "end 0\n",
		path + "package example.org/y\ntest TestX\nend 0\n",
		path + "package -exec=/bin/false\ntest TestX\nend 0\n",
		path + "package \"-toolexec=/bin/false\"\ntest TestX\nend 0\n",
		path + "package ../elsewhere\ntest TestX\nend 0\n",
		path + "package /tmp\ntest TestX\nend 0\n",
	} {
		f.Add(text)
	}
	f.Chdir(testFolder(f, "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"))
	calls := recordingGo(f)
	commands := [][]string{{"graph"}, {"mdb", "--batch"}, {"replay"}, {"test", ".", "-schedule"}}
	harmless := map[string]bool{}
	execute := func(t testing.TB, file, text string) (list [][]string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range commands {
			commandHere(t.Context(), append(slices.Clone(c), file)...)
			list = append(list, calls()...)
		}
		return list
	}
	file, err := filepath.Abs("a.path")
	if err != nil {
		f.Fatal(err)
	}
	for _, call := range slices.Concat(execute(f, file, schedule+"end 0\n"), execute(f, file, path+"package example.org/x\ntest TestX\nend 0\n")) {
		for _, arg := range call {
			harmless[arg] = true
		}
	}
	if !harmless["test"] || !harmless["-vet=off"] || !harmless["example.org/x"] {
		f.Fatalf("go test is not executed: %v", harmless)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, call := range execute(t, file, text) {
			for _, arg := range call {
				if !harmless[arg] && !fromFile.MatchString(arg) && testflags.CheckPackage(arg) != nil {
					t.Errorf("%q starts go %q", text, call)
				}
			}
		}
	})
}

// A named pipe, a folder, a device and a huge file are refused before they are read, by every command.
func TestFile_Irregular(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(syscall.Mkfifo("pipe.path", 0o600), os.Mkdir("folder.path", 0o700), os.Symlink("/dev/zero", "device.path"),
		os.WriteFile("huge.path", nil, 0o600), os.Truncate("huge.path", 1<<40)); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ command, others string }{
		{"graph", ""}, {"mdb", "--batch"}, {"replay", ""}, {"report", ""}, {"critical", ""}, {"shrink", ""}, {"merge", ""},
		{"observe", ""}, {"observe pingack", ""}, {"search --from", ""}, {"test -schedule", ""},
	} {
		for name, want := range map[string]string{"pipe": "named pipe", "folder": "folder", "device": "device", "huge": "bytes"} {
			if c.command == "merge" && name == "folder" { // it is read
				continue
			}
			args := append(strings.Fields(c.command), append([]string{name + ".path"}, strings.Fields(c.others)...)...)
			done := time.AfterFunc(20*time.Second, func() { panic(fmt.Sprintf("%v hangs", args)) })
			_, stderr, status := run(t, args...)
			done.Stop()
			if status != 2 || !strings.Contains(stderr, want) && !strings.Contains(stderr, "directory") && !strings.Contains(stderr, "not a regular file") {
				t.Errorf("%v: exit status %d: %s, want %q", args, status, stderr, want)
			}
		}
	}
}
