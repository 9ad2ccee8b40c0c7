package aliasing

import (
	"testing"

	"github.com/macemc/macemc/sim"
)

type part struct{ N int }

type owner struct {
	sim.Nop
	Parts  []*part
	ByName map[string]*part
	Own    *part
	any    any
	empty  *struct{}
}

func TestAliased(t *testing.T) {
	p, list, nothing := &part{}, make([]*part, 1), &struct{}{}
	table := map[string]*part{"a": p}
	for _, c := range []struct {
		a, b         *owner
		mine, theirs string
	}{
		{&owner{Own: p}, &owner{Parts: []*part{nil, p}}, "Own", "Parts[1]"},
		{&owner{ByName: table}, &owner{ByName: table}, "ByName", "ByName"},
		{&owner{ByName: map[string]*part{"x": p}}, &owner{any: part{}, Own: p}, "ByName[...]", "Own"},
		{&owner{Parts: list}, &owner{any: list}, "Parts", "any"},
		{&owner{Own: &part{}, empty: nothing}, &owner{Own: &part{}, empty: nothing}, "", ""},
		{&owner{}, &owner{}, "", ""},
	} {
		mine, theirs, ok := Common(c.a, c.b)
		if mine != c.mine || theirs != c.theirs || ok != (c.mine != "") {
			t.Errorf("%q, %q, %v; want %q, %q", mine, theirs, ok, c.mine, c.theirs)
		}
	}
}
