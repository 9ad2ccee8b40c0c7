package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/test/golden"
)

// debugger builds the debugger and puts it on PATH.
func debugger(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the debugger, and the standard library without optimization")
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, "../../../"+inspect.Program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// inCopy changes to a copy of a folder of testdata, and returns the path of testdata.
func inCopy(t *testing.T, name string) (files string) {
	t.Helper()
	files, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(files, name))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	return files
}

// processes returns the processes whose command line contains a text.
func processes(t *testing.T, text string) (list []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if line, err := os.ReadFile(f); err == nil && bytes.Contains(line, []byte(text)) { // others have ended
			list = append(list, string(line))
		}
	}
	return list
}

// The variables of a test are shown at any step, also backwards, and what explains a finding is among them. Nothing is left running.
func TestMdb_Variables(t *testing.T) {
	debugger(t)
	files := inCopy(t, "debugged")
	for name, script := range map[string]string{
		"deadlock": "critical; goroutine; frame; locals; back; locals; finish; goroutine g2; frame; print b; set a = b",
		"leak":     "3; goroutine; print results; finish; goroutine g3; print i; frame 5",
		"failed": "critical; print old; print n; back; print n; 0; locals; goroutine g1; 1; goroutine g1; watch n; watch nothing; " +
			"when n == 1 && true; when n > 5; when n; print mu.x; print \"a;b\"; goroutine g9; finish; locals",
	} {
		out, _ := commandHere(t.Context(), "mdb", filepath.Join("schedules", name+".path"), "--batch", "-x", script)
		golden.CompareFile(t, filepath.Join(files, "debugged", name+"-variables.txt"), []byte(out))
	}
	if left := processes(t, "lease.test"); left != nil {
		t.Errorf("left running: %q", left)
	}
}

// Values are equal however often a session goes back and forth.
func TestMdb_VariablesAgain(t *testing.T) {
	debugger(t)
	inCopy(t, "debugged")
	const script = "critical; args; locals; print n; prev 3; goroutine g1; locals; end; print n"
	out, status := commandHere(t.Context(), "mdb", "schedules/failed.path", "--batch", "-x", strings.Repeat(script+"; ", 50))
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, out)
	}
	rounds := strings.Split(out, "(mdb) critical\n")[1:]
	if !strings.Contains(rounds[0], "n = 0") || len(rounds) != 50 {
		t.Errorf("%d rounds: %s", len(rounds), rounds[0])
	}
	if slices.Sort(rounds); rounds[0] != rounds[len(rounds)-1] {
		t.Errorf("%s\n---\n%s", rounds[0], rounds[len(rounds)-1])
	}
}

// An editor steps through the lines of a test, back to operations, and from one breakpoint with a condition to the next, in both
// directions. Threads are the goroutines of the test, with their variables.
func TestDap_Variables(t *testing.T) {
	debugger(t)
	files := inCopy(t, "debugged")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c := startEditor(t)
	c.ask("launch", object{"path": "schedules/failed.path"}, false)
	lines := func(list ...object) {
		c.ask("setBreakpoints", object{"source": object{"path": filepath.Join(dir, "lease_test.go")}, "breakpoints": list}, false)
	}
	lines(object{"line": 53, "condition": "old == 0"}, object{"line": 58})
	c.ask("configurationDone", nil, true)
	c.ask("threads", nil, false)
	look := func(thread int) {
		c.ask("stackTrace", object{"threadId": thread}, false)
		c.ask("scopes", object{"frameId": 1}, false)
		for reference := 1; reference <= 3; reference++ {
			c.ask("variables", object{"variablesReference": reference}, false)
		}
	}
	look(2)
	c.ask("evaluate", object{"expression": "n", "context": "watch", "frameId": 1}, false)
	c.ask("evaluate", object{"expression": "wg", "context": "hover", "frameId": 1}, false)
	c.ask("variables", object{"variablesReference": 4}, false)
	c.ask("next", object{"threadId": 2}, true)
	c.ask("next", object{"threadId": 2}, true)
	look(2)
	c.ask("stepBack", object{"threadId": 2}, true)
	c.ask("stepBack", object{"threadId": 2}, true)
	for range 4 {
		c.ask("continue", object{"threadId": 1}, true)
	}
	look(1)
	for range 4 {
		c.ask("reverseContinue", object{"threadId": 1}, true)
	}
	c.ask("stackTrace", object{"threadId": 3}, false)
	c.ask("stepOut", object{"threadId": 3}, true)
	c.ask("evaluate", object{"expression": "old = 3", "context": "watch"}, false)
	lines(object{"line": 1000}, object{"line": 53, "condition": "old =="})
	c.ask("continue", object{"threadId": 1}, true)
	c.ask("disconnect", nil, false)
	if status, errs := <-c.end, building.ReplaceAllString(c.errs.String(), ""); status != 0 || errs != "" {
		t.Errorf("exit status %d: %s", status, errs)
	}
	golden.CompareFile(t, filepath.Join(files, "debugged", "dap.txt"), []byte(strings.ReplaceAll(c.log.String(), dir, "DIR")))
	if left := processes(t, "lease.test"); left != nil {
		t.Errorf("left running: %q", left)
	}
}

