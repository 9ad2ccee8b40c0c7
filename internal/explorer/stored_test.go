package explorer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

// A finding is stored once it is suspected. Its file is later replaced by the minimized one, or removed.
func TestSuspect(t *testing.T) {
	t.Chdir(t.TempDir())
	c := &Config{Unit: testsched.Unit{Package: "p", Test: "TestX"}}
	found := &testsched.Schedule{Seed: 1, Switches: []testsched.Switch{{Who: 1, Place: 2, To: 3}, {Who: 4, Place: 5, To: 6}}}
	r := &Result{Found: found}
	finding := &testsched.Outcome{Kind: testsched.Deadlock, Message: "blocked"}
	s := &Settings{Options: Options{Summaries: t.TempDir()}, summary: map[string]*summary.Test{}}
	files := func(want ...string) {
		t.Helper()
		got, _ := filepath.Glob("testdata/macemc/TestX/*")
		if !slices.Equal(got, want) {
			t.Errorf("files %q, want %q", got, want)
		}
	}
	const first, second = "testdata/macemc/TestX/deadlock-1.path", "testdata/macemc/TestX/deadlock-2.path"

	s.storeUnconfirmed(c, r, finding, "confirmed")
	files(first)
	if note := s.summary["TestX"].Note; !strings.Contains(note, "DEADLOCK: blocked (the process ended before this was confirmed)") ||
		!strings.Contains(note, first) {
		t.Errorf("note %s", note)
	}
	s.files.Discard()
	files()
	if list, _ := os.ReadDir("."); len(list) > 0 {
		t.Errorf("%s is left", list[0].Name())
	}

	s.storeUnconfirmed(c, r, finding, "confirmed")
	s.storeUnconfirmed(c, r, &testsched.Outcome{Kind: testsched.Deadlock, Message: "blocked otherwise"}, "minimized")
	files(first)
	minimized := &minimize.Result{Schedule: &testsched.Schedule{Seed: 1, Switches: found.Switches[:1]}, Outcome: finding}
	if file := s.store(c, minimized, true); file != first {
		t.Errorf("stored in %s", file)
	}
	files(first)
	if list, err := schedulefile.List(testsched.Unit{Package: "p", Test: "TestX"}); err != nil || len(list) != 1 ||
		len(list[0].Schedule.Switches) != 1 {
		t.Errorf("stored %+v", list)
	}

	s.storeUnconfirmed(c, r, finding, "confirmed") // another schedule
	files(first, second)
	if file := s.store(c, minimized, true); file != first { // is minimized to the stored one
		t.Errorf("stored in %s", file)
	}
	files(first)

	if err := os.WriteFile(first, []byte("garbage\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/macemc/TestX/error.path", []byte("macemc path 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if list, err := schedulefile.List(testsched.Unit{Package: "p", Test: "TestX"}); err == nil || !strings.Contains(err.Error(),
		first+": line 1: a schedule begins with") {
		t.Errorf("a damaged file: %v, %v", list, err)
	}

	for _, file := range []string{first, filepath.Dir(first) + "/error.path"} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := schedulefile.List(testsched.Unit{Package: "p", Test: "TestX"}); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir("testdata"); err != nil || len(left) > 0 {
		t.Errorf("the folder, which is the user's, has %v: %v", left, err)
	}
	s = &Settings{}
	s.storeUnconfirmed(c, r, finding, "confirmed")
	s.files.Discard()
	if left, err := os.ReadDir("testdata"); err != nil || len(left) > 0 {
		t.Errorf("the folder, which is the user's, has %v: %v", left, err)
	}
}

// The file of a program that wrote no comment is the same finding.
func TestStored_Comment(t *testing.T) {
	t.Chdir(t.TempDir())
	s, c := new(Settings), &Config{Unit: testsched.Unit{Package: "p", Test: "TestX"}}
	m := &minimize.Result{Schedule: &testsched.Schedule{Seed: 3}, Outcome: &testsched.Outcome{Kind: testsched.Panic, Message: "boom"}}
	file := s.store(c, m, true)
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "edit nothing but a line") {
		t.Fatalf("%v: %q", err, text)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), schedulefile.Comment+"\n", "", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if again := s.store(c, m, true); again != file {
		t.Errorf("the finding is kept a second time, in %s", again)
	}
	if f, err := schedulefile.Load(file); err != nil || f.Schedule.Seed != 3 {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := schedulefile.Read(strings.NewReader(strings.Replace(string(text), "\n", "\nknown issue 12\n", 1))); err != nil ||
		f.Known != "issue 12" {
		t.Errorf("known above the comment: %v, %v", f, err)
	}
}

// A finding of builds with and without the race detector has one file, that of the build without it, and the command for that build.
func TestStored_OtherBuild(t *testing.T) {
	for _, order := range [][]bool{{false, true}, {true, false}, {true, false, true}} {
		t.Chdir(t.TempDir())
		s := new(Settings)
		for i, race := range order {
			c := &Config{Unit: testsched.Unit{Package: "p", Test: "TestX"}, Race: race}
			o := &testsched.Outcome{Kind: testsched.Deadlock, Shows: []string{"deadlock", "goroutine waits at f"}}
			m := &minimize.Result{Schedule: &testsched.Schedule{Memory: race, Switches: []testsched.Switch{{Who: 1, Place: uint64(i), To: 3}}}, Outcome: o}
			s.storeUnconfirmed(c, &Result{Found: m.Schedule}, o, "confirmed")
			file := s.store(c, m, true)
			f, err := schedulefile.Load(file)
			files, _ := filepath.Glob("testdata/macemc/TestX/*")
			if alone := race && i == 0; err != nil || len(files) != 1 || f.Race != alone || strings.Contains(replayCommand(s, c, file), "-race") != alone {
				t.Errorf("%v: after %d: %v, %+v, %v, %s", order, i, files, f, err, replayCommand(s, c, file))
			}
		}
		c := &Config{Unit: testsched.Unit{Package: "p", Test: "TestX"}, Race: true}
		other := &testsched.Outcome{Kind: testsched.Deadlock, Shows: []string{"deadlock", "goroutine waits at g"}}
		if file := s.store(c, &minimize.Result{Schedule: &testsched.Schedule{}, Outcome: other}, true); file != "testdata/macemc/TestX/deadlock-2.path" {
			t.Errorf("%v: another finding is stored in %s", order, file)
		}
	}
}
