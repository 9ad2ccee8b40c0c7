package dies

import (
	"sync"
	"testing"
)

var requests = make(chan int)

func init() {
	go func() {
		for r := range requests {
			if r == 1 {
				panic("request 1 comes first")
			}
			<-requests
		}
	}()
}

// The process dies if the second goroutine is first: no run contains the goroutine that panics.
func TestRequests(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { requests <- 2 - i })
	}
	wg.Wait()
}

func TestBehind(*testing.T) {}

func TestSkipped(*testing.T) {}
