package table

import "testing"

// Only a call of what had been done before, which then did not end the process, leaves doubts when it is refused.
func TestDoubts(t *testing.T) {
	for kind := handlerCall; kind <= runCall; kind++ {
		c := &Calls{At: new(uint64)}
		before, err := c.call(kind, 5)
		noted := *c.At
		if c.end(before); err != nil || noted == 0 || *c.At != 0 {
			t.Fatalf("kind %d: %v, noted as %x, then %x", kind, err, noted, *c.At)
		}
		c = &Calls{At: new(uint64), Refused: []uint64{noted}}
		if _, err := c.call(kind, 5); !overdue(err) || *c.At != 0 || c.Doubts() != (kind == againCall || kind == runCall) {
			t.Errorf("kind %d: %v, %x goes on, doubts %v", kind, err, *c.At, c.Doubts())
		}
		if _, err := c.call((kind+1)%(runCall+1), 5); err != nil {
			t.Errorf("kind %d is taken for another one", kind)
		}
	}
}
