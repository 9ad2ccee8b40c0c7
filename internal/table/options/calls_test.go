package options_test

import (
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/store"
)

// Only a call of what had been done before, which then did not end the process, leaves doubts when it is skipped.
func TestCalls_Doubts(t *testing.T) {
	for kind := options.HandlerCall; kind <= options.RunCall; kind++ {
		c := &options.Calls{At: new(uint64)}
		before, err := c.Enter(kind, 5)
		noted := *c.At
		if c.Leave(before); err != nil || noted == 0 || *c.At != 0 {
			t.Fatalf("kind %d: %v, noted as %x, then %x", kind, err, noted, *c.At)
		}
		c = &options.Calls{At: new(uint64), Skipped: []uint64{noted}}
		if _, err := c.Enter(kind, 5); !store.IsOverdue(err) || *c.At != 0 || c.Doubts() != (kind == options.RepeatCall || kind == options.RunCall) {
			t.Errorf("kind %d: %v, %x goes on, doubts %v", kind, err, *c.At, c.Doubts())
		}
		if _, err := c.Enter((kind+1)%(options.RunCall+1), 5); err != nil {
			t.Errorf("kind %d is taken for another one", kind)
		}
	}
}
