package linear_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/linear"
)

// op writes Value to a register, or reads it.
type op struct {
	Key   string
	Write bool
	Value int
}

var register = linear.Model[int, op, int]{
	Step: func(state int, in op, out *int) (bool, int) {
		if in.Write {
			return true, in.Value
		}
		return out == nil || *out == state, state
	},
	Key: func(in op) any { return in.Key },
}

type history = linear.History[int, op, int]

// told parses a history from lines such as "1 write x 3", "2 read x", "1 ends", "2 ends 3".
func told(text string) *history {
	var h history
	for line := range strings.SplitSeq(text, ";") {
		var id, value int
		var what, key string
		fmt.Sscan(line, &id, &what, &key)
		switch what {
		case "write":
			fmt.Sscan(line, &id, &what, &key, &value)
			h.Begin(id, op{key, true, value})
		case "read":
			h.Begin(id, op{key, false, 0})
		case "ends":
			fmt.Sscan(line, &id, &what, &value)
			h.End(id, value)
		}
	}
	return &h
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		history string
		want    linear.Outcome
		key     any
	}{
		{"", linear.Linearizable, nil},
		{"1 write x 3; 1 ends; 2 read x; 2 ends 3", linear.Linearizable, nil},
		{"1 write x 3; 1 ends; 2 read x; 2 ends 0", linear.NotLinearizable, "x"},
		{"1 write x 3; 2 read x; 2 ends 0; 1 ends", linear.Linearizable, nil},                                          // read first
		{"1 write x 3; 2 read x; 2 ends 3; 3 read x; 3 ends 0; 1 ends", linear.NotLinearizable, "x"},                   // read and unread
		{"1 write x 3; 2 read x; 2 ends 3", linear.Linearizable, nil},                                                  // the write has not ended
		{"1 write x 3; 2 read x; 2 ends 0", linear.Linearizable, nil},                                                  // and may never have happened
		{"1 read x; 2 write x 1; 2 ends; 3 read x; 3 ends 1", linear.Linearizable, nil},                                // nor need the read
		{"1 write y 3; 1 ends; 2 read x; 2 ends 0; 3 read y; 3 ends 0", linear.NotLinearizable, "y"},                   // each key by itself
		{"1 write x 3; 1 ends; 1 read x; 1 ends 3; 1 write x 4; 1 ends", linear.Linearizable, nil},                     // an ID again
		{"1 write x 1; 1 ends; 2 write x 2; 2 ends; 3 read x; 3 ends 1", linear.NotLinearizable, "x"},                  // an old value
		{"1 write x 1; 2 write x 2; 1 ends; 2 ends; 3 read x; 3 ends 1; 4 read x; 4 ends 1", linear.Linearizable, nil}, // either was last
		{"1 write x 1; 2 write x 2; 1 ends; 2 ends; 3 read x; 3 ends 1; 4 read x; 4 ends 2", linear.NotLinearizable, "x"},
	} {
		r := linear.Check(register, told(c.history))
		if r.Outcome != c.want || r.Key != c.key {
			t.Errorf("%s: %v, key %v; want %v, key %v", c.history, r.Outcome, r.Key, c.want, c.key)
		}
		if err := r.Err(); (err == nil) != (c.want == linear.Linearizable) || errors.Is(err, linear.ErrNotLinearizable) != (c.want == linear.NotLinearizable) {
			t.Errorf("%s: %v", c.history, err)
		}
	}
}

// A history that takes too many steps is neither linearizable nor not, with the same result each time.
func TestUnknown(t *testing.T) {
	var text strings.Builder
	for i := range 9 { // concurrent, so that all orders are tried
		fmt.Fprintf(&text, "%d write x %d;", i, i)
	}
	for i := range 9 {
		fmt.Fprintf(&text, "%d ends;", i)
	}
	h := told(text.String() + "20 read y; 20 ends 7; 10 read x; 10 ends 99")
	few := register
	few.MaxSteps = 100
	onlyX := &history{Events: slices.DeleteFunc(slices.Clone(h.Events), func(e linear.Event[int, op, int]) bool { return e.ID == 20 })}
	for range 3 {
		r := linear.Check(few, onlyX)
		if r.Outcome != linear.Unknown || r.Key != "x" || r.Steps != 100 || !errors.Is(r.Err(), linear.ErrUnknown) {
			t.Errorf("%+v, %v", r, r.Err())
		}
	}
	if r := linear.Check(register, onlyX); r.Outcome != linear.NotLinearizable {
		t.Errorf("with more steps: %+v", r)
	}
	if r := linear.Check(few, h); r.Outcome != linear.NotLinearizable || r.Key != "y" {
		t.Errorf("what is wrong is told before what is unknown: %+v", r)
	}
}

