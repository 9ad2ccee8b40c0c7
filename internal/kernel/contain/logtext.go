package contain

import (
	"fmt"
	"log/slog"
	"reflect"
	"strings"

	"github.com/macemc/macemc/internal/encoding/rule"
)

// LogText formats log lines of checked code, whose values may panic or not return. It holds the attributes and the open
// group of a logger. The zero value has none.
type LogText struct {
	attrs string // as text, a space before each
	group string // prefix of the keys of later attributes
}

// Line returns the text of a log line. It omits the level Info.
func (t LogText) Line(r slog.Record) string {
	var b strings.Builder
	if r.Level != slog.LevelInfo {
		fmt.Fprintf(&b, "%v ", r.Level)
	}
	b.WriteString(r.Message + t.attrs)
	r.Attrs(func(a slog.Attr) bool {
		writeAttr(&b, t.group, a)
		return true
	})
	return b.String()
}

// WithAttrs returns the text with further attributes, as [slog.Handler] does.
func (t LogText) WithAttrs(attrs []slog.Attr) LogText {
	var b strings.Builder
	for _, a := range attrs {
		writeAttr(&b, t.group, a)
	}
	t.attrs += b.String()
	return t
}

// WithGroup returns the text with a further group, as [slog.Handler] does.
func (t LogText) WithGroup(name string) LogText {
	if name != "" {
		t.group += name + "."
	}
	return t
}

func writeAttr(b *strings.Builder, group string, a slog.Attr) {
	v := a.Value
	if v.Kind() == slog.KindLogValuer {
		resolved, failed := rule.Contained(reflect.TypeOf(v.Any()), v.Resolve)
		if v = resolved; failed != "" {
			v = slog.StringValue("(its LogValue " + failed + ")")
		}
	}
	switch {
	case v.Kind() == slog.KindGroup:
		if a.Key != "" {
			group += a.Key + "."
		}
		for _, in := range v.Group() {
			writeAttr(b, group, in)
		}
	case !a.Equal(slog.Attr{}):
		var value any = v
		if v.Kind() == slog.KindAny {
			value = Shown{v.Any()}
		}
		fmt.Fprintf(b, " %s%s=%v", group, a.Key, value)
	}
}
