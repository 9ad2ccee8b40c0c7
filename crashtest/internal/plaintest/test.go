package plaintest

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/base64"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// Test describes the end of a run, from the last boot of its node, and what the store must have then.
type Test struct {
	Finding string            // of the run
	Files   map[string][]byte // that the boot found, by path in the data directory; those of folders end in a slash
	Lost    string            // what the crash before it changed, file by file; empty if nothing
	Store   Store
	Calls   []Call // of the program since then, in the order in which they began
	Opened  bool   // the last Open has succeeded

	Values  map[string][]string // possible values by key; an empty one means absent
	Records []string            // that a log or a queue must have
	Others  []string            // that it may have
	Missing int                 // number of Records that calls of Take without a result may have removed
}

// Store locates an adapter.
type Store struct {
	Dir    string   // of the test's package
	Places []Place  // of its functions
	Reader string   // function that reads the content: Get, Records or Take
	Keys   []string // of a map
}

// Place is a line of a file.
type Place struct {
	File string // without its folder
	Line int
}

// Locate locates the adapter with some functions, which may be nil.
func Locate(reader string, functions ...any) Store {
	s := Store{Reader: reader}
	s.Dir, _ = os.Getwd() // tests run in the folder of their package
	for _, f := range functions {
		if v := reflect.ValueOf(f); !v.IsNil() {
			file, line := runtime.FuncForPC(v.Pointer()).FileLine(v.Pointer())
			s.Places = append(s.Places, Place{filepath.Base(file), line})
		}
	}
	return s
}

// Call is a call of the adapter.
type Call struct {
	Method     string // a field of crashtest.Store; Close opens the store again
	Key, Value string
	N          int // of Trim
}

// fields are the functions of an adapter.
var fields = []struct{ name, typ string }{
	{"Open", "func(dir string) (D, error)"},
	{"Close", "func(d D) error"},
	{"Put", "func(d D, key, value string) error"},
	{"Get", "func(d D, key string) (value string, ok bool, err error)"},
	{"Delete", "func(d D, key string) error"},
	{"Append", "func(d D, record string) error"},
	{"Records", "func(d D) ([]string, error)"},
	{"Trim", "func(d D, n int) error"},
	{"Take", "func(d D) (record string, ok bool, err error)"},
	{"Maintain", "func(d D) error"},
}

//go:embed test.tmpl
var source string

var page = template.Must(template.New("").Funcs(template.FuncMap{"comment": comment, "literal": literal, "file": file}).Parse(source))

// functions returns the functions of the adapter that the test needs.
func (t *Test) functions() []string {
	list := []string{"Open"}
	for _, c := range t.Calls {
		list = append(list, c.Method)
	}
	if t.Opened {
		list = append(list, t.Store.Reader)
	}
	return list
}

// Needs reports whether the test needs a function of the adapter.
func (t *Test) Needs(function string) bool { return slices.Contains(t.functions(), function) }

// Reads reports whether the test reads the content by a function.
func (t *Test) Reads(function string) bool { return t.Opened && t.Store.Reader == function }

// Compresses reports whether a file is compressed in the source.
func (t *Test) Compresses() bool {
	for _, data := range t.Files {
		if _, short := quoted(data); !short {
			return true
		}
	}
	return false
}

// Write returns the source of the test.
func (t *Test) Write() ([]byte, error) {
	a, err := readAdapter(t.Store, t.functions())
	if err != nil {
		return nil, err
	}
	var body strings.Builder
	u := *t
	u.Finding, _, _ = strings.Cut(t.Finding, "\n")
	if err := page.Execute(&body, struct {
		*Test
		Expression string
	}{&u, a.expression}); err != nil {
		return nil, err
	}
	for _, path := range []string{"compress/flate", "encoding/base64", "io", "io/fs", "os", "slices", "strings", "testing", "testing/fstest"} {
		if name := filepath.Base(path); strings.Contains(body.String(), name+".") {
			a.imports[name] = path
		}
	}
	imports := map[bool]string{}                               // by whether they are of another module
	for _, name := range slices.Sorted(maps.Keys(a.imports)) { // format.Source sorts them by path
		path := a.imports[name]
		first, _, _ := strings.Cut(path, "/")
		if strings.HasPrefix(name, "_ ") {
			name = "_"
		} else if name == filepath.Base(path) {
			name = ""
		}
		imports[strings.Contains(first, ".")] += fmt.Sprintf("%s %q\n", name, path)
	}
	return format.Source([]byte(fmt.Sprintf("package crashed_test\n\nimport (\n%s\n%s)\n\n%s\n// testedStore has the functions of the store.\n"+
		"type testedStore[D any] struct {\n%s\n}\n\n%s\n",
		imports[false], imports[true], &body, strings.Join(a.fields, "\n"), strings.Join(a.decls, "\n\n"))))
}

// literal returns a string as Go source: a repeated last byte is short.
func literal(s string) string {
	n := len(s)
	for n > 0 && s[n-1] == s[len(s)-1] {
		n--
	}
	if len(s)-n < 40 {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%q + strings.Repeat(%q, %d)", s[:n], s[n:n+1], len(s)-n)
}

// file returns an element of a map of files as Go source. The content is compressed if it is long.
func file(name string, data []byte) string {
	if folder, ok := strings.CutSuffix(name, "/"); ok {
		return fmt.Sprintf("%q: {Mode: fs.ModeDir}", folder)
	}
	if text, short := quoted(data); short {
		return fmt.Sprintf("%q: {Data: []byte(%s)}", name, text)
	}
	var b bytes.Buffer
	z, _ := flate.NewWriter(&b, flate.BestCompression)
	z.Write(data)
	z.Close()
	lines := ""
	for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(b.Bytes())), 120) {
		lines += "\n" + string(line)
	}
	return fmt.Sprintf("%q: {Data: unpack(`%s`)}", name, lines)
}

// quoted returns the content of a file in quotes, and whether it is short.
func quoted(data []byte) (text string, short bool) {
	text = strconv.Quote(string(data))
	return text, len(text) <= 100
}

// comment returns texts as comment lines.
func comment(texts ...string) string {
	const width = 120
	text, line := "", "//"
	for _, word := range strings.Fields(strings.Join(texts, " ")) {
		if len(line)+len(word) > width {
			text, line = text+line+"\n", "//"
		}
		line += " " + word
	}
	return text + line + "\n"
}
