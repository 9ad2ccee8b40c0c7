package testsched

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A test binary executes in up to three stages, in one process after another. The runs of the first stage begin with the test. It postpones
// tests that use what packages or TestMain have started. The runs of the second stage begin with the initialization of packages. The
// third one executes tests that no stage could explore, as go test does.
const (
	VariableStage  = "MACEMC_TEST_STAGE"  // StageBegin, stagePlain, or empty
	variableStatus = "MACEMC_TEST_STATUS" // of earlier stages

	StageBegin = "begin"
	stagePlain = "plain"
)

var stage, status = os.Getenv(VariableStage), os.Getenv(variableStatus)

// Begins reports whether each run initializes packages and executes TestMain.
func Begins() bool { return stage == StageBegin }

// Plain reports whether tests are executed as go test does.
func Plain() bool { return stage == stagePlain }

// Status returns the status of earlier stages.
func Status() int {
	n, _ := strconv.Atoi(status)
	return n
}

// Explores reports whether the process explores tests, and not only executes one schedule.
func Explores(s *Settings) bool { return s.outcome == "" && s.schedule == "" && s.only < 0 }

// Next returns the process of the next stage. nil means that the last stage follows, for all tests of this one. left is the rest of
// -timeout, and 0 means no limit.
func Next(s *Settings, tests []string, status int, left time.Duration) (exe string, args, env []string) {
	exe, _ = os.Executable()
	args = []string{exe, "-test.timeout=" + left.String()}
	replaced := []string{"-test.timeout", "-test.testlogfile", "-test.bench"}
	next := StageBegin
	if Begins() || tests == nil {
		next = stagePlain
	}
	if tests != nil {
		var patterns []string
		for _, test := range tests {
			patterns = append(patterns, s.flags.Selection(test))
		}
		args, replaced = append(args, "-test.run="+strings.Join(patterns, "|")), append(replaced, "-test.run")
	}
	for _, arg := range begunArgs {
		if name, _, _ := strings.Cut(arg, "="); !slices.Contains(replaced, name) {
			args = append(args, arg)
		}
	}
	if begin != "" {
		os.Chdir(begin)
	}
	own := []string{VariableStage + "=" + next, fmt.Sprintf("%s=%d", variableStatus, status), timeoutVariable(s)}
	return exe, args, append(own, s.environ...)
}

// begunArgs are the arguments of the process.
var begunArgs = slices.Clone(os.Args[min(1, len(os.Args)):])

// passOver reports whether a unit, which it completes, is not explored in this process. The report is nil if the unit is executed as go test
// does.
func passOver(s *Settings, u *Unit) (report *Report, done bool) {
	u.Package = cmp.Or(packagePath, u.Package)
	s.running, s.runs = u.String(), nil
	if len(s.summary) == 0 {
		s.summary = earlier(s, u.Package)
	}
	if Plain() {
		return nil, true
	}
	return &Report{}, !u.selected()
}

// earlier returns the lines of earlier stages in the summary of a package, by test.
func earlier(s *Settings, pkg string) map[string]string {
	lines := map[string]string{}
	text, err := os.ReadFile(SummaryFile(s.summaries, pkg))
	if stage == "" || err != nil {
		return lines
	}
	test := ""
	for line := range strings.Lines(string(text)) {
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			test, _ = strconv.Unquote(quoted)
			lines[test] = ""
		}
		if strings.TrimSpace(line) != "" {
			lines[test] += line
		}
	}
	return lines
}
