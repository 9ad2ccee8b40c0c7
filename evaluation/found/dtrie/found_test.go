package dtrie

import (
	"runtime"
	"testing"
	"time"

	"github.com/Workiva/go-datastructures/trie/dtrie"
)

// The iterator sends entries without looking at the stop channel.
func TestIterator(t *testing.T) {
	trie := dtrie.New(nil)
	for i := range 1000 {
		trie = trie.Insert(i, i)
	}
	before := runtime.NumGoroutine()
	stop := make(chan struct{})
	<-trie.Iterator(stop)
	close(stop)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if runtime.NumGoroutine() == before {
			return
		}
	}
	t.Errorf("10 s after it was stopped, the iterator has %d goroutines", runtime.NumGoroutine()-before)
}
