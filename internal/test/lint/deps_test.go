package lint

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Packages that users import become part of their programs and tests, with all their dependencies. Of other modules
// that is only hashing and system calls: no command line, terminal, drawing or bundled system.
func TestWhatUsersLink(t *testing.T) {
	packages := []string{"mctest", "sim", "simtest", "netsim", "macetime", "bubble", "realnet", "search", "internal/replay",
		"internal/report/render", "mdb", "eventgraph"}
	args := []string{"list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}"}
	for _, p := range packages {
		args = append(args, module+"/"+p)
	}
	list := exec.Command("go", args...)
	list.Dir = "../../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	for _, needed := range []string{module + "/mctest", "github.com/cespare/xxhash/v2"} {
		if !slices.Contains(linked, needed) {
			t.Errorf("%s is not among what is linked, so nothing is tested: %v", needed, linked)
		}
	}
	for _, path := range linked {
		own, inside := strings.CutPrefix(path, module+"/")
		switch {
		case inside && (own == "systems" || below(own, "systems/...") && own != "systems/spec" || below(own, "cmd/...")):
			t.Errorf("users link %s", path)
		case !inside && !below(path, "github.com/cespare/xxhash/v2", "golang.org/x/sys/..."):
			t.Errorf("users link %s", path)
		}
	}
}
