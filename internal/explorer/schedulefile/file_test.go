package schedulefile

import (
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
		{"delay 5ms", "delay -5ms"}, {"delay 5ms", "delay 5"}, {"delay 5ms", "delay 10001h"},
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

func TestStored_Critical(t *testing.T) {
	trace := []testsched.Event{{Who: 5, Place: 1}, {Who: 6, Place: 1}, {Who: 5, Place: 2}}
	for _, c := range []struct {
		who, place uint64
		want       int
	}{{5, 2, 3}, {6, 1, 2}, {6, 2, 0}, {0, 0, 0}} {
		if got := (&Stored{CriticalWho: c.who, CriticalPlace: c.place}).Critical(trace); got != c.want {
			t.Errorf("point %d of goroutine %d is step %d, want %d", c.place, c.who, got, c.want)
		}
	}
}
