package textfmt

import (
	"bytes"
	"testing"
)

func TestPrinter_AnySplitOfWrites(t *testing.T) {
	const text, want = "a\x1b[31m\tß\u009b2J …\u202e\xff\n\ufffe\U0001f600\x7f\r\n", "a�[31m\tß�2J …��\n�\U0001f600��\n"
	if got := Printable(text); got != want {
		t.Errorf("Printable: got %q, want %q", got, want)
	}
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := Printer(&out)
		for at := 0; at < len(text); at += size {
			part := text[at:min(at+size, len(text))]
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("Write: got %d, %v, want %d", n, err, len(part))
			}
		}
		if out.String() != want {
			t.Errorf("writes of %d bytes: got %q, want %q", size, out.String(), want)
		}
	}
}
