//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"strings"
	"testing"
)

// celsius encodes itself by a value method, ledger by a pointer method.
type celsius struct{ tenths, noise int }

func (c celsius) AppendState(dst []byte) []byte { return append(dst, byte(c.tenths)) }

type ledger struct {
	total int
	debug func()
}

func (l *ledger) AppendState(dst []byte) []byte { return append(dst, byte(l.total)) }

// station has the method by promotion, which would omit its name. archive has its own method.
type station struct {
	celsius
	name string
}
type archive struct {
	*ledger
	name string
}

func (a *archive) AppendState(dst []byte) []byte { return append(a.ledger.AppendState(dst), a.name...) }

type linked struct {
	next *linked
	n    int
}

func (l *linked) AppendState(dst []byte) []byte {
	for ; l != nil; l = l.next {
		dst = append(dst, byte(l.n))
	}
	return dst
}

func TestSelfEncoders(t *testing.T) {
	s := newSet(t)
	sameEncoding(t, s, true, celsius{1, 2}, celsius{1, 3})
	sameEncoding(t, s, false, celsius{1, 2}, celsius{2, 2})
	sameEncoding(t, s, true, []celsius{{1, 2}}, []celsius{{1, 3}})
	sameEncoding(t, s, true, map[string]*celsius{"": {1, 2}}, map[string]*celsius{"": {1, 3}})
	sameEncoding(t, s, true, []any{celsius{1, 2}}, []any{celsius{1, 3}})
	sameEncoding(t, s, true, &ledger{1, nil}, &ledger{1, func() {}})
	sameEncoding(t, s, false, &ledger{1, nil}, &ledger{2, nil})
	sameEncoding(t, s, false, station{celsius{1, 2}, "a"}, station{celsius{1, 2}, "b"})
	sameEncoding(t, s, true, station{celsius{1, 2}, "a"}, station{celsius{1, 3}, "a"})
	sameEncoding(t, s, false, &archive{&ledger{1, nil}, "a"}, &archive{&ledger{1, nil}, "b"})
	sameEncoding(t, s, true, &linked{&linked{nil, 1}, 2}, &linked{&linked{nil, 1}, 2})
	if got := string(encode(t, s, celsius{5, 6})); got != name(here+"celsius")+"\x01\x00\x00\x00\x05" {
		t.Errorf("got %q", got)
	}
	// Copies and fields follow the structure if it is supported.
	if !planOf(t, s, celsius{}).Flat() || planOf(t, s, &ledger{}).Copyable() {
		t.Error("wrong idea of what can be copied")
	}
	want := "state of *encoding.ledger: field debug (func()) cannot be copied: " +
		"add a sim.CopyBy rule for func() or let it be rebuilt by replay"
	if got := planOf(t, s, &ledger{}).Uncopyable().Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	l := &linked{&linked{nil, 1}, 2}
	c := planOf(t, s, l).Copy(l).(*linked)
	if c.next == l.next || c.next.n != 1 || c.n != 2 {
		t.Errorf("copied to %v", c)
	}
	if got := planOf(t, s, l).Text(l); got != "&linked{next:&{next:nil n:1} n:2}" {
		t.Errorf("text %s", got)
	}
	if got := planOf(t, s, &ledger{}).Text(&ledger{}); !strings.HasPrefix(got, "&ledger#") {
		t.Errorf("text %s", got)
	}
}
