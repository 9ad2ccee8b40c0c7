package cli

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/macemc/macemc/internal/check"
)

// checker is the import path of package mctest.
const checker = "github.com/macemc/macemc/mctest"

// candidates returns a pattern for the tests in these files that appear to call mctest.Check, so that unrelated tests are not run. If there
// are none, the pattern matches all tests.
func candidates(dir string, files []string) string {
	var patterns []string
	for _, t := range checkingTests(dir, files) {
		patterns = append(patterns, check.RunPattern(t))
	}
	return cmp.Or(strings.Join(patterns, "|"), ".")
}

// checkingTests returns the sorted tests in these files that mention package mctest, directly or through functions in these files.
func checkingTests(dir string, files []string) []string {
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
	tests = slices.DeleteFunc(tests, func(t string) bool { return !reaches(mentions, t, map[string]bool{}) })
	slices.Sort(tests)
	return tests
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
