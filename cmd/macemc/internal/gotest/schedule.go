package gotest

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/testbudget"
	"github.com/macemc/macemc/internal/testflags"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// storedArgs stores a schedule, which a file holds or is changed from, in another file, and returns scheduleArgs for that.
func storedArgs(s *schedulefile.Stored, of, file string) ([]string, error) {
	of, err := filepath.Abs(of)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	s.WriteTo(&text)
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		return nil, err
	}
	return scheduleArgs(file, of, s)
}

// scheduleArgs returns arguments of go test that execute a schedule. A file of a stranger selects only tests: arguments of the test program,
// which may name files to write, are passed on only from the folder where "macemc test" stores the schedules of the test.
func scheduleArgs(file, of string, s *schedulefile.Stored) ([]string, error) {
	if err := cmp.Or(testflags.CheckPackage(s.Package), testflags.CheckTest(s.Test), testflags.CheckFlags(s.Test, s.Flags)); err != nil {
		return nil, fmt.Errorf("%s: %w", of, err)
	}
	args := []string{"-count=1", "-vet=off", "-run", program.Pattern(s.Test), "-schedule", file}
	flags, last := testflags.SplitFlags(s.Flags)
	args = append(args, flags...)
	if s.Race || s.Schedule.Memory || strings.HasPrefix(s.Finding, strings.ToUpper(string(testsched.Race))) {
		args = append(args, "-race")
	}
	within := filepath.Join("testdata", "macemc", filepath.FromSlash(testflags.TestPath(s.Test)))
	folder, inside := strings.CutSuffix(filepath.Dir(of), string(filepath.Separator)+within)
	switch info, err := os.Stat(s.Package); {
	case inside:
		return append(append([]string{"-C", folder}, args...), append([]string{"."}, last...)...), nil
	case len(last) > 0:
		return nil, fmt.Errorf("%s: it passes arguments to the tests: %q; if you trust them, copy it to %s in the folder of package %s",
			of, last[1:], within, s.Package)
	case err == nil && !info.IsDir() && strings.HasSuffix(s.Package, ".go"):
		return nil, fmt.Errorf("%s: package %s is the name of a file", of, s.Package)
	}
	return append(args, s.Package), nil
}

// pathInstant returns the instant at which the run of a path file begins that package mctest replays in tests of some packages; 0 means that
// there is none. The name of the file is relative to the folder of the package.
func pathInstant(named []*testbudget.Package, args []string) uint64 {
	file := os.Getenv("MACEMC_REPLAY")
	for i, arg := range args {
		switch flag, value, has := strings.Cut(strings.TrimPrefix(arg, "-"), "="); {
		case flag != "-macemc.replay" && flag != "macemc.replay":
		case has:
			file = value
		case i+1 < len(args):
			file = args[i+1]
		}
	}
	for _, p := range named {
		name := file
		if !filepath.IsAbs(file) {
			name = filepath.Join(p.Dir, file)
		}
		if at := check.InstantOf(name); at != 0 {
			return at
		}
	}
	return 0
}
