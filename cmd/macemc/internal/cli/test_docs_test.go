package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// writeExample writes the example of docs/test-exploration.md into a module of its own.
func writeExample(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/test-exploration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "<!-- example: bank_test.go -->\n```go\n")
	code, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("docs/test-exploration.md has no example")
	}
	for file, text := range map[string]string{"go.mod": "module example.org/bank\n\ngo 1.26\n", "bank_test.go": code} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// go test passes the example of the docs, and "macemc test" finds the deadlock within the default budget.
func TestTest_Example(t *testing.T) {
	if testing.Short() {
		t.Skip("builds net/http the first time")
	}
	dir := t.TempDir()
	writeExample(t, dir)
	t.Chdir(dir)
	leanBuilds(t)
	var out []byte
	var err error
	// The real scheduler may reach the deadlock, too, though rarely.
	for range 3 {
		if out, err = exec.Command("go", "test", "-count=200", "-timeout=30s").CombinedOutput(); err == nil {
			break
		}
	}
	if err != nil {
		t.Errorf("go test failed three times: %v\n%s", err, out)
	}
	text, status := testCommand(t.Context(), "-count=1", "-schedules=20")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	m := regexp.MustCompile(`(?s)DEADLOCK: \d+ goroutines .*in bank.ServeHTTP, held by .*in bank.ServeHTTP, held by .*in bank.ServeHTTP, held by .*found by schedule (\d+) `).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("the cycle is missing:\n%s", text)
	}
	if n, err := strconv.Atoi(m[1]); err != nil || n > 5 {
		t.Errorf("found by schedule %s", m[1])
	}
}

// The go command accepts the variables of --env, and builds package bubble for the changed runtime with them.
func TestTestEnv(t *testing.T) {
	t.Setenv("GOFLAGS", "-count=1")
	t.Setenv("XDG_CACHE_HOME", t.TempDir()+"/a cache")
	out, errs, status := run(t, "test", "--env")
	if status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	cmd := exec.Command("go", "list", "-f", "{{.GoFiles}}", bubblePackage)
	cmd.Env = append(os.Environ(), strings.Split(strings.TrimSpace(out), "\n")...)
	list, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(list), "hooks_overlay.go") || !strings.Contains(out, "-count=1") {
		t.Errorf("%v: %s with\n%s", err, list, out)
	}
	if _, errs, status := run(t, "test", "--env", "./..."); status != 2 || !strings.Contains(errs, "--env takes no other arguments") {
		t.Errorf("status %d: %s", status, errs)
	}
}
