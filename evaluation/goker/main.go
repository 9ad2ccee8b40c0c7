// Command goker measures after how many schedules "macemc test" finds the bugs in kernels of real bugs from the Go
// distribution (runtime/testdata/testgoroutineleakprofile/goker, from GoBench). It generates tests around them. The
// kernels start up to ten thousand copies of themselves, which plain runs need; each kernel is measured with all copies
// and with one.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	program := flag.String("macemc", "bin/macemc", "the `program` to measure")
	seeds := flag.Int("seeds", 1, "number of seeds")
	first := flag.Int("first", 1, "the first seed")
	single := flag.Int("single", 1, "number of seeds with one copy of each kernel")
	limit := flag.Int("schedules", 200, "maximum number of schedules of a test")
	race := flag.Bool("race", false, "build with the race detector")
	only := flag.String("run", "", "only the kernels that match this pattern")
	again := flag.Int("replays", 0, "execute findings of the last seed in `N` new processes each, and compare the traces")
	page := flag.String("write", "", "write the tables into the `file`, between its markers")
	flag.Parse()
	if err := measure(*program, *first, *seeds, *single, *limit, *again, *race, *only, *page); err != nil {
		fmt.Fprintln(os.Stderr, "goker:", err)
		os.Exit(1)
	}
}

func measure(program string, first, seeds, single, limit, again int, race bool, only, page string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	from := filepath.Join(strings.TrimSpace(string(root)), "src/runtime/testdata/testgoroutineleakprofile/goker")
	full, names, err := series(program, from, false, first, seeds, limit, again, race, only)
	if err != nil {
		return err
	}
	one, _, err := series(program, from, true, first, single, limit, again, race, only)
	if err != nil {
		return err
	}
	text := table(names, full, one, limit)
	fmt.Print(text)
	if page != "" {
		return write(page, text)
	}
	return nil
}

// write replaces the table in a page.
func write(page, text string) error {
	const begin, end = "<!-- goker -->\n", "<!-- end of goker -->"
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no lines %q and %q", page, begin, end)
	}
	return os.WriteFile(page, []byte(before+begin+text+end+after), 0o644)
}

// finding is the result of the test of a kernel with one seed.
type finding struct {
	schedule int // 0 if nothing was found
	kind     string
}

// series measures all kernels with some seeds. It returns one finding per seed, by name.
func series(program, from string, single bool, first, seeds, limit, again int, race bool, only string) (
	found map[string][]finding, names []string, err error) {
	dir, err := os.MkdirTemp("", "goker-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	if names, err = build(from, dir, single); err != nil {
		return nil, nil, err
	}
	if only != "" {
		re, err := regexp.Compile(only)
		if err != nil {
			return nil, nil, err
		}
		names = slices.DeleteFunc(names, func(n string) bool { return !re.MatchString(n) })
	}
	found = map[string][]finding{}
	for seed := first; seed < first+seeds; seed++ {
		if err := os.RemoveAll(filepath.Join(dir, "testdata")); err != nil {
			return nil, nil, err
		}
		start := time.Now()
		args := []string{"test", "-count=1", "-vet=off", "-timeout=2h", "-explore-total=2h", "-schedules=" + strconv.Itoa(limit),
			"-explore-seed=" + strconv.Itoa(seed)}
		if only != "" {
			args = append(args, "-run="+only)
		}
		if race {
			args = append(args, "-race")
		}
		cmd := exec.CommandContext(context.Background(), program, append(args, ".")...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if _, ok := err.(*exec.ExitError); err != nil && !ok {
			return nil, nil, err
		}
		now := findings(string(out))
		for _, name := range names {
			found[name] = append(found[name], now[name])
		}
		cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		fmt.Fprintf(os.Stderr, "single copy %v, seed %d: %d of %d, %v of CPU, %v\n", single, seed, len(now), len(names),
			cpu.Round(time.Second), time.Since(start).Round(time.Second))
		if len(now) == 0 {
			return nil, nil, fmt.Errorf("nothing was found:\n%s", out)
		}
	}
	if again > 0 {
		err = replays(program, dir, again)
	}
	return found, names, err
}

var (
	failedLine = regexp.MustCompile(`^--- FAIL: Test(\w+) `)
	titleLine  = regexp.MustCompile(`^    macemc: ([A-Z ]+):`)
	foundLine  = regexp.MustCompile(`^    found by schedule (\d+)`)
)

// findings reads the output of "macemc test".
func findings(out string) map[string]finding {
	all := map[string]finding{}
	name, kind := "", ""
	for line := range strings.Lines(out) {
		if m := failedLine.FindStringSubmatch(line); m != nil {
			name, kind = m[1], ""
		} else if m := titleLine.FindStringSubmatch(line); m != nil {
			kind = strings.ToLower(m[1])
		} else if m := foundLine.FindStringSubmatch(line); m != nil && name != "" {
			n, _ := strconv.Atoi(m[1])
			all[name] = finding{n, kind}
		}
	}
	return all
}

// build writes a module with a test for each kernel into a folder.
func build(from, to string, single bool) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no kernels", from)
	}
	for _, file := range files {
		if filepath.Base(file) == "main.go" {
			continue
		}
		text, more, err := kernel(file, single)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), text, 0o600); err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	var tests strings.Builder
	tests.WriteString("package goker\n\nimport \"testing\"\n\nconst yieldCount = 10\n\nvar cmds = map[string]func(){}\n\n" +
		"func register(name string, f func()) { cmds[name] = f }\n")
	for _, name := range names {
		fmt.Fprintf(&tests, "\nfunc Test%s(t *testing.T) { cmds[%q]() }\n", name, name)
	}
	if err := os.WriteFile(filepath.Join(to, "goker_test.go"), []byte(tests.String()), 0o600); err != nil {
		return nil, err
	}
	return names, os.WriteFile(filepath.Join(to, "go.mod"), []byte("module example.org/goker\n\ngo 1.26\n"), 0o600)
}

