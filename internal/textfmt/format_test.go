package textfmt

import (
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567", -1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456",
	} {
		if got := Number(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 steps", 1: "1 step", 2000: "2,000 steps"} {
		if got := Plural(n, "step"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestFew(t *testing.T) {
	list := []string{"a", "b", "c"}
	for most, want := range map[int]string{0: "and 3 more", 2: "a, b, and 1 more", 3: "a, b, c", 4: "a, b, c"} {
		if got := strings.Join(Few(list, most), ", "); got != want || list[2] != "c" {
			t.Errorf("%d: %s, want %s", most, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"läuft", 5, "läuft"}, {"läuft", 4, "läu…"}, {"läuft", 1, "…"}, {"läuft", 0, "…"}, {"läuft", -3, "…"}, {"", 0, ""}} {
		if got := Truncate(c.text, c.n); got != c.want {
			t.Errorf("%q, %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
	for text, want := range map[string]string{"a\nb": "a", "a": "a", "": "", "\nb": ""} {
		if got := FirstLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The first letters that differ are shown, wherever they are.
func TestCutPair(t *testing.T) {
	const same = `{"Token":1,"Holder":2,"Waiting":[3,4,5],`
	for _, c := range []struct {
		a, b         string
		n            int
		wantA, wantB string
	}{
		{"ab", "ac", 2, "ab", "ac"},
		{same + `"Done":false}`, same + `"Done":true}`, 20, `…,4,5],"Done":false}`, `…,4,5],"Done":true}`},
		{"x" + same, "y" + same, 10, `x{"Token"…`, `y{"Token"…`},
		{same, same + "more", 12, `…3,4,5],`, `…3,4,5],more`},
		{"", same, 6, "", `{"Tok…`},
	} {
		if a, b := CutPair(c.a, c.b, c.n); a != c.wantA || b != c.wantB {
			t.Errorf("%q, %q, %d: %q, %q, want %q, %q", c.a, c.b, c.n, a, b, c.wantA, c.wantB)
		}
	}
}

// Numbers behind names are left out unless they tell the values apart.
func TestNames(t *testing.T) {
	for _, c := range [][4]string{
		{"joining(1)", "joined(2)", "joining", "joined"}, {"{2}(4)", "{}(0)", "{2}", "{}"}, {"tick(3)", "tick(4)", "tick(3)", "tick(4)"},
		{"none", "joined(2)", "none", "joined(2)"}, {"1", "2", "1", "2"}, {"f(x)", "g(y)", "f(x)", "g(y)"}, {"(1)", "a(2)", "(1)", "a(2)"}, {"low(-1)", "a(2)", "low", "a"},
	} {
		if a, b := Names(c[0], c[1]); a != c[2] || b != c[3] {
			t.Errorf("%s, %s: %s, %s", c[0], c[1], a, b)
		}
	}
}
