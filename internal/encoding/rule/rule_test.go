//lint:file-ignore U1000 fields are there for their types and are read by reflection

package rule_test

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/macemc/macemc/internal/encoding/rule"
)

type (
	Engine     struct{ core *engineCore } // like a library: the important type has no exported name
	engineCore struct{ step func() error }
	withFunc   struct{ tick func() }
	embedsFunc struct{ withFunc }
	fleet      struct{ engines map[string][][2]*Engine }
)

// named and failing implement interfaces by pointers only.
type (
	named   struct{}
	failing struct{ named }
)

func (*named) String() string  { return "" }
func (*failing) Error() string { return "" }

func encodeBy[T any]() rule.Rule { return rule.EncodeBy(func(b []byte, _ T) []byte { return b }) }
func copyBy[T any]() rule.Rule   { return rule.CopyBy(func(v T) T { return v }) }
func showBy[T any]() rule.Rule   { return rule.ShowBy(func(T) string { return "" }) }

func resolve(t *testing.T, given ...rule.Rule) *rule.List {
	t.Helper()
	rs, err := rule.Resolve(given)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

func TestResolve_RefusesBadRules(t *testing.T) {
	for _, c := range []struct {
		rules []rule.Rule
		want  string
	}{
		{[]rule.Rule{rule.ByElements(), {}}, "state rule 1 is empty: make rules by IgnoreField, EncodeBy and so on"},
		{[]rule.Rule{rule.IgnoreField[Engine]("nose")},
			`state rule IgnoreField[rule_test.Engine]("nose"): rule_test.Engine has no field "nose"`},
		{[]rule.Rule{rule.IgnoreField[Engine]("core.nose")},
			`state rule IgnoreField[rule_test.Engine]("core.nose"): rule_test.engineCore has no field "nose"`},
		{[]rule.Rule{rule.IgnoreField[fleet]("engines.nose")},
			`state rule IgnoreField[rule_test.fleet]("engines.nose"): rule_test.Engine has no field "nose"`},
		{[]rule.Rule{rule.IgnoreField[Engine]("core.step.x")},
			`state rule IgnoreField[rule_test.Engine]("core.step.x"): func() error is not a struct`},
		{[]rule.Rule{rule.IgnoreField[embedsFunc]("tick")},
			`state rule IgnoreField[rule_test.embedsFunc]("tick"): rule_test.embedsFunc has no field "tick"`},
		{[]rule.Rule{rule.IgnoreField[int]("x")}, `state rule IgnoreField[int]("x"): int is not a struct`},
		{[]rule.Rule{rule.IgnoreField[**Engine]("core")},
			`state rule IgnoreField[**rule_test.Engine]("core"): *rule_test.Engine is not a struct`},
		{[]rule.Rule{rule.MethodByName[Engine]("core")},
			`state rule MethodByName[rule_test.Engine]("core"): the field is a *rule_test.engineCore, not a function`},
		{[]rule.Rule{rule.IgnoreField[withFunc]("tick"), rule.MethodByName[*withFunc]("tick")},
			`state rule MethodByName[*rule_test.withFunc]("tick") contradicts another rule about the field`},
		{[]rule.Rule{encodeBy[int](), encodeBy[int]()}, "state rule EncodeBy[int] is given twice"},
		{[]rule.Rule{copyBy[int](), copyBy[int]()}, "state rule CopyBy[int] is given twice"},
		{[]rule.Rule{showBy[error](), showBy[error]()}, "state rule ShowBy[error] is given twice"},
	} {
		if rs, err := rule.Resolve(c.rules); rs != nil || err == nil || err.Error() != c.want {
			t.Errorf("got  %v (%v)\nwant %s", err, rs, c.want)
		}
	}
}

// The last name of a path is of a field of the struct that declares it, wherever that is.
func TestResolve_IndexesFieldsByDeclaringStruct(t *testing.T) {
	rs := resolve(t, rule.IgnoreField[*fleet]("engines.core"), rule.IgnoreField[Engine]("core"), rule.MethodByName[Engine]("core.step"))
	core, step := rule.FieldRef{In: reflect.TypeFor[Engine]()}, rule.FieldRef{In: reflect.TypeFor[engineCore]()}
	if len(rs.Fields) != 2 || rs.Fields[core] != rule.Ignored || rs.Fields[step] != rule.ByName {
		t.Errorf("got %v, want %v to be ignored, %v encoded by name", rs.Fields, core, step)
	}
}

func TestResolve_SetsFlags(t *testing.T) {
	for _, c := range []struct {
		given    rule.Rule
		want     rule.List
		nilShows bool
	}{
		{rule.ByElements(), rule.List{Loose: true}, false},
		{rule.AcrossPrograms(), rule.List{Loose: true, Across: true}, true},
		{rule.Apart(), rule.List{Apart: true}, true},
		{rule.Showing(), rule.List{Showing: true}, true},
	} {
		rs := resolve(t, c.given)
		rs.Fields = nil
		if !reflect.DeepEqual(*rs, c.want) || rs.NilShows() != c.nilShows {
			t.Errorf("%v: got %+v, nil shows %v; want %+v, %v", &c.given, *rs, rs.NilShows(), c.want, c.nilShows)
		}
	}
	if got := resolve(t, rule.Holding(1, "a"), rule.Holding(2)).Held; !slices.Equal(got, []any{1, "a", 2}) {
		t.Errorf("got the held values %v, want those of both rules in order", got)
	}
}

func TestString_NamesFunctions(t *testing.T) {
	for _, c := range []struct {
		rule rule.Rule
		want string
	}{
		{rule.ByElements(), "ByElements"}, {rule.AcrossPrograms(), "AcrossPrograms"}, {rule.Holding(1), "Holding"},
		{rule.Apart(), "Apart"}, {rule.Showing(), "Showing"}, {showBy[int](), "ShowBy[int]"},
	} {
		if got := c.rule.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// A rule for a type precedes rules for interfaces. Among these, the first one that the type implements applies.
func TestOf_PrecedenceOfRules(t *testing.T) {
	rs := resolve(t, encodeBy[error](), encodeBy[fmt.Stringer](), encodeBy[named](), copyBy[fmt.Stringer](), copyBy[error](),
		copyBy[*failing](), showBy[int]())
	for _, c := range []struct {
		typ                reflect.Type
		encode, copy, show string
	}{
		{reflect.TypeFor[named](), "EncodeBy[rule_test.named]", "", ""},
		{reflect.TypeFor[*named](), "EncodeBy[fmt.Stringer]", "CopyBy[fmt.Stringer]", ""},
		{reflect.TypeFor[failing](), "", "", ""},
		{reflect.TypeFor[*failing](), "EncodeBy[error]", "CopyBy[*rule_test.failing]", ""},
		{reflect.TypeFor[*struct{ failing }](), "EncodeBy[error]", "CopyBy[fmt.Stringer]", ""},
		{reflect.TypeFor[error](), "", "", ""},
		{reflect.TypeFor[int](), "", "", "ShowBy[int]"},
	} {
		for _, of := range []struct {
			got  *rule.Rule
			want string
		}{{rs.Encode.Of(c.typ), c.encode}, {rs.Copying.Of(c.typ), c.copy}, {rs.Show.Of(c.typ), c.show}} {
			got := ""
			if of.got != nil {
				got = of.got.String()
			}
			if got != of.want {
				t.Errorf("%v: got the rule %q, want %q", c.typ, got, of.want)
			}
		}
	}
}

func TestOneLine_JoinsLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		" a  b ":                " a  b ",
		"a\nb":                  "a b",
		"a\rb":                  "a b",
		"f[\n\ta  b\r\n\n c\n]": "f[ a  b c ]",
		"\n a \r":               "a",
		"\n":                    "",
	} {
		if got := rule.OneLine(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestContained_ReportsFailures(t *testing.T) {
	for _, c := range []struct {
		show         func(int) string
		text, failed string
	}{
		{func(n int) string { return fmt.Sprint("n =\n", n) }, "n = 3", ""},
		{func(int) string { panic("no") }, "", "panicked"},
		{func(int) string { runtime.Goexit(); return "" }, "", "ended its goroutine"},
	} {
		r := rule.ShowBy(c.show)
		if text, failed := r.ShowBoxed(3); text != c.text || failed != c.failed {
			t.Errorf("got %q, %q, want %q, %q", text, failed, c.text, c.failed)
		}
	}
}

// A function that did not return within 2 s is not called again. Others are.
func TestContained_DoesNotRepeatBlockedFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, calls := make(chan struct{}), 0
		defer close(block)
		call := func(of any) (int, string) {
			return rule.Contained(of, func() int { calls++; <-block; return 1 })
		}
		for i, want := range []struct {
			of    any
			calls int
			after time.Duration
		}{{t, 1, 2 * time.Second}, {t, 1, 0}, {&calls, 2, 2 * time.Second}} {
			start := time.Now()
			v, failed := call(want.of)
			synctest.Wait() // calls is no longer written
			if v != 0 || failed != "did not return" || calls != want.calls || time.Since(start) != want.after {
				t.Errorf("call %d: got %d, %q after %v and %d calls, want 0, did not return, after %v and %d calls",
					i, v, failed, time.Since(start), calls, want.after, want.calls)
			}
		}
	})
}
