package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// A replay shows what the scheduled run prints and logs, once, and nothing of other runs. A finding shows the end of that, and the debugger
// the lines of each step.
func TestTest_Output(t *testing.T) {
	testFile(t, `package x

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

func TestStop(t *testing.T) {
	done := make(chan bool)
	stop := func(i int) {
		select {
		case <-done:
		default:
			fmt.Println("stop", i)
			t.Log("logs", i)
			close(done)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { stop(1) })
	wg.Go(func() { stop(2) })
	wg.Wait()
}

func TestStuck(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		print("builtin ", 7, "\n")
		fmt.Fprintln(os.Stderr, "stderr")
		t.Log("waits")
		<-make(chan int)
	})
}

func TestOther(t *testing.T) { fmt.Println("other") }
`)
	out, _ := commandHere(t.Context(), "test", ".")
	for _, want := range []string{
		"    last output of the run:\n      stop 1\n      x_test.go:17: logs 1\n      stop 2\n      x_test.go:17: logs 2\n    replay: ",
		"    last output of the run:\n      x_test.go:31: waits\n    replay: ", // the first run has shown the other lines
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	stop, stuck := filepath.Join("testdata", "macemc", "TestStop", "panic-1.path"), filepath.Join("testdata", "macemc", "TestStuck", "deadlock-1.path")
	const critical = "critical step: 7 of 10" // it is reported if the replay executes the same run
	for _, c := range []struct {
		args  string
		wants string // each once, separated by semicolons
		nots  string
	}{
		{"-schedule " + stop, "stop 1\n;stop 2\n;logs 1\n;logs 2\n;" + critical, "other;last output"},
		{"-v -schedule " + stop, "stop 1\n;stop 2\n;logs 1\n;logs 2\n;" + critical, "other;last output"},
		{"-v -run TestStop|TestOther -schedule " + stop, "stop 1\n;stop 2\n;other\n", "last output"},
		{"-schedule " + stuck, "builtin 7\n;stderr\n;last output of the run:\n      x_test.go:31: waits\n", "other"},
		{"-v -schedule " + stuck, "builtin 7\n;stderr\n;x_test.go:31: waits\n", "other;last output"},
	} {
		out, status := commandHere(t.Context(), append([]string{"test"}, strings.Fields(c.args)...)...)
		for want := range strings.SplitSeq(c.wants, ";") {
			if n := strings.Count(out, want); n != 1 {
				t.Errorf("%s: %q is there %d times in\n%s", c.args, want, n, out)
			}
		}
		for not := range strings.SplitSeq(c.nots, ";") {
			if strings.Contains(out, not) {
				t.Errorf("%s: %q is in\n%s", c.args, not, out)
			}
		}
		if status != 1 {
			t.Errorf("%s: exit status %d", c.args, status)
		}
	}
	out, status := commandHere(t.Context(), "mdb", stop, "--batch", "-x", "6; 7; 8")
	if status != 0 || strings.Count(out, "prints") != 2 || !strings.Contains(out, `; prints "stop 1", "x_test.go:17: logs 1"`) {
		t.Errorf("exit status %d: %s", status, out)
	}
}

// A test or an example may close or replace the standard files, as often as it runs.
func TestTest_StandardFiles(t *testing.T) {
	testFile(t, `package x

import (
	"fmt"
	"io"
	"os"
	"testing"
)

func concurrently(f func()) {
	done := make(chan bool)
	for range 2 {
		go func() { f(); done <- true }()
	}
	<-done
	<-done
}

func Example() {
	concurrently(func() { fmt.Println("text") })
	if err := os.Stdout.Close(); err != nil {
		panic(err)
	}
	// Output: text
	// text
}

func Example_replaced() {
	fmt.Println("text")
	concurrently(func() { os.Stdout = nil })
	// Output: text
}

func Example_wrong() {
	concurrently(func() { fmt.Println("text") })
	os.Stdout.Close()
	// Output: text
}

func Example_longer() {
	concurrently(func() { fmt.Println("text") })
	// Output: 1
	// 2
	// 3
	// 4
	// 5
	// 6
	// 7
}

func TestCloses(t *testing.T) {
	concurrently(func() {})
	for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if f.Close() == nil {
			t.Error("closed twice")
		}
	}
	if n, err := fmt.Println("after"); err == nil {
		t.Error("written:", n)
	}
}

func TestReplaces(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = w
	concurrently(func() { fmt.Println("text") })
	w.Close()
	if b, err := io.ReadAll(r); err != nil || string(b) != "text\ntext\n" {
		t.Error(string(b), err)
	}
}

func TestZ(t *testing.T) { fmt.Println("still open") }
`)
	out, status := testCommand(t.Context(), "-count=1", "-v", "-schedules=20", ".")
	expect(t, out, "--- PASS: Example ", "--- PASS: Example_replaced ", `FAILED TEST: the output is "text\\ntext", want "text"`,
		"--- PASS: TestCloses ", "--- PASS: TestReplaces ", "still open\n")
	if status != 1 || strings.Contains(out, "last output") { // what is wanted is no output
		t.Errorf("status %d, %s", status, out)
	}
}
