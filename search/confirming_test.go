package search

import (
	"context"
	"testing"
	"time"
)

// A confirmation ends soon after the time of its search; that of code that does not return has more, and what follows a finding none.
func TestConfirmUntil(t *testing.T) {
	began := time.Now()
	for _, c := range []struct {
		time           time.Duration
		overdue, found bool
		want           time.Duration // after the beginning
	}{
		{time.Minute, false, false, 65 * time.Second},
		{time.Second, false, false, 6 * time.Second},
		{time.Second, true, false, time.Minute},
		{time.Hour, true, false, 90 * time.Minute},
		{time.Hour, false, true, time.Hour},
		{time.Hour, true, true, time.Hour},
	} {
		cfg := Config{Time: c.time}
		if got := cfg.confirmUntil(began, &Suspect{Overdue: c.overdue}, c.found).Sub(began); got != c.want {
			t.Errorf("of %v, overdue: %v, after a finding: %v: until %v, want %v", c.time, c.overdue, c.found, got, c.want)
		}
	}
	free, cancel := new(Config).confirming(t.Context(), began, &Suspect{}, false)
	defer cancel()
	if free != t.Context() {
		t.Error("a search without a time limit limits confirmations")
	}
}

// An allowance is used up by time and processor time together, or, when the process gets no processor, after ten times as long.
func TestSpent(t *testing.T) {
	for _, c := range []struct {
		time, cpu time.Duration
		want      bool
	}{
		{4 * time.Second, 8 * time.Second, false}, {5 * time.Second, 5 * time.Second, true}, {20 * time.Second, 4 * time.Second, false},
		{50 * time.Second, 0, true},
	} {
		if got := spent(c.time, c.cpu, LeastConfirming); got != c.want {
			t.Errorf("%v, of which %v on a processor: %v", c.time, c.cpu, got)
		}
	}
}

// A context whose allowance is used up looks like one whose deadline has passed; one that ends from outside says why.
func TestAllowance(t *testing.T) {
	outside, cancel := context.WithCancel(t.Context())
	a := &allowance{Context: outside, done: make(chan struct{})}
	go a.watch(0)
	<-a.Done()
	if a.Err() != context.DeadlineExceeded {
		t.Errorf("used up: %v", a.Err())
	}
	a = &allowance{Context: outside, done: make(chan struct{})}
	go a.watch(time.Hour)
	if a.Err() != nil {
		t.Errorf("at the beginning: %v", a.Err())
	}
	cancel()
	<-a.Done()
	if a.Err() != context.Canceled {
		t.Errorf("from outside: %v", a.Err())
	}
}
