package doccheck_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var pageLink = regexp.MustCompile(`\]\(([^)#:]+\.md)[)#]`)

// The first page is short, and every page is linked, by way of others or at once, from the index that it names.
func TestPagesAreLinked(t *testing.T) {
	first, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(first), "\n"); n > 165 {
		t.Errorf("README.md has %d lines, more than 165", n)
	}
	if !strings.Contains(string(first), "(docs/README.md)") {
		t.Error("README.md does not name the index")
	}
	linked := map[string]bool{}
	for todo := []string{filepath.Join(docs, "README.md")}; len(todo) > 0; todo = todo[1:] {
		page := todo[0]
		if linked[page] {
			continue
		}
		linked[page] = true
		text, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range pageLink.FindAllStringSubmatch(string(text), -1) {
			todo = append(todo, filepath.Join(filepath.Dir(page), m[1]))
		}
	}
	err = filepath.WalkDir(docs, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") && !linked[path] {
			t.Errorf("%s is linked from no page that the index leads to", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// The pages that are written by hand stay short: each in words, and all of them together.
func TestLengthOfPages(t *testing.T) {
	all := 0
	for _, page := range markdown(t, "../../..") {
		most := 0
		switch dir := filepath.Dir(page); {
		case page == "README.md":
			most = 600
		case dir == "docs/howto":
			most = 700
		case page == "CONTRIBUTING.md":
			most = 500
		case dir == "docs":
			most = 3200
		default:
			continue
		}
		text, err := os.ReadFile(filepath.Join("../../..", page))
		if err != nil {
			t.Fatal(err)
		}
		n := len(strings.Fields(string(text)))
		if n > most {
			t.Errorf("%s has %d words, more than %d", page, n, most)
		}
		if dir := filepath.Dir(page); dir != "." && page != "docs/mdb.md" && page != "docs/vet.md" && page != "docs/works-with.md" { // which are generated
			all += n
		}
	}
	if all > 25_000 {
		t.Errorf("the pages of docs have %d words, more than 25,000", all)
	}
}

// The project's own workflow runs what make ci does, and the one to copy keeps the results.
func TestWorkflows(t *testing.T) {
	for file, words := range map[string][]string{
		"../../../.github/workflows/ci.yml": {"make ci"},
		docs + "/howto/ci.md":               {"macemc search", "macemc test", "--junit", "actions/cache", "upload-sarif", "upload-artifact"},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range words {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s: no %q", file, w)
			}
		}
	}
}

var makeCommand = regexp.MustCompile(`(?m)^ *(make [a-z-]+)`)

// The README begins with commands that work in a checkout, and CI runs these before anything longer.
func TestFirstCommands(t *testing.T) {
	for _, file := range []string{"../../../README.md", "../../../.ci/run"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range makeCommand.FindAllSubmatch(text, 2) {
			got = append(got, string(m[1]))
		}
		if want := []string{"make demo", "make test"}; !slices.Equal(got, want) {
			t.Errorf("%s: got first commands %q, want %q", file, got, want)
		}
	}
	readme, _ := os.ReadFile("../../../README.md")
	if _, commands, _ := strings.Cut(string(readme), "\n    "); !strings.HasPrefix(commands, "make demo ") {
		t.Error("README.md: another command comes before make demo")
	}
}
