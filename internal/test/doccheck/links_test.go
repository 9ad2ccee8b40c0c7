package doccheck_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// markdown returns the pages of the repository, relative to its folder: those above and in docs, and those of the evaluation.
func markdown(t *testing.T, root string) (pages []string) {
	t.Helper()
	for _, dir := range []string{".", "docs", "evaluation"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (dir == "." && file != filepath.Join(root, dir) || d.Name() == "testdata"):
				return filepath.SkipDir
			case filepath.Ext(file) == ".md":
				page, err := filepath.Rel(root, file)
				pages = append(pages, filepath.ToSlash(page))
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return pages
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	code    = regexp.MustCompile("`[^`]+`|(?m)^    .*$")
)

// anchors returns the names by which links reach the headings of a page.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all[strings.ReplaceAll(name, " ", "-")] = true
	}
	return all
}

// Every link of every page leads to a file, and to a heading if it names one.
func TestLinks(t *testing.T) {
	const root = "../../.."
	for _, page := range markdown(t, root) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(fenced.ReplaceAllString(string(text), ""), "code"), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			to := filepath.Join(root, filepath.Dir(page), file)
			if file == "" {
				to = filepath.Join(root, page)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
				continue
			}
			if anchor == "" {
				continue
			}
			there, err := os.ReadFile(to)
			if err != nil || !anchors(string(there))[anchor] {
				t.Errorf("%s: the link %s leads to no heading", page, m[1])
			}
		}
	}
}

func TestAnchors(t *testing.T) {
	got := anchors("# A page\n\n```sh\n# no heading\n```\n\n## `next [N]`, and more: *it*\n")
	for _, want := range []string{"a-page", "next-n-and-more-it"} {
		if !got[want] {
			t.Errorf("no %q in %v", want, got)
		}
	}
	if len(got) != 2 {
		t.Errorf("got %v, want two", got)
	}
}
