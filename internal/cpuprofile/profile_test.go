package cpuprofile

import (
	"bytes"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

//go:noinline
func spin(until time.Time) (n int) {
	for time.Now().Before(until) {
		for i := range 1000 {
			n += i
		}
	}
	return n
}

// The busiest function of this package is found in a profile, whose samples have files and lines.
func TestRead(t *testing.T) {
	own := func(f Frame) bool { return strings.Contains(f.Function, "cpuprofile.") }
	for wait := 100 * time.Millisecond; wait < time.Minute; wait *= 2 { // the machine may be busy
		var b bytes.Buffer
		if err := pprof.StartCPUProfile(&b); err != nil {
			t.Skip(err)
		}
		spin(time.Now().Add(wait))
		pprof.StopCPUProfile()
		list, err := Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		f, share := Busiest(list, own)
		if len(list) > 0 && strings.HasSuffix(f.Function, "cpuprofile.spin") && strings.HasSuffix(f.File, "profile_test.go") && f.Line > 0 && share > 0.5 {
			return
		}
		t.Logf("after %v: %v, %v of %d samples", wait, f, share, len(list))
	}
	t.Error("no profile shows where the time passes")
}

func TestRead_Damaged(t *testing.T) {
	for _, text := range []string{"", "no profile"} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read without an error", text)
		}
	}
	none := func(int, uint64, []byte) error { return nil }
	for _, text := range []string{"\x80", "\x0a", "\x0a\x05x", "\x0f\x01"} {
		if err := fields([]byte(text), none); err == nil {
			t.Errorf("the fields of %q are read without an error", text)
		}
	}
}

// Time in other functions counts for the innermost one with the property that calls them.
func TestBusiest(t *testing.T) {
	list := []Sample{
		{[]Frame{{"hash", "h.go", 1}, {"a.F", "a.go", 2}, {"a.G", "a.go", 3}}, 3},
		{[]Frame{{"a.G", "a.go", 4}}, 4},
		{[]Frame{{"collect", "gc.go", 5}}, 1},
	}
	if f, share := Busiest(list, func(f Frame) bool { return strings.HasPrefix(f.Function, "a.") }); f.Function != "a.G" || f.Line != 4 || share != 0.5 {
		t.Errorf("got %v with %v", f, share)
	}
	if f, share := Busiest(list, func(Frame) bool { return false }); f != (Frame{}) || share != 0 {
		t.Errorf("without a function, got %v with %v", f, share)
	}
}
