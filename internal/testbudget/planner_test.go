package testbudget

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// repository is a folder with packages of one module.
type repository struct {
	t     *testing.T
	dir   string
	store string
}

func (r repository) write(name, text string) {
	r.t.Helper()
	file := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// plan plans the tests of packages a, which imports base, and b.
func (r repository) plan(settings string) (*Planner, *Plan) {
	p := &Planner{Store: r.store, Settings: settings, Each: 2 * second, Total: 3 * second}
	list := []*Package{
		{ImportPath: "base", Dir: filepath.Join(r.dir, "base"), GoFiles: []string{"base.go"}},
		{ImportPath: "a", Dir: filepath.Join(r.dir, "a"), TestGoFiles: []string{"a_test.go"}, TestImports: []string{"base"}},
		{ImportPath: "b", Dir: filepath.Join(r.dir, "b"), TestGoFiles: []string{"b_test.go"}},
	}
	return p, p.Plan(list, func(*Package) bool { return true })
}

const twoTests = "package x\n\nfunc TestX(t *testing.T) {\n\tx()\n}\n\nfunc TestY(t *testing.T) {\n\ty()\n}\n\nfunc Testing() {\n}\n\nfunc TestMain(m *testing.M) {\n}\n"

func newRepository(t *testing.T) repository {
	r := repository{t, t.TempDir(), t.TempDir()}
	r.write("base/base.go", "package base\n")
	r.write("a/a_test.go", twoTests)
	r.write("b/b_test.go", twoTests)
	return r
}

// explored records that every test was explored for a second: those of package a to the end, TestX with new orders, those of b not.
func (r repository) explored(settings string) {
	p, _ := r.plan(settings)
	for _, pkg := range []string{"a", "b"} {
		for _, name := range []string{"TestX", "TestY"} {
			p.Explored(pkg, name, Explored{Used: time.Second, Short: pkg == "b", New: name == "TestX"})
		}
		p.Save(pkg)
	}
}

// check compares the tests of a plan, in its order.
func check(t *testing.T, what string, got *Plan, want ...Test) {
	t.Helper()
	if !slices.Equal(got.Tests, want) {
		t.Errorf("%s:\ngot  %+v\nwant %+v", what, got.Tests, want)
	}
}

func TestPlanner_New(t *testing.T) {
	r := newRepository(t)
	r.write("b/testdata/macemc/TestY/panic-1.path", "")
	_, plan := r.plan("")
	check(t, "without records", plan,
		Test{"a", "TestX", 0, changedWeight, 2 * second, true}, Test{"a", "TestY", 0, changedWeight, 2 * second, true},
		Test{"b", "TestX", 0, changedWeight, 2 * second, true}, Test{"b", "TestY", 0, foundWeight, 2 * second, true})
}

// The tests of a package whose code has changed come before those that only lacked time, and these before those that did not.
func TestPlanner_Changed(t *testing.T) {
	const used = second + second/4
	r := newRepository(t)
	r.explored("")
	_, plan := r.plan("")
	check(t, "nothing changed", plan,
		Test{"b", "TestX", 1, newWeight, 2 * second, false}, Test{"b", "TestY", 2, 1, 2 * second, false},
		Test{"a", "TestX", 3, newWeight, used, false}, Test{"a", "TestY", 3, 1, used, false})
	_, plan = r.plan("other")
	check(t, "the settings changed", plan,
		Test{"a", "TestX", 0, newWeight, used, false}, Test{"a", "TestY", 0, 1, used, false},
		Test{"b", "TestX", 0, newWeight, 2 * second, false}, Test{"b", "TestY", 0, 1, 2 * second, false})
	r.write("base/base.go", "package base\n\nvar New int\n")
	_, plan = r.plan("")
	check(t, "an imported package changed", plan,
		Test{"a", "TestX", 0, newWeight, used, false}, Test{"a", "TestY", 0, 1, used, false},
		Test{"b", "TestX", 1, newWeight, 2 * second, false}, Test{"b", "TestY", 2, 1, 2 * second, false})
	r.write("b/b_test.go", twoTests[:len(twoTests)-1]+"\nfunc TestZ(t *testing.T) {\n}\n")
	_, plan = r.plan("")
	if last := plan.Tests[len(plan.Tests)-1]; last != (Test{"b", "TestZ", 0, changedWeight, 2 * second, true}) {
		t.Errorf("a new test is planned as %+v", last)
	}
}

// A test that was explored to the end by an earlier command remains so, and one that is not executed keeps its record.
func TestPlanner_Save(t *testing.T) {
	r := newRepository(t)
	r.explored("")
	p, _ := r.plan("")
	p.Explored("b", "TestX", Explored{Used: 2 * second})
	p.Save("b")
	p, _ = r.plan("")
	p.Explored("b", "TestX", Explored{Used: time.Millisecond, Short: true})
	p.Explored("b", "TestY", Explored{Used: 2 * second})
	p.Save("b")
	_, plan := r.plan("")
	for _, test := range plan.Tests {
		if test.Package == "b" && test.Need != 2*second+second/2 {
			t.Errorf("%s needs %v, although it was explored to the end in 2s", test.Name, test.Need)
		}
	}
}

// A test that is explored to the end in little time comes first, although the rest of its package lacked time.
func TestPlanner_Cheap(t *testing.T) {
	r := newRepository(t)
	p, _ := r.plan("")
	p.Explored("b", "TestX", Explored{Used: 2 * second, Short: true})
	p.Explored("b", "TestY", Explored{Used: 8 * time.Millisecond})
	p.Save("b")
	_, plan := r.plan("")
	for _, test := range plan.Tests {
		if test.Name == "TestY" && test.Package == "b" && (test.Rank != 0 || test.Need != 10*time.Millisecond) {
			t.Errorf("it is planned as %+v", test)
		}
	}
}

// Stored schedules of a test that was renamed are not executed. Other files below the folders belong to checked systems.
func TestPackage_Unclaimed(t *testing.T) {
	r := newRepository(t)
	for _, name := range []string{"TestX/deadlock-1.path", "TestOld/panic-2.path", "TestSystem/error.path"} {
		r.write("a/testdata/macemc/"+name, "")
	}
	p := &Package{Dir: filepath.Join(r.dir, "a"), TestGoFiles: []string{"a_test.go"}}
	if got := p.Unclaimed(func(test string) string { return test }); !slices.Equal(got, []string{"testdata/macemc/TestOld"}) {
		t.Errorf("unclaimed are %q", got)
	}
}
