package overlay

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// linked is a function of an added file, and the other one to which a directive for the linker ties it.
type linked struct {
	file, name string
	body       bool
	other      string // import path and name; empty means none
}

var (
	linkDirective = regexp.MustCompile(`(?m)^//go:linkname (\w+)(?: (\S+))?$`)
	ownFunction   = regexp.MustCompile(`(?m)^func (macemc\w*).*(.)$`) // its name, and the last character of the line
)

// addLinks adds directives for the linker to the functions of files that have none, by their names. A function macemc_name implements name of
// package bubble, and macemc_testName implements macemcName of package testing. Other functions without a body are those of package runtime
// with their names. The other end of a link needs a directive without a package.
func addLinks(files map[string]string) {
	var functions []*linked
	ends := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		known := map[string]bool{}
		for _, m := range linkDirective.FindAllStringSubmatch(files[file], -1) {
			known[m[1]], ends[m[2]] = true, true
		}
		for _, m := range ownFunction.FindAllStringSubmatch(files[file], -1) {
			if f := (&linked{file, m[1], strings.Contains("{},(", m[2]), implemented(m[1])}); !known[f.name] {
				functions, ends[f.other] = append(functions, f), true
			}
		}
	}
	isEnd := func(f *linked) bool { return ends[path.Dir(f.file)+"."+f.name] }
	for _, f := range functions {
		if !f.body && !isEnd(f) {
			f.other = "runtime." + f.name
			ends[f.other] = true
		}
	}
	directives := map[string]string{}
	for _, f := range functions {
		if f.other != "" || isEnd(f) {
			directives[f.file] += strings.TrimSuffix("\n//go:linkname "+f.name+" "+f.other, " ") + "\n"
		}
	}
	for file, text := range directives {
		files[file] = packageClause.ReplaceAllString(files[file], `${0}; import _ "unsafe"`) + text
	}
}

// implemented returns the function without a body that another one implements; an empty text means none.
func implemented(name string) string {
	if other, ok := strings.CutPrefix(name, "macemc_test"); ok {
		return "testing.macemc" + other
	}
	if other, ok := strings.CutPrefix(name, "macemc_"); ok {
		return bubble + "." + other
	}
	return ""
}
