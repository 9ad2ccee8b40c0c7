package isolate

import "testing"

// The default memory limit is below the available memory.
func TestDefaultMemory(t *testing.T) {
	if n := DefaultMemory(); n <= 0 || uint64(n) > availableMemory()*3/4 {
		t.Errorf("%d bytes of %d", n, availableMemory())
	}
}
