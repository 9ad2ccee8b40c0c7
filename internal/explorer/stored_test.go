package explorer

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/testsched"
)

func TestStored_RoundTrip(t *testing.T) {
	want := &Stored{Unit: testsched.Unit{Package: "example.org/p", Test: "TestX"}, Finding: "DEADLOCK: the test does not return", CriticalWho: 1 << 63,
		CriticalPlace: 7, Hash: 1<<64 - 2, Schedule: testsched.Schedule{Seed: 1<<64 - 1, Memory: true, Warm: true,
			Instant: 1790000000123456789, Limit: 9, Delay: 5 * time.Millisecond, Unfair: true,
			Leaving: testsched.Leaving{Ends: []string{"p.(*T).f"}, Remain: []string{"p.g", "p.g"}},
			Switches: []testsched.Switch{{Who: 5, Place: 7, To: 9}, {Who: 9, Place: 3<<40 | 2 | 1<<63, To: 5}, {Who: 9, Place: 8,
				To: testsched.Pauses}}}}
	var b strings.Builder
	if _, err := want.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Read(strings.NewReader(b.String()))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, c := range []struct {
		critical string
		hash     uint64
	}{{"", 0}, {" passing 3 of 6 order fffffffffffffffe", want.Hash}} {
		old := strings.Replace(b.String(), " order fffffffffffffffe", c.critical, 1)
		if got, err := Read(strings.NewReader(old)); err != nil || got.CriticalPlace != 7 || got.Hash != c.hash {
			t.Errorf("an older file: got %+v, %v; want order %x", got, err, c.hash)
		}
	}
	for _, damage := range [][2]string{{"macemc schedule 1", "macemc schedule 2"}, {"end 3", "end 2"}, {"end 3\n", ""},
		{"pause 9", "pause y"}, {"switch 5", "switch x"}, {"seed ", "seeds "}, {"critical 8", "critical x"}, {"order f", "order x"},
		{"delay 5ms", "delay -5ms"}, {"delay 5ms", "delay 5"},
		{"package example.org/p", "package -exec=./x.sh"}, {"package example.org/p", "package ./..."}, {"package example.org/p\n", ""},
		{"test TestX", "test ../TestX"}, {"test TestX\n", ""}, {"limit 9", "flags -toolexec=./x.sh"}, {"limit 9",
			"flags -args -test.cpuprofile=x"},
		{"limit 9", "limit 9\nlimit 9"}, {" after ", " behind "}, {"memory true", "memory yes"}} {
		text := strings.Replace(b.String(), damage[0], damage[1], 1)
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q in place of %q was read", damage[1], damage[0])
		}
	}
}

// Texts that are only shown have no control characters, whatever the file. What a run shows is cleaned alike, so that they can be equal.
func TestStored_Printable(t *testing.T) {
	const text = "macemc schedule 1\npackage p\ntest TestX\nfinding PANIC: \x1b[2Jboom\nshows panic: \x1b[2Jboom at p.f\u202e\nknown \ax\nends \x9b\nend 0\n"
	f, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	o := &testsched.Outcome{Kind: testsched.Panic, Message: "\x1b[2Jboom", Shows: []string{"panic: \x1b[2Jboom at p.f\u202e"}}
	o.Identify()
	if !slices.Equal(append(f.Shows, "panic"), []string{o.Shows[1], o.Shows[0]}) || f.Finding != o.Title() || f.Known != "\ufffdx" ||
		f.Schedule.Ends[0] != "\ufffd" {
		t.Errorf("got %+v, %+v", f, o)
	}
}

