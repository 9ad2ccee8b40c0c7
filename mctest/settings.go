package mctest

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Options are the settings of one check. The zero value of each field is its default. Flags and environment variables,
// see the package comment, override them. Commands such as "macemc search" take only the system from a check; they have
// their own flags.
type Options struct {
	// Time is the duration of the search, without waits for a processor. 0 means 5 seconds, 1 second with -short, or no
	// limit if MaxPaths is set.
	Time time.Duration
	// MaxPaths is the maximum number of runs; 0 means no limit. A search that ends only by this limit is deterministic.
	MaxPaths int
	// Seed is the seed of the random walks; 0 means 1. It is constant unless set, so that a cached pass of go test is a
	// test that would pass again.
	Seed uint64
	// Workers is the number of concurrent runs, up to 256; 0 means the number of cores.
	Workers int
	// Strategy is the search strategy; empty means [search.Deepening].
	Strategy search.Name
	// Schedules are the orders of events in random walks, in turn; nil means those that a search uses by default.
	Schedules []string
	// WalkSteps is the length of a random walk; 0 means 2000. Walks is the number of walks per probe of a critical
	// transition; 0 means 200.
	WalkSteps, Walks int
	// KeepGoing continues after a violation, until Time or MaxPaths. It reports violations that differ by kind,
	// property, or the code that handled the critical step.
	KeepGoing bool
	// Proof is the kind of proof that a run never recovers; empty means [critical.Walks]. With [critical.Exact] a run
	// is a violation only if all states reachable from it were visited. Otherwise it is a suspect, and the test fails
	// as inconclusive.
	Proof critical.Proof
}

// setting is a setting that can be given as a flag and as an environment variable.
type setting struct {
	name, usage string
	isBool      bool
	given       *string // value of the flag; empty if it was not given
	set         func(s *settings, value string) error
}

// settings are the effective settings of a check.
type settings struct {
	Options
	interleave *sim.Interleave // nil means that of the system

	replay    string
	writeTest bool
	inProcess bool
	strict    bool
	noSkip    bool
}

// flagValue is the text of a flag. It is parsed when a check runs.
type flagValue struct {
	text   *string
	isBool bool
}

func (f flagValue) String() string {
	if f.text == nil {
		return ""
	}
	return *f.text
}
func (f flagValue) Set(s string) error { *f.text = s; return nil }
func (f flagValue) IsBoolFlag() bool   { return f.isBool }

// all holds the settings, registered as flags of the test binary. Flags must be registered before any test runs.
var all = register(flag.CommandLine)

func register(flags *flag.FlagSet) []setting {
	list := []setting{
		{name: "time", usage: "search for this `duration`", set: func(s *settings, v string) (err error) {
			if s.Time, err = time.ParseDuration(v); err != nil || s.Time <= 0 {
				return fmt.Errorf("must be a positive duration such as 30s")
			}
			return nil
		}},
		{name: "max-paths", usage: "execute at most `N` runs", set: number(func(s *settings, n int) { s.MaxPaths = n })},
		{name: "seed", usage: "`seed` of the random walks", set: func(s *settings, v string) (err error) {
			if s.Seed, err = strconv.ParseUint(v, 10, 64); err != nil || s.Seed == 0 {
				return fmt.Errorf("must be a positive integer")
			}
			return nil
		}},
		{name: "workers", usage: "execute `N` runs at a time", set: number(func(s *settings, n int) { s.Workers = n })},
		{name: "strategy", usage: "search by the strategy `NAME`", set: func(s *settings, v string) error {
			s.Strategy = search.Name(v)
			return validStrategy(s.Strategy)
		}},
		{name: "keep-going", isBool: true, usage: "continue after a violation, and report all distinct ones",
			set: boolean(func(s *settings, b bool) { s.KeepGoing = b })},
		{name: "schedules", usage: "order random walks by these `NAMES` in turn", set: func(s *settings, v string) (err error) {
			s.Schedules, err = schedules.Parse(v)
			return err
		}},
		{name: "interleave", usage: "schedule goroutines by `MODE`: rotate, fifo, random, or pct:N", set: func(s *settings, v string) error {
			i, err := simext.ParseInterleave(v)
			s.interleave = &i
			return err
		}},
		{name: "proof", usage: "prove by `KIND` that a run never recovers: walks or exact", set: func(s *settings, v string) error {
			s.Proof = critical.Proof(v)
			return validProof(s.Proof)
		}},
		{name: "replay", usage: "execute the run in the path `file` instead of searching", set: func(s *settings, v string) error {
			s.replay = v
			return nil
		}},
		{name: "write-test", isBool: true, usage: "write a regression test for each finding",
			set: boolean(func(s *settings, b bool) { s.writeTest = b })},
		{name: "in-process", isBool: true, usage: "search in the process of the test",
			set: boolean(func(s *settings, b bool) { s.inProcess = b })},
		{name: "no-skip", isBool: true, usage: "fail, not skip, tests that lack the modified Go runtime",
			set: boolean(func(s *settings, b bool) { s.noSkip = b })},
		{name: "strict", isBool: true, usage: "make Replay fail if its path no longer fits",
			set: boolean(func(s *settings, b bool) { s.strict = b })},
	}
	for i := range list {
		list[i].given = new(string)
		flags.Var(flagValue{list[i].given, list[i].isBool}, list[i].flag(), list[i].usage)
	}
	return list
}

