package predict

import (
	"runtime"
	"testing"
)

// fullRecord returns a record of maximum length, like that of a server: each of many goroutines locks, sends to another one, and receives.
func fullRecord() []Event {
	const goroutines = 200
	events := make([]Event, 0, MaxEvents)
	for i := uint64(0); len(events)+4 <= MaxEvents; i++ {
		who, to := i%goroutines+1, i*7%goroutines+1
		for _, e := range []Event{on(who, 1+i%3, Lock, Other), on(who, 1+i%3, Unlock, Other), on(who, 10+to, Send, Other),
			on(who, 10+who, Receive, Other)} {
			e.Context = uint64(e.Op) + 100*(i%50)
			e.Place = e.Context
			events = append(events, e)
		}
	}
	return events
}

func TestPredictor_Memory(t *testing.T) {
	const most = 25 << 20 // for the analysis of a full record, including the record
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p := New(1_000_000)
	p.Add(fullRecord(), 1, nil)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > most || p.Best() == nil {
		t.Errorf("allocated %d bytes, want at most %d", allocated, most)
	}
}

func BenchmarkPredictor_Add(b *testing.B) {
	events := fullRecord()
	b.ReportAllocs()
	for b.Loop() {
		New(1_000_000).Add(events, 1, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
}
