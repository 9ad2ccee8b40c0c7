package cli

import (
	"strings"
	"testing"
)

// Shells complete systems, and the values of the flags for bugs, properties, strategies and parameters.
func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"search rand":                   "randtree\t",
		"search randtree --bug RT1":     "RT13\t",
		"search randtree --property ev": "every node has joined\teventually",
		"search pingack --strategy b":   "bfs\n",
		"search randtree --set deg":     "degree=\t",
		"systems tw":                    "twophase\t",
		// Tests of packages are found in their source, even if it does not build.
		"search testdata/tests:":             "testdata/tests:TestHelped\ntestdata/tests:TestLease\n:",
		"systems ./testdata/tests:TestL":     "./testdata/tests:TestLease\n:",
		"search ./testdata/tests --test Tes": "TestHelped\nTestLease\n:",
		"search ./testdata/te":               ":16\n", // folders
		"mdb ping":                           "pingack\t",
		"mdb ./testdata/te":                  ":0\n", // files
		"mdb error.path li":                  ":0\n",
		"test ./mysvc -jun":                  "-junit\n:0\n",
	} {
		stdout, _, _ := run(t, append([]string{"__complete"}, strings.Fields(line)...)...)
		if !strings.Contains(stdout, want) {
			t.Errorf("%s: %q is missing in %s", line, want, stdout)
		}
	}
	if stdout, _, _ := run(t, "help", "--all"); !strings.Contains(stdout, "completion ") {
		t.Errorf("the help does not tell of completion:\n%s", stdout)
	}
	if _, stderr, status := run(t, "serach"); status != 2 || !strings.Contains(stderr, `unknown command "serach"; did you mean search?`) {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if stdout, _, status := run(t, args...); status != 0 || !strings.HasPrefix(stdout, "macemc ") || !strings.Contains(stdout, "go1.") {
			t.Errorf("%q: exit status %d: %s", args, status, stdout)
		}
	}
	if stdout, _, status := run(t, "version", "--json"); status != 0 || !strings.Contains(stdout, `"go": "go1.`) {
		t.Errorf("exit status %d: %s", status, stdout)
	}
}
