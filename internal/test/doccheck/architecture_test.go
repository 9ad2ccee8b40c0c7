package doccheck_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	decisionFile = regexp.MustCompile("`([A-Za-z0-9_./-]+/[A-Za-z0-9_]+\\.go)`")
	decisionFunc = regexp.MustCompile("`([A-Za-z]+)`")
)

// The tables that name where things are decided, or are to be added, name files and declarations that exist.
func TestArchitecture_NamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("../../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	before, picture, _ := strings.Cut(string(text), "```text")
	_, after, _ := strings.Cut(picture, "```")
	if n := len(regexp.MustCompile(`\S*\w\S*`).FindAllString(before+after, -1)); n > 1200 {
		t.Errorf("ARCHITECTURE.md has %d words beside its picture, more than 1,200", n)
	}
	_, table, _ := strings.Cut(string(text), "## Where it is decided")
	table, _, _ = strings.Cut(table, "\n## ")
	additions, err := os.ReadFile("../../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	table += string(additions)
	files := decisionFile.FindAllStringSubmatchIndex(table, -1)
	if len(files) < 100 {
		t.Fatalf("the tables name %d files, want at least 100", len(files))
	}
	for i, at := range files {
		name, end := table[at[2]:at[3]], len(table)
		if i+1 < len(files) {
			end = files[i+1][0]
		}
		names, _, _ := strings.Cut(table[at[1]:end], "\n")
		source, err := os.ReadFile("../../../" + name)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range decisionFunc.FindAllStringSubmatch(names, -1) {
			if !regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|var |type )` + m[1] + `\b`).Match(source) {
				t.Errorf("%s does not declare %s", name, m[1])
			}
		}
	}
}

var listedFile = regexp.MustCompile(`[a-z_0-9]+\.go\b`)

// The files that a package comment lists in an indented block exist.
func TestDoc_NamesFilesThatExist(t *testing.T) {
	listed := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "doc.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			names, _, _ := strings.Cut(strings.TrimPrefix(line, "//\t"), "  ")
			if !strings.HasPrefix(line, "//\t") || strings.Contains(names, "/") {
				continue
			}
			for _, name := range listedFile.FindAllString(names, -1) {
				listed++
				if _, err := os.Stat(filepath.Join(filepath.Dir(path), name)); err != nil {
					t.Errorf("%s lists a file that does not exist: %v", path, err)
				}
			}
		}
		return nil
	})
	if err != nil || listed < 100 {
		t.Fatalf("read %d names of files, %v", listed, err)
	}
}
