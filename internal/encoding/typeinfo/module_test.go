package typeinfo

import "testing"

func TestModule(t *testing.T) {
	const checker = "github.com/macemc/macemc"
	for pkg, want := range map[string]string{
		"example.com/a/b/c": "example.com/a/b", "container/list": "container/list", checker + "/internal/encoding": checker, checker + "_test": checker,
		"main": modules()[0],
	} {
		if got := Module(pkg); got != want {
			t.Errorf("package %s is of module %s, want %s", pkg, got, want)
		}
	}
}
