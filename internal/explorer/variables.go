package explorer

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/testsched"
)

// Options are what a command passes to this process, which explores the tests of a binary.
type Options struct {
	Config    Config
	Schedule  string // file with the only schedule to execute; empty means that the command explores
	Summaries string // folder for one file per package
	Cores     int    // number of processor cores for the command
	Tags      string // build tags
	Folder    string // of flag -C, as a word of a shell; empty means that of the user
	Passing
}

// Passing makes this process pass the outcome of the only schedule to the command, which shows it.
type Passing struct {
	Outcome  string // file for the outcome; empty means that the test shows it
	Trace    string // parts of the outcome: "events", "states" (of goroutines, too), or "nearest" (also NearestFile)
	Debugged bool   // a debugger executes the schedule
}

// variable is the environment variable with the options. Test binaries do not get it.
const variable = "MACEMC_TEST_OPTIONS"

// Variables returns the environment variables for this process, the one with the options first.
func (o Options) Variables() []string {
	text, _ := json.Marshal(o)
	return []string{variable + "=" + string(text), testsched.Variable + "=1"}
}

// PrintsKeys is added to GODEBUG to make the go command print the keys of cached results.
const PrintsKeys = ",gocachetest=1"

// instants returns the value of VariableInstant for a process whose runs begin at an instant.
func instants(run uint64) string {
	_, command, _ := strings.Cut(os.Getenv(testsched.VariableInstant), ",")
	return strconv.FormatUint(run, 10) + "," + command
}
