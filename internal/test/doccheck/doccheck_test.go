package doccheck_test

import (
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/test/doccheck"
)

const docs = "../../../docs"

// compiledBy lists the modules with tests that compile the examples of a page, because the examples need other
// modules.
var compiledBy = map[string]string{"goroutines.md": "glue/grpc"}

// example is a complete file of a page, or several of one package.
type example struct {
	page  string
	line  int
	dir   string
	fails string
}

// Every example in the documentation compiles and behaves as described.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds tests")
	}
	// Below testdata, so that it is part of this module but of no pattern.
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("testdata", "examples-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		os.RemoveAll(dir)
		os.Remove("testdata") // if it is empty
	}()
	examples := writeExamples(t, dir)
	if len(examples) == 0 {
		t.Fatal("there are no examples")
	}
	args := []string{"test", "-count=1"}
	for _, x := range examples {
		args = append(args, "./"+x.dir)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "MACEMC_MAX_PATHS=2000", "MACEMC_WORKERS=1")
	out, _ := cmd.CombinedOutput()
	results := split(string(out))
	for _, x := range examples {
		got, ran := results[x.dir]
		if slug := filepath.Base(x.dir); !ran {
			t.Errorf("%s:%d: was not run (%s):\n%s", x.page, x.line, slug, out)
			continue
		}
		failed := strings.Contains(got, "FAIL\t")
		switch {
		case x.fails == "" && failed:
			t.Errorf("%s:%d: fails:\n%s", x.page, x.line, got)
		case x.fails != "" && !failed:
			t.Errorf("%s:%d: passes, should fail: %s", x.page, x.line, x.fails)
		case x.fails != "" && !strings.Contains(strings.Join(strings.Fields(got), " "), x.fails):
			t.Errorf("%s:%d: does not say %q:\n%s", x.page, x.line, x.fails, got)
		}
	}
}

var lastLine = regexp.MustCompile(`^(ok  |FAIL|\?   )\t\S*(testdata/examples-\S+)`)

// split returns the output of go test by folder: what precedes the line about the package, and that.
func split(out string) map[string]string {
	results := map[string]string{}
	var part strings.Builder
	for line := range strings.SplitSeq(out, "\n") {
		part.WriteString(line + "\n")
		if m := lastLine.FindStringSubmatch(line); m != nil {
			results[m[2]] = part.String()
			part.Reset()
		}
	}
	return results
}

// writeExamples writes the complete files of all pages, and checks that the other blocks are excerpts.
func writeExamples(t *testing.T, dir string) (list []example) {
	t.Helper()
	for page, blocks := range pages(t) {
		var whole []string
		for _, b := range blocks {
			if b.Package() != "" {
				whole = append(whole, b.Text)
			}
		}
		for i, b := range blocks {
			if b.Package() == "" {
				if !slices.ContainsFunc(whole, b.ExcerptOf) && !slices.ContainsFunc(sources(t), b.ExcerptOf) {
					t.Errorf("%s:%d: is no excerpt of a complete example of the page, nor of a file of this module", page, b.Line)
				}
				continue
			}
			if neat, err := format.Source([]byte(b.Text)); err != nil || string(neat) != b.Text {
				t.Errorf("%s:%d: is not formatted as gofmt does: %v", page, b.Line, err)
			}
			if compiledBy[page] != "" {
				continue
			}
			slug := strings.NewReplacer("/", "_", ".md", "").Replace(page)
			x := example{page, b.Line, filepath.ToSlash(filepath.Join(dir, slug+"_"+strings.TrimSuffix(b.Package(), "_test"))), b.Fails}
			name := fmt.Sprintf("file%d.go", i)
			if b.IsTest() {
				name = fmt.Sprintf("file%d_test.go", i)
			}
			if err := os.MkdirAll(x.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(x.dir, name), []byte(b.Text), 0o644); err != nil {
				t.Fatal(err)
			}
			if i := slices.IndexFunc(list, func(y example) bool { return y.dir == x.dir }); i < 0 {
				list = append(list, x)
			} else if x.fails != "" {
				list[i].fails = x.fails
			}
		}
	}
	return list
}

// pages returns the blocks of all pages, by their names below docs.
func pages(t *testing.T) map[string][]doccheck.Block {
	t.Helper()
	all := map[string][]doccheck.Block{}
	err := filepath.WalkDir(docs, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".md" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(docs, file)
		if err != nil {
			return err
		}
		blocks, err := doccheck.Blocks(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all[filepath.ToSlash(name)] = blocks
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var sourceTexts []string

// sources returns the texts of all Go files of the module.
func sources(t *testing.T) []string {
	t.Helper()
	if sourceTexts != nil {
		return sourceTexts
	}
	err := filepath.WalkDir("../../..", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && d.Name() != "."):
			return filepath.SkipDir
		case filepath.Ext(file) == ".go":
			text, err := os.ReadFile(file)
			sourceTexts = append(sourceTexts, string(text))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sourceTexts
}

func TestBlocks(t *testing.T) {
	blocks, err := doccheck.Blocks("a\n```go\npackage x_test\n\nfunc TestX() {}\n```\n\n```\n```\n<!-- go test fails: so it is -->\n```go\nx := 1\n...\nz := 3\n```\n```sh\n```go\n```\n")
	if err != nil || len(blocks) != 2 {
		t.Fatalf("%+v, %v", blocks, err)
	}
	if b := blocks[0]; b.Line != 3 || b.Package() != "x_test" || !b.IsTest() || b.Fails != "" {
		t.Errorf("got %+v, want a test of x_test in line 3", b)
	}
	b := blocks[1]
	if b.Line != 12 || b.Package() != "" || b.IsTest() || b.Fails != "so it is" {
		t.Errorf("got %+v, want a block in line 12 that fails with so it is", b)
	}
	for text, want := range map[string]bool{
		"\tx := 1\n\ty := 2\n\tz := 3\n": true, "x := 1\nz := 3": true, "z := 3\nx := 1\n": false, "x := 1": false, "": false,
	} {
		if b.ExcerptOf(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	// After such a block nothing would be seen as an example.
	for _, page := range []string{"\n```go\nx\n", "\n```sh\nx\n```go\ny\n"} {
		if _, err := doccheck.Blocks(page); err == nil || err.Error() != "line 2: the block is not closed" {
			t.Errorf("%q: %v", page, err)
		}
	}
}
