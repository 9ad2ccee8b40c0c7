package encoding

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"
)

// The memory that Grow leaves behind the text does not count: it cannot be read, and it differs each time.
func TestBuilders(t *testing.T) {
	s := newSet(t)
	encode := func(text string, room int, beyond byte) []byte {
		b := new(strings.Builder)
		b.Grow(room)
		b.WriteString(text)
		buf := unsafe.Slice(unsafe.StringData(b.String()), b.Cap())
		buf[len(text)] = beyond
		p, err := s.Of(b)
		if err != nil {
			t.Fatal(err)
		}
		return p.Append(nil, b)
	}
	same := encode("ab", 500, 0)
	if !bytes.Equal(same, encode("ab", 500, 7)) {
		t.Error("what lies beyond the text counts")
	}
	if bytes.Equal(same, encode("ac", 500, 0)) {
		t.Error("the text does not count")
	}
	if bytes.Equal(same, encode("ab", 8, 0)) {
		t.Error("the capacity, which Cap shows, does not count")
	}
}
