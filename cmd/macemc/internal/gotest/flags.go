package gotest

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/textfmt"
)

// ownFlag is a flag that go test does not have.
type ownFlag struct {
	name     string
	switches bool // it needs no value
	set      func(x *exploration, value string) error
}

var ownFlags = []ownFlag{
	{"schedules", false, func(x *exploration, value string) (err error) {
		if x.Config.Schedules, err = strconv.Atoi(value); err != nil || x.Config.Schedules < 1 {
			return errors.New("-schedules must be a positive number")
		}
		return nil
	}},
	durationFlag("explore-time", "30s", 1, math.MaxInt64, func(x *exploration) *time.Duration { x.timed = true; return &x.Config.Time }),
	durationFlag("explore-total", "10m, or 0", 0, math.MaxInt64, func(x *exploration) *time.Duration { x.totaled = true; return &x.total }),
	{"explore-seed", false, func(x *exploration, value string) (err error) {
		if x.Config.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			return errors.New("-explore-seed must be a number")
		}
		return nil
	}},
	durationFlag("explore-delay", "20ms", 1, testsched.MaxDelay, func(x *exploration) *time.Duration { return &x.Config.Delay }),
	{"schedule", false, load},
	switchFlag("explore", func(x *exploration, on bool) { x.on = on }),
	{"exhaustive", true, func(x *exploration, value string) error {
		n, err := strconv.Atoi(value)
		x.Config.Exhaustive, x.Config.Preemptions = value != "false", n
		switch {
		case value == "true" || value == "false":
			x.Config.Preemptions = systematic.Unbounded
		case err != nil || n < 0:
			return errors.New("-exhaustive must be a number of preemptions, true or false")
		}
		return nil
	}},
	switchFlag("leaks", func(x *exploration, on bool) { x.Config.NoLeaks = !on }),
}

func switchFlag(name string, set func(x *exploration, on bool)) ownFlag {
	return ownFlag{name, true, func(x *exploration, value string) error {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("-%s must be true or false", name)
		}
		set(x, on)
		return nil
	}}
}

func durationFlag(name, examples string, least, most time.Duration, of func(*exploration) *time.Duration) ownFlag {
	return ownFlag{name, false, func(x *exploration, value string) error {
		d, err := time.ParseDuration(value)
		switch *of(x) = d; {
		case err != nil || d < least:
			return fmt.Errorf("-%s must be a positive duration such as %s", name, examples)
		case d > most:
			return fmt.Errorf("-%s must be at most %v, got %v", name, most, d)
		}
		return nil
	}}
}

// load loads the schedule to execute.
func load(x *exploration, file string) (err error) {
	if file == Last {
		if file, err = NewestFinding(x.folder, IsSchedule); err != nil {
			return err
		}
	}
	if x.stored, err = schedulefile.Load(file); err != nil {
		if _, notNumber := strconv.Atoi(file); notNumber == nil && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("-schedule: file %s does not exist; -schedules %[1]s limits the number of schedules", file)
		}
		if _, ok := errors.AsType[*fs.PathError](err); !ok {
			err = fmt.Errorf("%s: %w", file, err)
		}
		return err
	}
	x.Schedule, err = filepath.Abs(file)
	return err
}

// flagNames returns the names of the flags that go test does not have.
func flagNames() (names []string) {
	for _, f := range ownFlags {
		names = append(names, f.name)
	}
	return append(names, resultFlags()...)
}

// suggestFlag asks for the flag that an unknown one may stand for. It returns an empty string if none is similar.
func suggestFlag(flag string) string {
	names := textfmt.Near(flag, flagNames())
	if len(names) == 0 {
		return ""
	}
	return "did you mean -" + strings.Join(names, " or -") + "?; "
}

// explorationFlags removes the flags of the exploration from arguments of go test in a folder.
func explorationFlags(folder string, args []string) (x exploration, rest []string, err error) {
	x = exploration{on: true, Options: explorer.Options{Config: explorer.Config{Seed: 1}}}
	if x.folder, err = filepath.Abs(folder); err != nil {
		return x, nil, err
	}
	args, tests := splitArgs(args)
	for i := 0; i < len(args); i++ {
		name, value, has := strings.Cut(args[i], "=")
		flag := strings.TrimPrefix(strings.TrimPrefix(name, "-"), "-")
		at := slices.IndexFunc(ownFlags, func(f ownFlag) bool { return f.name == flag })
		if flag == name || at < 0 {
			if flag != name {
				err = observe(&x, flag, value, has)
			}
			if err != nil {
				return x, nil, err
			}
			rest = append(rest, args[i])
			continue
		}
		if !has && ownFlags[at].switches {
			if i+1 < len(args) && ownFlags[at].set(&exploration{}, args[i+1]) == nil { // a value, not a package
				return x, nil, fmt.Errorf("%s takes its value after an equals sign: %[1]s=%s", name, args[i+1])
			}
			value = "true"
		} else if !has {
			if i+1 == len(args) {
				return x, nil, fmt.Errorf("%s needs a value", name)
			}
			i++
			value = args[i]
		}
		if err := ownFlags[at].set(&x, value); err != nil {
			return x, nil, err
		}
	}
	complete(&x)
	return x, append(rest, tests...), nil
}

// observe records a flag of go test that affects the exploration. has reports whether its value follows an equals sign.
func observe(x *exploration, flag, value string, has bool) error {
	if near := suggestFlag(flag); len(flag) > 3 && near != "" { // shorter ones may belong to the tests
		return fmt.Errorf("unknown flag -%s; %sflags of the tests come after -args", flag, near)
	}
	switch flag {
	case "json":
		x.json = isOn(value)
	case "race":
		x.race = isOn(value)
	case "v", "test.v":
		x.verbose = isOn(value)
	case "c":
		x.on = x.on && !isOn(value)
	case "fuzz", "list", "test.fuzz", "test.list":
		x.on = x.on && has && value == "" // an empty pattern is the default
	}
	return nil
}

// isOn reports whether go test takes a value of a flag as true. It rejects a value that is no truth value.
func isOn(value string) bool {
	on, err := strconv.ParseBool(value)
	return on || err != nil
}

// splitArgs splits arguments of go test into its own and, from -args on, those of the tests.
func splitArgs(args []string) (own, tests []string) {
	i := slices.IndexFunc(args, func(arg string) bool { return arg == "-args" || arg == "--args" })
	if i < 0 {
		return args, nil
	}
	return args[:i], args[i:]
}

// takeFlag removes a flag from arguments of go test and returns its last value.
func takeFlag(args []string, flag string) (rest []string, value string, given bool) {
	own, tests := splitArgs(args)
	for i := 0; i < len(own); i++ {
		name, v, has := strings.Cut(own[i], "=")
		if name != "-"+flag && name != "--"+flag {
			rest = append(rest, own[i])
			continue
		}
		if !has && i+1 < len(own) {
			i++
			v = own[i]
		}
		value, given = v, true
	}
	return append(rest, tests...), value, given
}
