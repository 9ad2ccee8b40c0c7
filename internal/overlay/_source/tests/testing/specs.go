// The specs of a suite of Ginkgo, which are explored one by one. Flags select them, and list them without executing them.

package testing

import (
	"flag"
	program "internal/types"
	"os"
	"strings"
	testsched "testing/internal"
)

// macemcSpecs are the specs that a run executes.
type macemcSpecs struct {
	only, without []string // their names; no names in only means all
	list          string   // file for a list of them; empty means that they are executed
}

// macemcSelected are those of the run.
var macemcSelected macemcSpecs

// macemcGinkgo means that the program contains Ginkgo, and macemcSuite also that its user does not select specs.
var macemcGinkgo, macemcSuite bool

// macemcSetFlags sets the flags of Ginkgo when the test of a run starts. The order of specs is the same in each process.
func macemcSetFlags() {
	const focus, seed = "ginkgo.focus", "ginkgo.seed"
	if macemcGinkgo = flag.Lookup(focus) != nil; !macemcGinkgo {
		return
	}
	macemcSuite = true
	seeded := false
	flag.Visit(func(f *flag.Flag) {
		macemcSuite, seeded = macemcSuite && f.Name != focus, seeded || f.Name == seed
	})
	if !seeded {
		flag.Set(seed, "1")
	}
	flag.Set("ginkgo.no-color", "true")
	if macemcSuite {
		macemcSelected.set()
	}
}

// macemcSpec returns the spec with a name. An empty name means all others than some.
func macemcSpec(name string, without []string) (s macemcSpecs) {
	if s.without = without; name != "" {
		s.only = []string{name}
	}
	return s
}

// set sets the flags of Ginkgo for the specs, if there are such flags.
func (s macemcSpecs) set() {
	for _, name := range s.only {
		flag.Set("ginkgo.focus", program.Focus(name))
	}
	for _, name := range s.without {
		flag.Set("ginkgo.skip", program.Focus(name))
	}
	if s.list != "" {
		flag.Set("ginkgo.dry-run", "true")
		flag.Set("ginkgo.json-report", s.list)
	}
}

// macemcListSpecs returns the list that Ginkgo writes. It returns an empty text if the test is not such a suite.
func macemcListSpecs(x *macemcExplorer) string {
	if !macemcSuite || len(macemcSubtests) > 0 {
		return ""
	}
	f, err := os.CreateTemp("", "macemc-specs-")
	if err != nil {
		return ""
	}
	f.Close()
	defer os.Remove(f.Name())
	y := macemcPart(x, x.of.part)
	y.of.specs.list = f.Name()
	y.run1(&testsched.Schedule{Seed: 1, Manner: testsched.Manner{Showing: testsched.Aside}}, false)
	text, _ := os.ReadFile(f.Name())
	return string(text)
}

// macemcFailedSpec returns the first failure in the summary that Ginkgo has printed: a spec, and the place in the test. It returns an empty
// text if there is none.
func macemcFailedSpec(x *macemcExplorer) string {
	if !macemcGinkgo {
		return ""
	}
	var output strings.Builder
	x.showing.each(x.r, func(text []byte, _ func(int) int) { output.Write(text) })
	_, summary, _ := strings.Cut(output.String(), "\nSummarizing ")
	var lines []string
	for line := range strings.Lines(summary) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) < 3 {
		return ""
	}
	return lines[1] + " at " + lines[2][strings.LastIndexByte(lines[2], '/')+1:]
}
