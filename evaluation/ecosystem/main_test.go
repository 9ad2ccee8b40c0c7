package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tests returns the test functions of each package below this folder.
func tests(t *testing.T) map[string]bool {
	found := map[string]bool{}
	files, err := filepath.Glob("*/*_test.go")
	more, err2 := filepath.Glob("*/*/*_test.go")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, name := range append(files, more...) {
		switch filepath.ToSlash(filepath.Dir(name)) {
		case "nodes", "ginkgo/specs": // systems, and the suite of TestSpecs
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Test") {
				found[filepath.ToSlash(filepath.Dir(name))+" "+d.Name.Name] = true
			}
		}
	}
	return found
}

func TestLibraries(t *testing.T) {
	found := tests(t)
	version, err := versions(libraries)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		if version[l.module] == "" {
			t.Errorf("%s: the module %s has no version", l.name, l.module)
		}
		for i, suffix := range []string{"", "Defect", "Mended"} {
			name := l.packages()[i][2:] + " " + l.test + suffix
			if !found[name] {
				t.Errorf("%s: there is no test %s", l.name, name)
			}
			delete(found, name)
		}
	}
	for name := range found {
		t.Errorf("no library has the test %s", name)
	}
}

const events = `{"Action":"start","Package":"github.com/macemc/macemc/evaluation/ecosystem/pools"}
{"Action":"output","Package":"github.com/macemc/macemc/evaluation/ecosystem/pools","Test":"TestConc","Output":"    macemc: 100624 schedules (57781/s), no finding; complete: all 22 schedules with at most 0 preemptions (10/s), no finding\n"}
{"Action":"pass","Package":"github.com/macemc/macemc/evaluation/ecosystem/pools","Test":"TestConc"}
{"Action":"output","Package":"github.com/macemc/macemc/evaluation/ecosystem/pools","Test":"TestConcDefect","Output":"    macemc: FAILED TEST: pools_test.go:317: sum 3\n"}
{"Action":"output","Package":"github.com/macemc/macemc/evaluation/ecosystem/pools","Test":"TestConcDefect","Output":"    found by schedule 30 (strategy POS); 1 pause more than the default order\n"}
{"Action":"fail","Package":"github.com/macemc/macemc/evaluation/ecosystem/pools","Test":"TestConcDefect"}
{"Action":"output","Package":"github.com/macemc/macemc/evaluation/ecosystem/pools","Test":"TestConcMended","Output":"    macemc: complete: all orders, by 95 schedules with sleep sets, if there is no data race (32982/s), no finding\n"}
{"Action":"pass","Package":"github.com/macemc/macemc/evaluation/ecosystem/pools","Test":"TestConcMended"}
`

var conc = library{kind: "Pools", name: "conc", folder: "pools", test: "TestConc"}

func TestTable(t *testing.T) {
	for _, c := range []struct{ old, changed, want string }{
		{"", "", "| conc | v1 | yes | 100624 | 30 | failed test |"},
		{"macemc: FAILED", "macemc: TestConcDefect/a: FAILED", "| conc | v1 | yes | 100624 | 30 | failed test |"},
		{"schedule 30", "schedule 1", "| conc | v1 | yes | 100624 | no | **TestConcDefect: found in the default order** |"},
		{"    found by schedule 30", "", "| conc | v1 | yes | 100624 | no | **TestConcDefect: not found** |"},
		{`"pass","Package":"` + module + `/pools","Test":"TestConcM`, `"fail","Package":"` + module + `/pools","Test":"TestConcM`,
			"| conc | v1 | yes | 100624 | 30 | **TestConcMended fails** |"},
		{"100624 schedules (57781/s), no finding; complete: all 22 schedules with at most 0 preemptions (10/s), no finding",
			"complete: the only schedule (16945/s), no finding", "| conc | v1 | yes | 1 (complete) | 30 | failed test |"},
		{"100624 schedules (57781/s), no finding; complete: all 22 schedules with at most 0 preemptions (10/s), no finding",
			`TestConc/a: 20 schedules (57781/s), no finding\n"}` + "\n" + `{"Action":"output","Package":"` + module + `/pools","Test":"TestConc","Output":"` +
				"    macemc: TestConc/b: complete: all orders, by 5 schedules with sleep sets (9/s), no finding",
			"| conc | v1 | yes | 25 | 30 | failed test |"},
		{"100624 schedules (57781/s), no finding; complete: all 22 schedules with at most 0 preemptions (10/s), no finding",
			"complete: all 214 schedules with at most 2 preemptions, if there is no data race (14210/s), no finding", "| conc | v1 | yes | 214 | 30 | failed test |"},
	} {
		found, _, err := parse(strings.NewReader(strings.Replace(events, c.old, c.changed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := table([]row{judge(conc, "v1", found)}, nil); !strings.Contains(got, c.want+"\n") {
			t.Errorf("with %q got\n%swant\n%s", c.changed, got, c.want)
		}
	}
}

func TestReasons(t *testing.T) {
	found, _, err := parse(strings.NewReader(events))
	if err != nil {
		t.Fatal(err)
	}
	reasons("macemc: building\nmacemc: "+module+"/pools TestConc: not explored: it starts a process\nmacemc: 3 schedules\n", found)
	r := judge(conc, "v1", found)
	if want := "TestConc: not explored: it starts a process"; r.explored || len(r.wrong) != 1 || r.wrong[0] != want {
		t.Errorf("explored %v, wrong %q", r.explored, r.wrong)
	}
}

func TestChoose(t *testing.T) {
	if all, err := choose(nil); err != nil || len(all) != len(libraries) {
		t.Errorf("%d of all libraries, %v", len(all), err)
	}
	some, err := choose([]string{"./stores/", "ants"})
	if err != nil || len(some) != 5 || some[4].test != "TestAnts" {
		t.Errorf("chose %v, %v", some, err)
	}
	if _, err := choose([]string{"ants", "none"}); err == nil {
		t.Error("a folder without libraries is accepted")
	}
}

func TestWrite(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	lines := func(pond, workerpool string) string {
		return "a\n<!-- ecosystem -->\n" + table(nil, nil) + "| **Pools** | | | | | |\n" + pond + workerpool + "<!-- end of ecosystem -->\nb\n"
	}
	pond, workerpool := "| pond | v2 | yes | 7 | 3 | leak |\n", "| workerpool | v1 | yes | 8 | 4 | leak |\n"
	if err := os.WriteFile(page, []byte(lines(pond, workerpool)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := row{library: library{kind: "Pools", name: "workerpool"}, version: "v9", explored: true, schedules: "1", found: "2", finding: "panic"}
	if err := write(page, []row{r}); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(page); string(text) != lines(pond, "| workerpool | v9 | yes | 1 | 2 | panic |\n") {
		t.Errorf("got %q", text)
	}
	if err := write("go.mod", nil); err == nil {
		t.Error("a page without markers is accepted")
	}
}
