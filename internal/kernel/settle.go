package kernel

import (
	"runtime"
	"time"
)

// settle waits until there are no more goroutines than before a handler ran, so that one which panics does so in the step that started it.
// It does not wait for those of programs, whose steps end when all of them wait, and for others at most 20 ms.
func (w *machine) settle(n *node, before int) {
	if Carries(n.service) {
		return
	}
	for tries := 0; tries < 200 && runtime.NumGoroutine() > before; tries++ {
		time.Sleep(100 * time.Microsecond)
	}
}
