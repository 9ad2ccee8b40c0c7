package plaintest

import (
	"bytes"
	"compress/flate"
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
	Dir    string  // of the test's package
	Places []Place // of its functions
	Reader string  // function that reads the content: Get, Records or Take
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
var fields = []struct{ name, typ, call string }{
	{"Open", "func(dir string) (D, error)", ""},
	{"Close", "func(d D) error", "check(s.Close(d))\n\td, err = s.Open(dir)\n\tcheck(err)"},
	{"Put", "func(d D, key, value string) error", "check(s.Put(d, KEY, VALUE))"},
	{"Get", "func(d D, key string) (value string, ok bool, err error)", ""},
	{"Delete", "func(d D, key string) error", "check(s.Delete(d, KEY))"},
	{"Append", "func(d D, record string) error", "check(s.Append(d, VALUE))"},
	{"Records", "func(d D) ([]string, error)", ""},
	{"Trim", "func(d D, n int) error", "check(s.Trim(d, COUNT))"},
	{"Take", "func(d D) (record string, ok bool, err error)", "take()"},
	{"Maintain", "func(d D) error", "check(s.Maintain(d))"},
}

// readers are the statements that compare the content, by the function that reads it.
var readers = map[string]string{
	"Get": `for key, possible := range values {
		value, ok, err := s.Get(d, key)
		check(err)
		if !ok {
			value = ""
		}
		if !slices.Contains(possible, value) {
			t.Errorf("%s is %.60q, must be one of %.60q (\"\" means absent)", key, value, possible)
		}
	}`,
	"Records": `found, err := s.Records(d)
	check(err)`,
	"Take": `for take() {
	}`,
}

const begins = `func TestCrashed(t *testing.T) {
	dir := t.TempDir()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.CopyFS(dir, files))
	s := %s
`

const takes = `	var found []string
	take := func() bool {
		record, ok, err := s.Take(d)
		check(err)
		if ok {
			found = append(found, record)
		}
		return ok
	}
`

const compares = `seen, missing := map[string]bool{}, %d // a call of Take may have removed one
	for _, record := range found {
		if !slices.Contains(records, record) && !slices.Contains(others, record) {
			t.Errorf("%%.60q was never appended", record)
		}%s
		seen[record] = true
	}
	for _, record := range records {
		if !seen[record] {
			if missing--; missing < 0 {
				t.Errorf("%%.60q was acknowledged and is lost", record)
			}
		}
	}`

const twice = `
		if seen[record] {
			t.Errorf("%.60q is there twice", record)
		}`

const unpacks = `
// unpack decompresses a file.
func unpack(text string) []byte {
	b, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))))
	if err != nil {
		panic(err)
	}
	return b
}
`

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

// Write returns the source of the test.
func (t *Test) Write() ([]byte, error) {
	needed := t.functions()
	a, err := readAdapter(t.Store, needed)
	if err != nil {
		return nil, err
	}
	body := t.body(needed, a.expression) + t.variables()
	if strings.Contains(body, "unpack(") {
		body += unpacks
	}
	for _, path := range []string{"compress/flate", "encoding/base64", "io", "io/fs", "os", "slices", "strings", "testing", "testing/fstest"} {
		if name := filepath.Base(path); strings.Contains(body, name+".") {
			a.imports[name] = path
		}
	}
	var w strings.Builder
	w.WriteString("package crashed_test\n\nimport (\n")
	for _, ofModule := range []bool{false, true} {
		for _, name := range slices.Sorted(maps.Keys(a.imports)) { // format.Source sorts them by path
			path := a.imports[name]
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") != ofModule {
				continue
			}
			if strings.HasPrefix(name, "_ ") {
				name = "_"
			} else if name == filepath.Base(path) {
				name = ""
			}
			fmt.Fprintf(&w, "%s %q\n", name, path)
		}
		w.WriteString("\n")
	}
	fmt.Fprintf(&w, ")\n\n%s\n// testedStore has the functions of the store.\ntype testedStore[D any] struct {\n%s\n}\n\n%s\n",
		body, strings.Join(a.fields, "\n"), strings.Join(a.decls, "\n\n"))
	return format.Source([]byte(w.String()))
}

