package mdb_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/mdb"
)

// An unsaved branch is dropped only if "quit" is given twice in a row, or in a batch, which cannot ask.
func TestQuit_UnsavedBranch(t *testing.T) {
	s := counted(t, 3)
	quits := func(line string) error { return s.Do(t.Context(), line, io.Discard) }
	if err := quits("quit"); !errors.Is(err, mdb.ErrQuit) {
		t.Errorf("without a branch: %v", err)
	}
	if err := s.Do(t.Context(), "1; take 0", io.Discard); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a command in between cancels the first one
		if err := quits("quit"); err == nil || errors.Is(err, mdb.ErrQuit) || !strings.Contains(err.Error(), "branch1 not saved") {
			t.Errorf("with a branch: %v", err)
		}
		if err := quits("runs"); err != nil {
			t.Fatal(err)
		}
	}
	if err := quits("quit; quit"); err == nil || errors.Is(err, mdb.ErrQuit) {
		t.Errorf("the question is passed over: %v", err)
	}
	if err := quits("quit"); !errors.Is(err, mdb.ErrQuit) {
		t.Errorf("the second time: %v", err)
	}
	if err := mdb.Batch(t.Context(), counted(t, 3), []string{"1; take 0; quit; fly"}, io.Discard); err != nil {
		t.Errorf("in a batch: %v", err)
	}
}

// An unknown field is an error that lists similar names.
func TestFind_UnknownField(t *testing.T) {
	s := drawn(t)
	for word, want := range map[string]string{"Lukc": "did you mean Luck?", "n1.Modo": "did you mean n1.Mood?", "luck": "did you mean Luck?"} {
		if why := fails(t, s, "find "+word+" == 1"); !strings.Contains(why, "has a field") || !strings.Contains(why, want) {
			t.Errorf("find %s: %s; want %q", word, why, want)
		}
	}
	wants(t, do(t, s, "find Luck == 77"), "no step after")
}

// The source around the code that handled a step is shown. The first state has none.
func TestListSource(t *testing.T) {
	s := drawn(t)
	out := do(t, s, "3; list 1")
	wants(t, out, "find_test.go:23\n", "=> 23  func (d *drawer) draw(env sim.Env) {", "   24      d.Luck, d.Mood = env.Choose(")
	if why := fails(t, s, "0; list"); !strings.Contains(why, `step 0 has no code; "critical", "end" or a number`) {
		t.Error(why)
	}
}

// A keyboard interrupt stops a command, and does nothing at the prompt.
func TestPrompt_Interrupted(t *testing.T) {
	in, keyboard := io.Pipe()
	out, shown := io.Pipe()
	interrupts := make(chan struct{}, 1)
	ended := make(chan error, 1)
	go func() { ended <- mdb.Prompt(context.Background(), counted(t, 3), in, shown, interrupts) }()
	see := func(want string) {
		t.Helper()
		got, buf := "", make([]byte, 1)
		for !strings.Contains(got, want) {
			if _, err := out.Read(buf); err != nil {
				t.Fatalf("%q, then %v", got, err)
			}
			got += string(buf)
		}
	}
	see("(mdb) ")
	interrupts <- struct{}{}
	see("\"quit\" ends the session\n(mdb) ")
	go io.WriteString(keyboard, "search violation time=10m\n")
	time.Sleep(100 * time.Millisecond) // before or within the command: both occur
	interrupts <- struct{}{}
	see("(mdb) ")
	go func() { io.WriteString(keyboard, "quit\nquit\n") }()
	go io.Copy(io.Discard, out)
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the session does not end")
	}
}

// Batch returns the error of the first command that failed. It shows each error and executes the other commands.
func TestBatch_Failure(t *testing.T) {
	for _, c := range []struct {
		lines  []string
		want   string
		errors int
	}{
		{[]string{"1; fly; 2"}, `fly: unknown command "fly"`, 1},
		{[]string{"0", "back", "fly 1", "# 3", "2"}, "back: ", 2},
		{[]string{"1; 2; fly", "", "# that is all"}, `fly: unknown command "fly"`, 1},
		{[]string{"1", "fly '", "2"}, `"fly '": a quote ' is not closed`, 1},
	} {
		var out strings.Builder
		err := mdb.Batch(t.Context(), counted(t, 3), c.lines, &out)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Count(out.String(), "\nerror: "+c.want) != 1 ||
			strings.Count(out.String(), "\nerror: ") != c.errors || !strings.Contains(out.String(), "\n(mdb) 2\n") {
			t.Errorf("%q: %v, want %s, in\n%s", c.lines, err, c.want, out.String())
		}
	}
}

// After a failed attempt to change the run, later commands would show another one than was meant.
func TestBatch_FailedTake(t *testing.T) {
	var out strings.Builder
	err := mdb.Batch(t.Context(), counted(t, 3), []string{"1; take nonsense; end", "2"}, &out)
	if err == nil || !strings.HasPrefix(err.Error(), "take nonsense: ") || !strings.HasSuffix(err.Error(), "; no command after it is executed") ||
		strings.Contains(out.String(), "(mdb) end") || strings.Contains(out.String(), "(mdb) 2") {
		t.Errorf("%v, in\n%s", err, out.String())
	}
}

// A negative answer does not fail, and the commands after it are executed.
func TestBatch_NegativeAnswer(t *testing.T) {
	var out strings.Builder
	if err := mdb.Batch(t.Context(), drawn(t), []string{"find Luck == 77; search live walks=1 steps=1; 3; critical", "2"}, &out); err != nil {
		t.Fatal(err)
	}
	wants(t, out.String(), "no step after step 0 matches Luck == 77", "none of 1 walks from step 0", "no step is critical: the run is not dead", "step 2 of 6")
}
