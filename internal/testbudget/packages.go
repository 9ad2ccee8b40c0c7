package testbudget

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Package is what "go list -json" reports about a package.
type Package struct {
	ImportPath, Dir, ForTest           string
	Standard                           bool
	Match                              []string
	GoFiles, CgoFiles                  []string
	TestGoFiles, XTestGoFiles          []string
	EmbedFiles, TestEmbedFiles         []string
	Imports, TestImports, XTestImports []string
	Module                             *struct {
		Path, Version string
		Replace       *struct{ Path, Version string }
	}
}

// Listed is the value of the flag -json of go list.
const Listed = "-json=ImportPath,Dir,ForTest,Standard,Match,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,EmbedFiles,TestEmbedFiles," +
	"Imports,TestImports,XTestImports,Module"

// ParsePackages parses the output of go list, without the packages that go test generates, and arguments that name none: values of flags.
func ParsePackages(text string) (list []*Package, err error) {
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		p := new(Package)
		if err := d.Decode(p); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		if p.ForTest == "" && p.Dir != "" && !strings.HasSuffix(p.ImportPath, ".test") {
			list = append(list, p)
		}
	}
}

var declaration = regexp.MustCompile(`(?m)^func (Test|Fuzz|Example)(\w*)\(.*$`)

// tests returns hashes of the texts of the package's test functions, by name.
func (p *Package) tests() map[string]string {
	list := map[string]string{}
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		text, _ := os.ReadFile(filepath.Join(p.Dir, name))
		for _, at := range declaration.FindAllSubmatchIndex(text, -1) {
			suffix := string(text[at[4]:at[5]])
			first, _ := utf8.DecodeRuneInString(suffix)
			if unicode.IsLower(first) || strings.Contains(string(text[at[0]:at[1]]), "*testing.M)") {
				continue
			}
			body, _, _ := strings.Cut(string(text[at[0]:]), "\n}")
			list[string(text[at[2]:at[3]])+suffix] = digest(body)
		}
	}
	return list
}

// Unclaimed returns the folders of stored schedules whose test the package lacks, as after a test was renamed. folder returns the name of
// the folder of a test.
func (p *Package) Unclaimed(folder func(test string) string) (folders []string) {
	claimed := map[string]bool{}
	for name := range p.tests() {
		claimed[folder(name)] = true
	}
	const findings = "testdata/macemc"
	list, _ := os.ReadDir(filepath.Join(p.Dir, findings))
	for _, e := range list {
		schedules, _ := filepath.Glob(filepath.Join(p.Dir, findings, e.Name(), "*-[0-9]*.path"))
		if !claimed[e.Name()] && len(schedules) > 0 {
			folders = append(folders, findings+"/"+e.Name())
		}
	}
	return folders
}

// dependencies computes hashes of packages with all that their tests depend on.
type dependencies struct {
	packages map[string]*Package
	hashes   map[string]string // of packages alone
}

func newDependencies(list []*Package) *dependencies {
	d := &dependencies{map[string]*Package{}, map[string]string{}}
	for _, p := range list {
		d.packages[p.ImportPath] = p
	}
	return d
}

// hash returns a hash of what the tests of a package depend on.
func (d *dependencies) hash(p *Package) string {
	reached := map[string]string{}
	var reach func(path string)
	reach = func(path string) {
		q := d.packages[path]
		if q == nil || q.Standard || reached[path] != "" {
			return
		}
		reached[path] = d.own(q)
		for _, path := range q.Imports {
			reach(path)
		}
	}
	for _, path := range slices.Concat([]string{p.ImportPath}, p.TestImports, p.XTestImports) {
		reach(path)
	}
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(reached)) {
		fmt.Fprintln(&b, path, reached[path])
	}
	return digest(b.String())
}

// own returns a hash of the files of a package, or the version of its module.
func (d *dependencies) own(p *Package) string {
	if m := p.Module; m != nil && m.Version != "" && (m.Replace == nil || m.Replace.Version != "") {
		return fmt.Sprint(m.Path, m.Version, m.Replace)
	}
	if hash := d.hashes[p.ImportPath]; hash != "" {
		return hash
	}
	all := sha256.New()
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles, p.EmbedFiles, p.TestEmbedFiles) {
		text, _ := os.ReadFile(filepath.Join(p.Dir, name))
		fmt.Fprintln(all, name, len(text))
		all.Write(text)
	}
	hash := hex.EncodeToString(all.Sum(nil))
	d.hashes[p.ImportPath] = hash
	return hash
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