func (s *setting) flag() string { return "macemc." + s.name }

func (s *setting) variable() string {
	return "MACEMC_" + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

func number(set func(*settings, int)) func(*settings, string) error {
	return func(s *settings, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return fmt.Errorf("must be a positive integer")
		}
		set(s, n)
		return nil
	}
}

func boolean(set func(*settings, bool)) func(*settings, string) error {
	return func(s *settings, v string) error {
		b, err := strconv.ParseBool(v)
		if err != nil {
			return fmt.Errorf("must be true or false")
		}
		set(s, b)
		return nil
	}
}

func validStrategy(name search.Name) error {
	if name == "" || name.Validate() != nil {
		return fmt.Errorf("must be one of %s", strings.Join(strategy.Names(0), ", "))
	}
	return nil
}

func validProof(p critical.Proof) error {
	if p != critical.Walks && p != critical.Exact {
		return fmt.Errorf("must be %s or %s", critical.Walks, critical.Exact)
	}
	return nil
}

// resolveSettings computes settings from options, environment and flags, the later with precedence over the earlier.
func resolveSettings(o Options, short bool) (settings, error) {
	s := settings{Options: o}
	switch {
	case o.Time < 0:
		return s, fmt.Errorf("Options.Time is %v, must not be negative", o.Time)
	case o.MaxPaths < 0 || o.Workers < 0 || o.WalkSteps < 0 || o.Walks < 0:
		return s, fmt.Errorf("a number of the options is negative: %+v", o)
	case o.Strategy != "":
		if err := validStrategy(o.Strategy); err != nil {
			return s, fmt.Errorf("Options.Strategy is %q, %w", o.Strategy, err)
		}
	}
	if err := validProof(cmp.Or(o.Proof, critical.Walks)); err != nil {
		return s, fmt.Errorf("Options.Proof is %q, %w", o.Proof, err)
	}
	for i := range all {
		c := &all[i]
		for _, from := range []struct{ name, value string }{{c.variable(), os.Getenv(c.variable())}, {"-" + c.flag(), *c.given}} {
			if from.value == "" {
				continue
			}
			if err := c.set(&s, from.value); err != nil {
				return s, fmt.Errorf("%s is %q, %w", from.name, from.value, err)
			}
		}
	}
	if s.Time == 0 && s.MaxPaths == 0 {
		s.Time = 5 * time.Second
		if short {
			s.Time = time.Second
		}
	}
	if s.Workers > runs.MaxWorkers {
		return s, fmt.Errorf("%d workers exceed the maximum of %d: each takes memory and 2 MB of the folder for temporary files",
			s.Workers, runs.MaxWorkers)
	}
	s.Seed = cmp.Or(s.Seed, 1)
	s.Workers = cmp.Or(s.Workers, runs.DefaultWorkers())
	return s, nil
}
