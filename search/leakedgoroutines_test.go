package search

import (
	"runtime"
	"testing"
)

// Only goroutines that the marked function started, directly or not, are reported.
func TestDetectLeaks_OwnGoroutines(t *testing.T) {
	waiting := func() (end chan bool) { // until something is sent, twice
		end = make(chan bool)
		began := make(chan bool)
		go func() { go func() { <-end; end <- true }(); close(began) }()
		<-began
		return end
	}
	goesOn := detectLeaks(t.Context(), func() {})
	other, own := waiting(), make(chan bool)
	if goesOn() {
		t.Error("a goroutine of others is taken for one of the search")
	}
	goesOn = detectLeaks(t.Context(), func() {
		own = waiting()
		other <- true
		<-other
	})
	if !goesOn() {
		t.Error("a goroutine that goes on is not told of, as another one has ended")
	}
	own <- true
	<-own
	for goesOn() {
		runtime.Gosched()
	}
}
