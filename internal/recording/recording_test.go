package recording

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
)

func samples() []Event {
	return []Event{
		{Number: 1, Time: 100, Kind: eventkind.Boot, Peer: -1, Found: Found{Writes: 3, Ticks: 9, Counts: []int{0, 2}},
			Answers: []Answer{{choose.Draw, 5, 4}}, Effects: []Effect{{stepinfo.SetTimerEffect, -1}}, Ticks: 10, Writes: 3, Digest: 1 << 63},
		{Number: 2, Time: 90, Kind: eventkind.Deliver, Peer: 2, From: Ref{1 << 60, 7}, Stream: true, Data: []byte{0, 1, 2},
			Rooms: []stepinfo.Observation{{Peer: 1, Room: -1}}, Effects: []Effect{{stepinfo.StreamEffect, 1}, {stepinfo.RefusedEffect, 1}}},
		{Number: 3, Time: 1 << 60, Kind: eventkind.DoAction, Peer: -1, Name: "act", Call: true},
		{Number: 4, Kind: eventkind.FireTimer, Peer: -1, Name: "t{}", Failed: true},
		{Number: 5, Kind: eventkind.DeliverError, Peer: 0, Err: "connection reset"},
		{Number: 6, Kind: eventkind.DeliverReady, Peer: 1},
		{Number: 7, Kind: eventkind.TakeQuorum, Peer: -1, Name: "a majority",
			Set: []Received{{0, Ref{1 << 60, 7}, []byte{0, 1}}, {2, Ref{3, 1 << 40}, []byte{5}}}},
		{Number: 8, Kind: eventkind.Internal, Peer: -1},
	}
}

func header() Header { return Header{System: "x", Nodes: 3, Node: 0, Incarnation: 5} }

func write(t testing.TB, dir string) string {
	t.Helper()
	w, err := NewWriter(Options{Dir: dir}, header())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range samples() {
		w.Event(&e)
	}
	if err := w.Close(6, encoding.Fingerprint{Hi: 1, Lo: 2}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, fileName(0, 1, 1))
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	file := write(t, t.TempDir())
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r Recording
	if _, err := r.read(file, data); err != nil {
		t.Fatal(err)
	}
	if !r.Ended || r.Damage != "" || !reflect.DeepEqual(r.States, []State{{6, encoding.Fingerprint{Hi: 1, Lo: 2}}}) {
		t.Errorf("got %+v, want one state in an undamaged recording that ended", r)
	}
	for i, want := range samples() {
		got := r.Events[i]
		if len(got.Data) == 0 {
			got.Data = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("event %d\n got %+v\nwant %+v", i+1, got, want)
		}
	}
}

// A file that was cut off anywhere gives the events before the cut; one with a wrong byte never gives a
// wrong event.
func TestTornAndDamagedFiles(t *testing.T) {
	data, err := os.ReadFile(write(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		bad := append([]byte(nil), data...)
		if rapid.Bool().Draw(t, "cut") {
			bad = bad[:rapid.IntRange(0, len(data)-1).Draw(t, "at")]
		} else {
			bad[rapid.IntRange(0, len(data)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		}
		var r Recording
		if _, err := r.read("f", bad); err != nil {
			t.Fatal(err)
		}
		if r.Damage == "" && len(r.Events) < 6 && r.Ended {
			t.Fatal("missing events are not reported")
		}
		for i, e := range r.Events {
			e.Data = append([]byte(nil), e.Data...)
			if want := samples()[i]; !reflect.DeepEqual(e, want) {
				t.Fatalf("event %d is %+v", i+1, e)
			}
		}
	})
}

// An event that is missing in the middle is damage, though every record is whole.
func TestMissingEventIsDamage(t *testing.T) {
	dir := t.TempDir()
	w, err := NewWriter(Options{Dir: dir}, header())
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range samples() {
		if i != 2 {
			w.Event(&e)
		}
	}
	if err := w.Close(6, encoding.Fingerprint{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, fileName(0, 1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	var r Recording
	if _, err := r.read("f", data); err != nil || len(r.Events) != 2 || !strings.Contains(r.Damage, "found event 4 instead of event 3") {
		t.Errorf("%d events, %q, %v", len(r.Events), r.Damage, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, e := range samples() {
		f.Add(e.append(nil, 0))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var e Event
		if e.parse(data, 0) != nil {
			return
		}
		var again Event
		if err := again.parse(e.append(nil, 0), 0); err != nil || !reflect.DeepEqual(e, again) {
			t.Fatalf("%+v came back as %+v, %v", e, again, err)
		}
	})
}

func TestStartsAreCountedAndNothingIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	for want := 1; want <= 3; want++ {
		h := header()
		h.Nodes = 1
		w, err := NewWriter(Options{Dir: dir}, h)
		if err != nil || w.Header().Start != want {
			t.Fatalf("start %d, want %d: %v", w.Header().Start, want, err)
		}
		if err := w.Close(0, encoding.Fingerprint{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, fileName(0, 2, 1))); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadDir(dir); err == nil || !strings.Contains(err.Error(), "the recording of start 2 of node 0 is missing") {
		t.Error(err)
	}
}

// A full disk ends the recording, is reported once, and does not damage what was written.
func TestFullDiskEndsTheRecording(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	w, err := NewWriter(Options{Dir: t.TempDir()}, header())
	if err != nil {
		t.Fatal(err)
	}
	w.file.Close()
	w.file = full
	e := samples()[0]
	w.Event(&e)
	if err := w.Flush(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v", err)
	}
	w.Event(&e)
	if err := w.Flush(); err != nil {
		t.Errorf("reported again: %v", err)
	}
}
