package vet_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/macemc/macemc/cmd/macemc-vet/vet"
	"github.com/macemc/macemc/internal/test/golden"
)

// text formats one finding.
func text(t *testing.T, f vet.Finding) string {
	t.Helper()
	var b bytes.Buffer
	if err := (&vet.Report{Findings: []vet.Finding{f}}).Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// want is an expectation in a file: a comment // want "regexp" ... on the line of the hazard.
type want struct {
	file string
	line int
	re   *regexp.Regexp
	met  bool
}

func wants(t *testing.T, dirs ...string) (list []*want) {
	t.Helper()
	quoted := regexp.MustCompile(`"[^"]*"`)
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := bufio.NewScanner(bytes.NewReader(src))
			for line := 1; s.Scan(); line++ {
				_, comment, ok := strings.Cut(s.Text(), "// want ")
				if !ok {
					continue
				}
				for _, q := range quoted.FindAllString(comment, -1) {
					list = append(list, &want{filepath.ToSlash(file), line, regexp.MustCompile(q[1 : len(q)-1]), false})
				}
			}
		}
	}
	return list
}

func check(t *testing.T, c vet.Config) *vet.Report {
	t.Helper()
	r, err := vet.Check(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// match compares findings with the expectations in the files.
func match(t *testing.T, r *vet.Report, list []*want) {
	t.Helper()
	for _, f := range r.Findings {
		shown := text(t, f)
		i := slices.IndexFunc(list, func(w *want) bool {
			return !w.met && w.file == f.File && w.line == f.Line && w.re.MatchString(shown)
		})
		if i < 0 {
			t.Errorf("unexpected: %s", shown)
			continue
		}
		list[i].met = true
	}
	for _, w := range list {
		if !w.met {
			t.Errorf("%s:%d: nothing matches %q", w.file, w.line, w.re)
		}
	}
}

func TestHazards(t *testing.T) {
	dirs := []string{"clock", "random", "concurrency", "maporder", "address", "global", "outside", "roots", "suppress", "exempt", "across", "across/part", "none", "program",
		"unsent", "unsent/words", "machines", "uncalled"}
	var patterns []string
	for i, dir := range dirs {
		dirs[i] = "testdata/" + dir
		patterns = append(patterns, "./testdata/"+dir)
	}
	r := check(t, vet.Config{Patterns: patterns})
	match(t, r, wants(t, dirs...))
	if len(r.Packages) != len(dirs) {
		t.Errorf("checked %q", r.Packages)
	}
	seen := map[vet.Kind]bool{}
	for _, f := range r.Findings {
		seen[f.Kind] = true
	}
	for _, k := range vet.Kinds() {
		if !seen[k.Kind] {
			t.Errorf("there is no hazard of kind %s", k.Kind)
		}
	}
}

// Other packages may send events that they can name, unless a system was analyzed, too.
func TestUnsentOfLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const dir = "testdata/unsent/library"
	match(t, check(t, vet.Config{Patterns: []string{"./" + dir}}), wants(t, dir))
	r := check(t, vet.Config{Patterns: []string{"./" + dir, "./testdata/unsent"}, NoTests: true})
	if !slices.ContainsFunc(r.Findings, func(f vet.Finding) bool { return strings.Contains(f.Message, "a rule for Ask in state up") }) {
		t.Errorf("Ask is not found: %+v", r.Findings)
	}
	const machines = "testdata/machines" // builds a system itself
	match(t, check(t, vet.Config{Patterns: []string{"./" + machines}}), wants(t, machines))
}

func TestTestFilesAndTags(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const dir = "testdata/tagged"
	all := wants(t, dir)
	match(t, check(t, vet.Config{Patterns: []string{"./" + dir}, Tags: "slow"}), all)
	for _, c := range []struct {
		config vet.Config
		files  []string
	}{
		{vet.Config{}, []string{"in_test.go", "out_test.go"}},
		{vet.Config{NoTests: true}, nil},
		{vet.Config{NoTests: true, Tags: "other,slow"}, []string{"slow.go"}},
	} {
		c.config.Dir = dir
		var files []string
		for _, f := range check(t, c.config).Findings {
			files = append(files, f.File)
		}
		if !slices.Equal(files, c.files) {
			t.Errorf("%+v: %q, want %q", c.config, files, c.files)
		}
	}
}

func TestDoesNotBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for pattern, message := range map[string]string{
		"./testdata/broken": "testdata/broken/broken.go:7:40: env.Sent undefined (type sim.Env has no field or method Sent)",
		"./testdata/nobody": "directory not found",
		"./testdata":        "no Go files",
	} {
		_, err := vet.Check(t.Context(), vet.Config{Patterns: []string{pattern}})
		if _, broken := errors.AsType[*vet.BuildError](err); !broken || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, want %q", pattern, err, message)
		}
	}
}

// A folder is checked in its own module, wherever the command is started.
func TestFolderOfAnotherModule(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"m/go.mod":     "module example.org/m\n\ngo 1.26.0\n",
		"m/m.go":       "package m\n\nimport \"time\"\n\ntype T struct{}\n\nfunc (T) AppendState(b []byte) []byte { return time.Now().AppendFormat(b, \"\") }\n",
		"m/sub/sub.go": "package sub\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, packages := range map[string]int{"./m": 1, "./m/...": 2, filepath.Join(dir, "m"): 1} {
		r := check(t, vet.Config{Dir: dir, Patterns: []string{pattern}})
		if len(r.Packages) != packages || len(r.Findings) != 1 || r.Findings[0].File != "m/m.go" {
			t.Errorf("%s: %+v", pattern, r)
		}
	}
	_, err := vet.Check(t.Context(), vet.Config{Dir: dir, Patterns: []string{"./nowhere"}})
	if err == nil || strings.Contains(err.Error(), "stderr") || strings.HasSuffix(err.Error(), "\n") {
		t.Errorf("what the go command says: %q", err)
	}
}

func TestNoHandlers(t *testing.T) {
	var b bytes.Buffer
	if err := check(t, vet.Config{Dir: "testdata/none"}).Text(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "no handlers in 1 package: ") {
		t.Error(b.String())
	}
}

func TestText(t *testing.T) {
	r := check(t, vet.Config{Patterns: []string{"./testdata/across", "./testdata/across/part", "./testdata/global"}})
	var b bytes.Buffer
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "findings.txt", b.Bytes())
	out, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "findings.json", append(out, '\n')) // and so twice the same
}

// The bundled systems have no hazards, and the checker's own handlers of machines are not analyzed.
func TestBundledSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	r := check(t, vet.Config{Dir: "../../..", Patterns: []string{"./systems/...", "./internal/test/papers/...", "./systems/etcdraft", "./machine", "./sim", "./macetime"}})
	for _, f := range r.Findings {
		t.Error(text(t, f))
	}
	if r.Handlers < 50 {
		t.Errorf("%d handlers in %s packages; there are more", r.Handlers, strconv.Itoa(len(r.Packages)))
	}
}

func TestReference(t *testing.T) {
	golden.Compare(t, "../../../../docs/vet.md", []byte(reference()))
}