// kernel returns the text of a kernel without the calls of the leak profile, and the names that it registers. With
// single, the loop in the kernel's function that starts its copies starts one.
func kernel(file string, single bool) (text []byte, names []string, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	f.Name.Name = "goker"
	entries := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && len(c.Args) == 2 && isIdent(c.Fun, "register") {
			if lit, ok := c.Args[0].(*ast.BasicLit); ok {
				name, _ := strconv.Unquote(lit.Value)
				names = append(names, name)
			}
			if id, ok := c.Args[1].(*ast.Ident); ok {
				entries[id.Name] = true
			}
		}
		if b, ok := n.(*ast.BlockStmt); ok {
			b.List = slices.DeleteFunc(b.List, ofProfile)
		}
		return true
	})
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			d.Specs = slices.DeleteFunc(d.Specs, func(s ast.Spec) bool {
				i, ok := s.(*ast.ImportSpec)
				if !ok || i.Name != nil {
					return false
				}
				path, _ := strconv.Unquote(i.Path.Value)
				return !used[path[strings.LastIndexByte(path, '/')+1:]]
			})
		case *ast.FuncDecl:
			if single && entries[d.Name.Name] {
				for _, s := range d.Body.List {
					once(s)
				}
			}
		}
	}
	var b bytes.Buffer
	err = format.Node(&b, fset, f)
	return b.Bytes(), names, err
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// ofProfile reports whether a statement creates or writes the leak profile.
func ofProfile(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return len(s.Lhs) == 1 && isIdent(s.Lhs[0], "prof")
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok {
			sel, ok := c.Fun.(*ast.SelectorExpr)
			return ok && isIdent(sel.X, "prof")
		}
	}
	return false
}

// leastCopies is the minimum number of iterations of a loop that starts copies.
const leastCopies = 10

// once makes a loop that starts copies start one.
func once(s ast.Stmt) {
	loop, ok := s.(*ast.ForStmt)
	if !ok {
		return
	}
	if c, ok := loop.Cond.(*ast.BinaryExpr); ok {
		if lit, ok := c.Y.(*ast.BasicLit); ok {
			if n, err := strconv.Atoi(lit.Value); err == nil && n >= leastCopies {
				lit.Value = "1"
				c.Op = token.LSS
			}
		}
	}
}

// table returns the result in Markdown.
func table(names []string, full, one map[string][]finding, limit int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| kernel | all copies: found | by schedule | one copy: found | by schedule, median | worst | finding |\n"+
		"|---|--:|--:|--:|--:|--:|---|\n")
	var all, allOne []int
	kernels := [2]int{}
	for _, name := range names {
		f, n := found(full[name])
		o, m := found(one[name])
		all, allOne = append(all, f...), append(allOne, o...)
		if n == len(full[name]) && n > 0 {
			kernels[0]++
		}
		if m == len(one[name]) && m > 0 {
			kernels[1]++
		}
		kinds := map[string]bool{}
		for _, x := range slices.Concat(full[name], one[name]) {
			if x.schedule > 0 {
				kinds[x.kind] = true
			}
		}
		fmt.Fprintf(&b, "| %s | %d of %d | %s | %d of %d | %s | %s | %s |\n", name, n, len(full[name]), worst(f), m, len(one[name]),
			median(o), worst(o), strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	fmt.Fprintf(&b, "\nAt most %d schedules of each. With all copies %d of %d kernels were found with every seed, by schedule %s "+
		"at the latest. With one copy %d were, the median is schedule %s and the mean %s.\n",
		limit, kernels[0], len(names), worst(all), kernels[1], median(allOne), mean(allOne))
	return b.String()
}

// found returns the schedules that found a kernel's bug, and the number of seeds.
func found(list []finding) (schedules []int, n int) {
	for _, f := range list {
		if f.schedule > 0 {
			schedules = append(schedules, f.schedule)
		}
	}
	slices.Sort(schedules)
	return schedules, len(schedules)
}

func median(sorted []int) string {
	if len(sorted) == 0 {
		return "-"
	}
	sorted = slices.Sorted(slices.Values(sorted))
	return strconv.Itoa(sorted[len(sorted)/2])
}

func worst(list []int) string {
	if len(list) == 0 {
		return "-"
	}
	return strconv.Itoa(slices.Max(list))
}

func mean(list []int) string {
	sum := 0
	for _, n := range list {
		sum += n
	}
	return fmt.Sprintf("%.1f", float64(sum)/float64(max(1, len(list))))
}