// The variables of a service are shown where the handler of a step returns or panics, and at each of its lines, forwards and backwards.
func TestMdb_HandlerVariables(t *testing.T) {
	debugger(t)
	leanBuilds(t)
	here, out := filepath.Dir(testdata(t, "")), t.TempDir()
	if text, status := runHere(t, here, "search", "./testdata/handlers:TestShop", "--out", out); status != 1 {
		t.Fatalf("exit status %d\n%s", status, text)
	}
	file := filepath.Join(out, "error.path")
	text, _ := runHere(t, here, "mdb", file, "--batch", "-x", "end; frame; args; locals; back; locals; print s.Sold; print i; line; line 3; "+
		"frame; locals; watch total; when total == 4; line -1; line -20; line 50; line -1; end; watch s.Sold; watch total; when s.Sold > 1; "+
		"goroutine n1; goroutine g2; 0; locals; line x; set s.Sold = 3")
	golden.CompareFile(t, testdata(t, "handlers/variables.txt"), []byte(building.ReplaceAllString(text, "")))
	c := startEditor(t)
	c.ask("launch", object{"path": file, "stopAt": "1"}, false)
	source, err := filepath.Abs(testdata(t, "handlers/handlers_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	c.ask("setBreakpoints", object{"source": object{"path": source},
		"breakpoints": []object{{"line": 58, "condition": "left == 0"}, {"line": 63}}}, false)
	c.ask("configurationDone", nil, true)
	c.ask("threads", nil, false)
	n0, n1 := 1<<20, 2<<20
	look := func(thread, first int) {
		c.ask("stackTrace", object{"threadId": thread}, false)
		c.ask("scopes", object{"frameId": first}, false)
		c.ask("variables", object{"variablesReference": 2}, false)
	}
	look(n0, 1)
	for range 4 {
		c.ask("next", object{"threadId": n0}, true)
	}
	c.ask("stepIn", object{"threadId": n0}, true)
	look(n0, 1)
	c.ask("stepOut", object{"threadId": n0}, true)
	c.ask("stepBack", object{"threadId": n0}, true)
	c.ask("evaluate", object{"expression": "item", "context": "watch", "frameId": 0}, false)
	for range 2 {
		c.ask("continue", object{"threadId": n0}, true)
		look(n0, 1)
	}
	c.ask("stackTrace", object{"threadId": n1}, false)
	c.ask("scopes", object{"frameId": 3}, false)
	c.ask("evaluate", object{"expression": "Sold", "context": "watch", "frameId": 3}, false)
	for range 3 {
		c.ask("continue", object{"threadId": n0}, true)
	}
	for range 5 {
		c.ask("reverseContinue", object{"threadId": n0}, true)
	}
	c.ask("disconnect", nil, false)
	if status, errs := <-c.end, building.ReplaceAllString(c.errs.String(), ""); status != 0 || errs != "" {
		t.Errorf("exit status %d: %s", status, errs)
	}
	log := strings.NewReplacer(filepath.Dir(source), "DIR", out, "OUT").Replace(c.log.String())
	golden.CompareFile(t, testdata(t, "handlers/dap.txt"), []byte(log))
	if left := processes(t, "debugged.test"); left != nil {
		t.Errorf("left running: %q", left)
	}
}

// The variables of a program that runs as a node are shown after any step, forwards and backwards. An editor has its goroutines as threads.
func TestMdb_ProgramVariables(t *testing.T) {
	debugger(t)
	leanBuilds(t)
	here, out := filepath.Dir(testdata(t, "")), t.TempDir()
	text, status := runHere(t, here, "search", "./testdata/sampled:TestLastItem", "--out", out)
	if status != 1 {
		t.Fatalf("exit status %d\n%s", status, text)
	}
	file := filepath.Join(out, "error.path")
	text, status = runHere(t, here, "mdb", file, "--batch", "-x", "0; goroutine; goroutine n0 g2; frame; print s.left; end; goroutine g2; "+
		"locals; print s.left; start; goroutine g2; print s.left; watch s.left; when s.left < 0; waits")
	last := strings.LastIndex(text, "s.left = 1\n")
	for _, want := range []string{
		"n0 g2 in sampled.(*stock).sell at sampled_test.go:", "found = true\n", "s.left = -1\n", "after step 0: 1\n", "-> -1\n",
		"n0 2 x sleep at sampled_test.go:",
	} {
		if at := strings.Index(text, want); status != 0 || at < 0 || want == "s.left = -1\n" && at > last {
			t.Errorf("exit status %d, %q is missing\n%s", status, want, text)
		}
	}
	c := startEditor(t)
	c.ask("launch", object{"path": file, "stopAt": "start"}, false)
	c.ask("configurationDone", nil, true)
	c.ask("threads", nil, false)
	g2 := 1<<20 | 2
	c.ask("stackTrace", object{"threadId": g2}, false)
	c.ask("evaluate", object{"expression": "s.left", "context": "watch", "frameId": 1}, false)
	c.ask("continue", object{"threadId": g2}, true)
	c.ask("stackTrace", object{"threadId": g2}, false)
	c.ask("scopes", object{"frameId": 1}, false)
	c.ask("evaluate", object{"expression": "s.left", "context": "watch", "frameId": 1}, false)
	c.ask("stepBack", object{"threadId": g2}, true)
	c.ask("disconnect", nil, false)
	<-c.end
	for _, want := range []string{`"name":"n0 g2 sampled.(*stock).sell"`, `"result":"1"`, `"result":"-1"`, `"name":"State after the step"`} {
		if !strings.Contains(c.log.String(), want) {
			t.Errorf("%s is missing\n%s", want, &c.log)
		}
	}
	if left := processes(t, "debugged.test"); left != nil {
		t.Errorf("left running: %q", left)
	}
}
