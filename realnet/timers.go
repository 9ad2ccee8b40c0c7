package realnet

import (
	"container/heap"
	"time"
)

// timers are the armed timers of a node, ordered by deadline.
type timers struct {
	heap   timerHeap
	byName map[any]*armed
	order  uint64
}

type armed struct {
	value any
	at    time.Time
	order uint64 // tie-break: the timer armed first fires first
	index int
}

func (t *timers) set(value any, at time.Time) {
	t.order++
	if a := t.byName[value]; a != nil {
		a.at, a.order = at, t.order
		heap.Fix(&t.heap, a.index)
		return
	}
	if t.byName == nil {
		t.byName = map[any]*armed{}
	}
	a := &armed{value: value, at: at, order: t.order}
	t.byName[value] = a
	heap.Push(&t.heap, a)
}

func (t *timers) stop(value any) {
	if a := t.byName[value]; a != nil {
		heap.Remove(&t.heap, a.index)
		delete(t.byName, value)
	}
}

// due removes and returns the first timer with a deadline not after now.
func (t *timers) due(now time.Time) (value any, ok bool) {
	if len(t.heap) == 0 || t.heap[0].at.After(now) {
		return nil, false
	}
	value = t.heap[0].value
	t.stop(value)
	return value, true
}

// next returns the first deadline.
func (t *timers) next() (at time.Time, ok bool) {
	if len(t.heap) == 0 {
		return time.Time{}, false
	}
	return t.heap[0].at, true
}

type timerHeap []*armed

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].order < h[j].order
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	a := x.(*armed)
	a.index = len(*h)
	*h = append(*h, a)
}

func (h *timerHeap) Pop() any {
	old := *h
	a := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return a
}
