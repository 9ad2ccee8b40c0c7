//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Commands of other programs are executed by these programs, with all arguments, their output and their exit status. A program beside this
// one takes precedence over one on PATH. A missing one is compiled into the folder of this one, but not by a completion.
func TestCompanion(t *testing.T) {
	onPath := t.TempDir()
	execute := func(args ...string) (string, int) {
		cmd := command(t.TempDir(), args...)
		cmd.Args = append(cmd.Args[:1], args...)
		cmd.Env = append(cmd.Env, "PATH="+onPath+":/usr/bin:/bin")
		out, err := cmd.CombinedOutput()
		return string(out), exitCode(err)
	}
	const search = "search paxos --strategy bfs --cluster nats://127.0.0.1:1"
	lines := []string{"cluster status --json URL", "worker --join URL", "vet --tags slow ./...", "mcp", "cluster --help", "__complete cluster st", search}
	for _, line := range lines {
		program := programOf(line)
		out, status := execute(strings.Fields(line)...)
		if line[0] != '_' && (status != 2 || !strings.Contains(out, program+", which is neither beside macemc nor on PATH: it does not compile: exec: \"go\"")) {
			t.Errorf("%s without %s: exit status %d\n%s", line, program, status, out)
		}
	}
	compiler := filepath.Join(onPath, "go")
	const script = `#!/bin/sh
test "$1 $2" = "build -o" && test -e ${4#./}/main.go && printf '#!/bin/sh\necho compiled "$@"; exit 7\n' >"$3${4##*/}" && chmod +x "$3${4##*/}"
`
	if err := os.WriteFile(compiler, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	out, status := execute("__complete", "vet", "")
	if strings.Contains(out, "compil") {
		t.Errorf("a completion: exit status %d\n%s", status, out)
	}
	for _, first := range []string{"macemc: compiling macemc-vet into " + filepath.Dir(beside(t)) + ", once\n", ""} {
		if out, status := execute("vet", "--tags", "slow"); out != first+"compiled vet --tags slow\n" || status != 7 {
			t.Errorf("vet is compiled: exit status %d\n%s", status, out)
		}
	}
	_ = os.Remove(compiler)
	_ = os.Remove(filepath.Join(filepath.Dir(beside(t)), "macemc-vet"))
	for _, dir := range []string{onPath, filepath.Dir(beside(t))} {
		for _, program := range []string{"macemc-cluster", "macemc-mcp", "macemc-vet"} {
			file := filepath.Join(dir, program)
			if err := os.WriteFile(file, []byte("#!/bin/sh\necho "+file+` "$@"; exit 7`), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Remove(file) })
		}
		for _, line := range lines {
			program := programOf(line)
			out, status := execute(strings.Fields(line)...)
			if want := filepath.Join(dir, program) + " " + line + "\n"; out != want || status != 7 {
				t.Errorf("%s: exit status %d, %q; want 7, %q", line, status, out, want)
			}
		}
	}
}

// beside returns the path of this program.
func beside(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// programOf returns the program that executes a command line.
func programOf(line string) string {
	switch name, _, _ := strings.Cut(line, " "); name {
	case "vet", "mcp":
		return "macemc-" + name
	}
	return "macemc-cluster"
}