// A finding is stored once it is suspected. Its file is later replaced by the minimized one, or removed.
func TestSuspect(t *testing.T) {
	t.Chdir(t.TempDir())
	c := &Config{Unit: testsched.Unit{Package: "p", Test: "TestX"}}
	found := &testsched.Schedule{Seed: 1, Switches: []testsched.Switch{{Who: 1, Place: 2, To: 3}, {Who: 4, Place: 5, To: 6}}}
	r := &Result{Found: found}
	finding := &testsched.Outcome{Kind: testsched.Deadlock, Message: "blocked"}
	s := &Settings{Options: Options{Summaries: t.TempDir()}, summary: map[string]*Summary{}}
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
	s.discard("")
	files()
	if list, _ := os.ReadDir("."); len(list) > 0 {
		t.Errorf("%s is left", list[0].Name())
	}

	s.storeUnconfirmed(c, r, finding, "confirmed")
	s.storeUnconfirmed(c, r, &testsched.Outcome{Kind: testsched.Deadlock, Message: "blocked otherwise"}, "minimized")
	files(first)
	minimized := &Minimized{Schedule: &testsched.Schedule{Seed: 1, Switches: found.Switches[:1]}, Outcome: finding}
	if file := s.store(c, minimized); file != first {
		t.Errorf("stored in %s", file)
	}
	files(first)
	if list, err := stored(testsched.Unit{Package: "p", Test: "TestX"}); err != nil || len(list) != 1 ||
		len(list[0].Schedule.Switches) != 1 {
		t.Errorf("stored %+v", list)
	}

	s.storeUnconfirmed(c, r, finding, "confirmed") // another schedule
	files(first, second)
	if file := s.store(c, minimized); file != first { // is minimized to the stored one
		t.Errorf("stored in %s", file)
	}
	files(first)

	if err := os.WriteFile(first, []byte("garbage\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/macemc/TestX/error.path", []byte("macemc path 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if list, err := stored(testsched.Unit{Package: "p", Test: "TestX"}); err == nil || !strings.Contains(err.Error(),
		first+": line 1: a schedule begins with") {
		t.Errorf("a damaged file: %v, %v", list, err)
	}

	for _, file := range []string{first, filepath.Dir(first) + "/error.path"} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := stored(testsched.Unit{Package: "p", Test: "TestX"}); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir("testdata"); err != nil || len(left) > 0 {
		t.Errorf("the folder, which is the user's, has %v: %v", left, err)
	}
	s = &Settings{}
	s.storeUnconfirmed(c, r, finding, "confirmed")
	s.discard("")
	if left, err := os.ReadDir("testdata"); err != nil || len(left) > 0 {
		t.Errorf("the folder, which is the user's, has %v: %v", left, err)
	}
}

// The file of a program that wrote no comment is the same finding.
func TestStored_Comment(t *testing.T) {
	t.Chdir(t.TempDir())
	s, c := new(Settings), &Config{Unit: testsched.Unit{Package: "p", Test: "TestX"}}
	m := &Minimized{Schedule: &testsched.Schedule{Seed: 3}, Outcome: &testsched.Outcome{Kind: testsched.Panic, Message: "boom"}}
	file := s.store(c, m)
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "edit nothing but a line") {
		t.Fatalf("%v: %q", err, text)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), comment+"\n", "", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if again := s.store(c, m); again != file {
		t.Errorf("the finding is kept a second time, in %s", again)
	}
	if f, err := Load(file); err != nil || f.Schedule.Seed != 3 {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := Read(strings.NewReader(strings.Replace(string(text), "\n", "\nknown issue 12\n", 1))); err != nil ||
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
			m := &Minimized{Schedule: &testsched.Schedule{Memory: race, Switches: []testsched.Switch{{Who: 1, Place: uint64(i), To: 3}}}, Outcome: o}
			s.storeUnconfirmed(c, &Result{Found: m.Schedule}, o, "confirmed")
			file := s.store(c, m)
			f, err := Load(file)
			files, _ := filepath.Glob("testdata/macemc/TestX/*")
			if alone := race && i == 0; err != nil || len(files) != 1 || f.Race != alone || strings.Contains(replayCommand(s, c, file), "-race") != alone {
				t.Errorf("%v: after %d: %v, %+v, %v, %s", order, i, files, f, err, replayCommand(s, c, file))
			}
		}
		c := &Config{Unit: testsched.Unit{Package: "p", Test: "TestX"}, Race: true}
		other := &testsched.Outcome{Kind: testsched.Deadlock, Shows: []string{"deadlock", "goroutine waits at g"}}
		if file := s.store(c, &Minimized{Schedule: &testsched.Schedule{}, Outcome: other}); file != "testdata/macemc/TestX/deadlock-2.path" {
			t.Errorf("%v: another finding is stored in %s", order, file)
		}
	}
}