// body returns the test function.
func (t *Test) body(needed []string, expression string) string {
	var w strings.Builder
	first, _, _ := strings.Cut(t.Finding, "\n")
	comment(&w, "TestCrashed opens a store with the files that survived a crash of its machine. It fails: "+first)
	if t.Lost != "" {
		w.WriteString("//\n")
		comment(&w, "The crash has changed "+t.Lost+".")
	}
	w.WriteString("//\n")
	comment(&w, "The files stay as the library wrote them. The test still fails after a repair that adds a sync or reorders writes: "+
		"search again then.")
	fmt.Fprintf(&w, begins, expression)
	if len(t.Calls) == 0 && !t.Opened {
		w.WriteString("\t_, err := s.Open(dir)\n\tcheck(err)\n}\n\n")
		return w.String()
	}
	w.WriteString("\td, err := s.Open(dir)\n\tcheck(err)\n")
	if slices.Contains(needed, "Take") {
		w.WriteString(takes)
	}
	for _, c := range t.Calls {
		for _, f := range fields {
			if f.name == c.Method {
				call := strings.NewReplacer("KEY", literal(c.Key), "VALUE", literal(c.Value), "COUNT", strconv.Itoa(c.N)).Replace(f.call)
				w.WriteString("\t" + call + "\n")
			}
		}
	}
	if t.Opened {
		w.WriteString("\t" + readers[t.Store.Reader])
		switch t.Store.Reader {
		case "Records":
			fmt.Fprintf(&w, "\n\t"+compares, t.Missing, twice)
		case "Take":
			fmt.Fprintf(&w, "\n\t"+compares, t.Missing, "")
		}
		w.WriteString("\n")
	}
	w.WriteString("}\n\n")
	return w.String()
}

// variables returns the files and the content of the store.
func (t *Test) variables() string {
	var w strings.Builder
	w.WriteString("// files are what survived.\nvar files = fstest.MapFS{\n")
	for _, name := range slices.Sorted(maps.Keys(t.Files)) {
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			fmt.Fprintf(&w, "%q: {Mode: fs.ModeDir},\n", folder)
		} else {
			fmt.Fprintf(&w, "%q: {Data: %s},\n", name, packed(t.Files[name]))
		}
	}
	w.WriteString("}\n\n")
	switch {
	case !t.Opened:
	case t.Store.Reader == "Get":
		w.WriteString("// values are the possible values of each key.\nvar values = map[string][]string{\n")
		for _, key := range slices.Sorted(maps.Keys(t.Values)) {
			fmt.Fprintf(&w, "%q: {%s},\n", key, literals(t.Values[key]))
		}
		w.WriteString("}\n\n")
	default:
		fmt.Fprintf(&w, "// records were acknowledged. others were not, or may have been removed.\n"+
			"var (\nrecords = []string{%s}\nothers = []string{%s}\n)\n\n", literals(t.Records), literals(t.Others))
	}
	return w.String()
}

func literals(list []string) string {
	text := ""
	for _, s := range list {
		text += "\n" + literal(s) + ","
	}
	if text != "" {
		text += "\n"
	}
	return text
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

// packed returns the content of a file as Go source: compressed if it is long.
func packed(data []byte) string {
	const short, line = 100, 120
	if q := strconv.Quote(string(data)); len(q) <= short {
		return "[]byte(" + q + ")"
	}
	var b bytes.Buffer
	z, _ := flate.NewWriter(&b, flate.BestCompression)
	z.Write(data)
	z.Close()
	text := base64.StdEncoding.EncodeToString(b.Bytes())
	out := "unpack(`"
	for len(text) > 0 {
		n := min(line, len(text))
		out, text = out+"\n"+text[:n], text[n:]
	}
	return out + "`)"
}

// comment writes a text as comment lines.
func comment(w *strings.Builder, text string) {
	const width = 120
	line := "//"
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) > width {
			w.WriteString(line + "\n")
			line = "//"
		}
		line += " " + word
	}
	w.WriteString(line + "\n")
}
