package cli

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/macemc/macemc/internal/task"
)

// checker is the import path of package mctest.
const checker = "github.com/macemc/macemc/mctest"

// candidates returns a pattern for the tests in these files that appear to call mctest.Check, so that unrelated tests are not run. If there
// are none, the pattern matches all tests.
func candidates(dir string, files []string) string {
	var patterns []string
	checking, _ := testFunctions(dir, files)
	for _, t := range checking {
		patterns = append(patterns, task.RunPattern(t))
	}
	return cmp.Or(strings.Join(patterns, "|"), ".")
}

// testFunctions returns the sorted tests in these files: those that mention package mctest, directly or through
// functions in these files, and the others.
func testFunctions(dir string, files []string) (checking, others []string) {
	mentions := map[string]map[string]bool{} // names in each function or method
	var tests []string
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler has accepted the file
		}
		local := ""
		for _, spec := range f.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); path == checker {
				if local = "mctest"; spec.Name != nil {
					local = spec.Name.Name
				}
			}
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if fn.Recv == nil && isTest(fn.Name.Name) {
				tests = append(tests, fn.Name.Name)
			}
			names := mentions[fn.Name.Name]
			if names == nil {
				names = map[string]bool{}
				mentions[fn.Name.Name] = names
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					names[id.Name] = true
					if id.Name == local || local == "." {
						names[checker] = true
					}
				}
				return true
			})
		}
	}
	slices.Sort(tests)
	for _, t := range tests {
		if reaches(mentions, t, map[string]bool{}) {
			checking = append(checking, t)
		} else {
			others = append(others, t)
		}
	}
	return checking, others
}

// exploreHint suggests the command for a test that checks no system.
func exploreHint(test, pkg string) string {
	return fmt.Sprintf("%s checks no system; explore its schedules with: macemc test -run '%s' %s", test, task.RunPattern(test), pkg)
}

// reaches reports whether a function mentions mctest, directly or through functions that it mentions.
func reaches(mentions map[string]map[string]bool, name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	if mentions[name][checker] {
		return true
	}
	for other := range mentions[name] {
		if reaches(mentions, other, seen) {
			return true
		}
	}
	return false
}

func isTest(name string) bool {
	rest, ok := strings.CutPrefix(name, "Test")
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && name != "TestMain" && (rest == "" || !unicode.IsLower(first))
}
