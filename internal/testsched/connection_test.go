package testsched

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/predict"
)

// Messages arrive as they were sent, also those that repeat texts of earlier ones.
func TestConnection(t *testing.T) {
	schedule := &Schedule{Seed: 1 << 63, Walk: 7, Policy: SURW, Every: 8, Ops: 1<<32 - 1, Drops: []uint64{3}, Delay: time.Second, Unfair: true,
		Switches: []Switch{{Who: 1, Place: 2, To: 3}}, Plan: &Plan{Taken: []uint32{0, 1}, Asleep: []uint64{9}, Reduce: true},
		Leaving: Leaving{Ends: []string{"a"}, Remain: []string{"a", "b"}},
		Manner: Manner{Showing: Aside, Hasty: true, Recorded: true, Record: "file",
			Prediction: &predict.Prediction{Holds: []predict.Hold{{Who: 1, Context: 2, Op: 3, Nth: 4, Mode: predict.Locked, Order: 5}}}}}
	outcome := &Outcome{Kind: Leak, Message: "m", Points: 1, Patient: true, Skipped: true, Sampled: sampledAll, Exceeded: Exceeded{-1, time.Hour, true},
		Enumerated: Enumerated{Decisions: []Decision{{Kind: 2, Taken: 1, Options: []Option{{Who: 5, Mask: 1<<64 - 1}}}}},
		Remaining:  Remaining{Left: []LeftGoroutine{{Text: "a", As: "b", At: 77, Place: "a"}}, OthersRemain: true},
		Bounds: Bounds{Recorded: Recorded{Unrecorded: 2, Events: []predict.Event{{Who: 1, Object: 2, Place: 3, Context: 4, Time: -5, Due: 6,
			Waker: 7, Op: predict.Lock, Method: predict.Loads, Flags: predict.Reads}}}}}
	messages := []struct{ sent, received any }{
		{&Call{What: Continues, Unit: Unit{Package: "p", Test: "TestA", Shared: true}, Deadline: 3, Base: -1, Later: []string{"a"}, Status: 1,
			Processor: 2}, new(Call)},
		{&Request{Part: "TestA/b", Schedules: []*Schedule{schedule, {}}, Traced: true, Executed: 3, Dies: Dying{"a", "b"},
			Weights: []Weight{{Who: 1 << 63, Points: 4}}}, new(Request)},
		{&Request{What: Select, Only: "a", Without: []string{"b"}, Shown: true}, new(Request)},
		{&Request{What: Located, Places: []uintptr{5}}, new(Request)},
		{&Request{What: Concludes, Verdict: Verdict{Long: true, Finding: "f", Failing: []string{"x"}, Rest: []string{"y"}}}, new(Request)},
		{&Response{Outcomes: []*Outcome{outcome, {}}, Names: []string{"n"}, Subtests: []Subtest{{Name: "a", Parent: -1, Choices: 5}},
			Weights: []Weight{{Who: 5, Points: 1}}, Effects: true, Processor: time.Minute}, new(Response)},
	}
	var stream bytes.Buffer
	c := Connect(&stream)
	for range 2 {
		for _, m := range messages {
			if err := c.Send(m.sent); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range messages {
			got := reflect.New(reflect.TypeOf(m.received).Elem()).Interface()
			if err := c.Receive(got); err != nil || !reflect.DeepEqual(got, m.sent) {
				t.Errorf("got %+v, %v, want %+v", got, err, m.sent)
			}
		}
	}
	stream.Write([]byte{1, 0, 0, 0, 0xff})
	if err := c.Receive(new(Request)); err != ErrDamaged {
		t.Errorf("a damaged message: %v", err)
	}
	stream.WriteString("text of a test")
	if err := c.Receive(new(Request)); err != ErrDamaged || len(c.in.bytes) > 0 {
		t.Errorf("text: %v, %d bytes", err, len(c.in.bytes))
	}
}

const sampledAll = SampledNumbers | SampledMaps

// Texts get their numbers anew when there are many.
func TestCoder_ManyTexts(t *testing.T) {
	out, in := &coder{}, &coder{decodes: true}
	for i := range 3 * maxTexts {
		want := string(rune('a'+i%7)) + string(rune(i%0xd000))
		out.bytes = out.bytes[:0]
		out.text(&want)
		var got string
		in.bytes = out.bytes
		if in.text(&got); got != want || in.failed || len(in.bytes) > 0 {
			t.Fatalf("text %d: got %q, want %q", i, got, want)
		}
	}
}
