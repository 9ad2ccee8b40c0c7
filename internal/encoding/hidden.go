package encoding

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/macetime"
)

// mostHidden is the maximum number of changes that Hidden lists.
const mostHidden = 3

// Hidden lists the first numbers, strings and lengths in which two values of p's type differ although no field of
// [Plan.Fields] shows it. Rules and tags exclude them from the encoding. Functions, channels and times are ignored.
func (p *Plan) Hidden(a, b any) []diff.Change {
	shown := slices.DeleteFunc(diff.Between(p.Fields("", a, nil), p.Fields("", b, nil)), func(c diff.Change) bool {
		hash := hashInText.FindString(c.Old)
		return hash != "" && hash == hashInText.FindString(c.New) // the text for people differs, the encoding does not
	})
	h := unencoded{shown: shown, met: map[[2]uintptr]bool{}}
	h.compare("", reflect.ValueOf(a), reflect.ValueOf(b))
	return h.changes
}

// hashInText matches the end of the text of a value that a function encodes.
var hashInText = regexp.MustCompile(`#[0-9a-f]{16}$`)

// unencoded compares values by their memory.
type unencoded struct {
	shown   []diff.Change
	met     map[[2]uintptr]bool // pairs of pointers
	changes []diff.Change
}

func (h *unencoded) compare(path string, a, b reflect.Value) {
	if len(h.changes) == mostHidden || a.IsValid() != b.IsValid() || !a.IsValid() {
		return
	}
	if a.Type() != b.Type() {
		h.note(path, a.Type().String(), b.Type().String())
		return
	}
	switch a.Type() {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[time.Location](), reflect.TypeFor[macetime.Time]():
		return
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			h.compare(joinPath(path, a.Type().Field(i).Name), a.Field(i), b.Field(i))
		}
	case reflect.Pointer:
		if h.present(path, a, b) && h.first(a, b) {
			h.compare(path, a.Elem(), b.Elem())
		}
	case reflect.Interface:
		if h.present(path, a, b) {
			h.compare(path, a.Elem(), b.Elem())
		}
	case reflect.Map:
		if h.present(path, a, b) && h.first(a, b) && h.lengths(path, a, b) {
			h.entries(path, a, b)
		}
	case reflect.Slice:
		if h.lengths(path, a, b) {
			h.elements(path, a, b)
		}
	case reflect.Array:
		h.elements(path, a, b)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
	default:
		if was, now := plain(a), plain(b); was != now {
			h.note(path, was, now)
		}
	}
}

func (h *unencoded) elements(path string, a, b reflect.Value) {
	for i := range a.Len() {
		h.compare(path+"["+strconv.Itoa(i)+"]", a.Index(i), b.Index(i))
	}
}

func (h *unencoded) entries(path string, a, b reflect.Value) {
	for _, key := range a.MapKeys() {
		if k := plain(key); k != "" {
			h.compare(path+"["+k+"]", a.MapIndex(key), b.MapIndex(key))
		}
	}
}

// present reports whether both values are not nil.
func (h *unencoded) present(path string, a, b reflect.Value) bool {
	if a.IsNil() != b.IsNil() {
		text := map[bool]string{true: "nil", false: "not nil"}
		h.note(path, text[a.IsNil()], text[b.IsNil()])
	}
	return !a.IsNil() && !b.IsNil()
}

func (h *unencoded) first(a, b reflect.Value) bool {
	pair := [2]uintptr{a.Pointer(), b.Pointer()}
	if h.met[pair] || pair[0] == pair[1] {
		return false
	}
	h.met[pair] = true
	return true
}

func (h *unencoded) lengths(path string, a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		h.note("len("+path+")", strconv.Itoa(a.Len()), strconv.Itoa(b.Len()))
	}
	return a.Len() == b.Len()
}

// note records a change unless a field shows it.
func (h *unencoded) note(path, was, now string) {
	for _, c := range h.shown {
		if strings.HasPrefix(path, c.Path) || strings.HasPrefix(c.Path, path) {
			return
		}
	}
	h.changes = append(h.changes, diff.Change{Path: path, Old: was, New: now})
}

// plain returns the text of a value without parts, or an empty string for other values.
func plain(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.Kind() == reflect.String:
		return strconv.Quote(v.String())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case v.CanComplex():
		return strconv.FormatComplex(v.Complex(), 'g', -1, 128)
	}
	return ""
}