func TestMisuse(t *testing.T) {
	for _, text := range []string{"1 ends 0", "1 read x; 1 read x", "1 read x; 1 ends 0; 1 ends 0"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", text)
				}
			}()
			linear.Check(register, told(text))
		}()
	}
}

// A state may be of an interface type, whose zero value is nil.
func TestInterfaceState(t *testing.T) {
	last := linear.Model[any, op, int]{Step: func(state any, in op, out *int) (bool, any) {
		if in.Write {
			return true, in.Value
		}
		return out == nil || state == *out, state
	}}
	if r := linear.Check(last, told("1 read x; 2 write x 3; 2 ends; 1 ends 3")); r.Outcome != linear.Linearizable {
		t.Errorf("got %+v, want linearizable", r)
	}
}

// A panic of the model is a panic of Check, which monitors and tests can recover from.
func TestModelPanics(t *testing.T) {
	step := func(s []int, in op, _ *int) (bool, []int) { return in.Write, s } // so that both orders of writes end in the same state
	for want, m := range map[string]linear.Model[[]int, op, int]{
		"in Init":      {Step: step, Init: func() []int { panic("in Init") }},
		"in Step":      {Step: func([]int, op, *int) (bool, []int) { panic("in Step") }},
		"in Equal":     {Step: step, Equal: func(a, b []int) bool { panic("in Equal") }},
		"uncomparable": {Step: step},
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, want) {
					t.Errorf("%s: %s", want, text)
				}
			}()
			linear.Check(m, told("1 write x 1; 2 write x 2; 1 ends; 2 ends; 3 read x; 3 ends 1"))
		}()
	}
}

// linearizable tries all orders.
func linearizable(h *history) bool {
	type call struct {
		in         op
		begin, end int
		out        *int
	}
	var calls []call
	at := map[int]int{}
	for i, e := range h.Events {
		if !e.End {
			at[e.ID] = len(calls)
			calls = append(calls, call{e.In, i, len(h.Events), nil})
			continue
		}
		calls[at[e.ID]].end, calls[at[e.ID]].out = i, &e.Out
	}
	var try func(done int, state map[string]int) bool
	try = func(done int, state map[string]int) bool {
		left := false
		for i, c := range calls {
			if done>>i&1 == 1 {
				continue
			}
			left = left || c.out != nil
			first := !slices.ContainsFunc(calls, func(d call) bool {
				return d.end < c.begin && done>>slices.IndexFunc(calls, func(e call) bool { return e.begin == d.begin })&1 == 0
			})
			if !first || !c.in.Write && c.out != nil && *c.out != state[c.in.Key] {
				continue
			}
			was := state[c.in.Key]
			if c.in.Write {
				state[c.in.Key] = c.in.Value
			}
			if try(done|1<<i, state) {
				return true
			}
			state[c.in.Key] = was
		}
		return !left
	}
	return try(0, map[string]int{})
}

// For random histories the result equals that of trying all orders.
func TestAgainstAllOrders(t *testing.T) {
	bad := 0
	rapid.Check(t, func(t *rapid.T) {
		var h history
		var open []int
		for id := range rapid.IntRange(1, 6).Draw(t, "operations") {
			for len(open) > 0 && rapid.Bool().Draw(t, "end") {
				k := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				h.End(open[k], rapid.IntRange(0, 2).Draw(t, "result"))
				open = slices.Delete(open, k, k+1)
			}
			h.Begin(id, op{rapid.SampledFrom([]string{"x", "y"}).Draw(t, "key"), rapid.Bool().Draw(t, "write"), rapid.IntRange(1, 2).Draw(t, "value")})
			open = append(open, id)
		}
		want := linearizable(&h)
		if !want {
			bad++
		}
		if r := linear.Check(register, &h); (r.Outcome == linear.Linearizable) != want || r.Outcome == linear.Unknown {
			t.Fatalf("%v, all orders: %v, of %+v", r.Outcome, want, h)
		}
	})
	if bad == 0 {
		t.Error("no history was wrong, so nothing was tested")
	}
}
