package gotest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/overlay"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/version"
)

// prepare adds the variables of the environment and the flags of go test for an exploration.
func (v *invocation) prepare(ctx context.Context, build overlay.Build) error {
	list := listPackages(ctx, build.Env, v.dir, v.flags, v.args)
	named := namedPackages(&v.exploration, list, v.args)
	v.Cores = cores(v.args)
	env, err := v.environment(named, v.args)
	if err == nil {
		err = plan(&v.exploration, list, named, v.args)
	}
	if err != nil {
		return err
	}
	points, modules := compilerFlags(list, v.args)
	v.args, v.flags = linkerFlags(v.args, append(v.flags, points...), build.Default("-ldflags"))
	rest, start, err := v.execFlag(v.args, build.Default("-exec"))
	v.args, v.flags = rest, append(v.flags, start)
	v.env = slices.Concat(v.env, env, []string{testsched.VariableModules + "=" + strings.Join(modules, ",")})
	return err
}

// cores returns the number of processor cores for the processes that explore tests: at most as many as Go uses, packages that flag -p allows
// at once, and cores that flag -cpu gives a test.
func cores(args []string) int {
	n := runtime.GOMAXPROCS(0)
	if _, value, given := takeFlag(args, "p"); given {
		if packages, err := strconv.Atoi(value); err == nil {
			n = min(n, packages)
		}
	}
	if _, value, given := takeFlag(args, "cpu"); given {
		most := 0
		for count := range strings.SplitSeq(value, ",") {
			of, _ := strconv.Atoi(strings.TrimSpace(count))
			most = max(most, of)
		}
		n = min(n, most)
	}
	return n
}

// execFlag returns the flag -exec, with which this program starts the test binaries and explores their tests. It starts them by the command
// that the user gives for that among args, or in GOFLAGS. The go command caches a result for the value of the flag, which therefore
// contains the settings.
func (x *exploration) execFlag(args []string, inGoFlags string) (rest []string, flag string, err error) {
	rest, value, given := takeFlag(args, "exec")
	if !given {
		value = inGoFlags
	}
	users, err := child.SplitWords(value)
	if err != nil {
		return nil, "", fmt.Errorf("-exec: %w", err)
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	info, err := os.Stat(exe)
	if err != nil {
		return nil, "", err
	}
	key := fmt.Sprintf("%s,%d,%d,%s", x.settings(), info.Size(), info.ModTime().UnixNano(), x.pkg)
	words := append([]string{exe, Exec, key, strconv.Itoa(len(users))}, users...)
	for i, word := range words {
		if words[i], err = quoteWord(word); err != nil {
			return nil, "", err
		}
	}
	return rest, "-exec=" + strings.Join(words, " "), nil
}

// settings identifies the program and what it explores of tests with a given build.
func (x *exploration) settings() string {
	o := x.Options
	o.Summaries, o.Cores = "", 0 // they differ between equal commands
	return fmt.Sprintf("%s,%x", version.Current(), sha256.Sum256([]byte(o.Variables()[0])))
}

// Exec is the command by which the go command calls this program.
const Exec = "exec"

// Execute implements the command [Exec], whose arguments are those of execFlag and the test binary with its arguments. It returns the exit
// status.
func Execute(args []string) int {
	if len(args) < 3 {
		return exitcode.Usage
	}
	words, err := strconv.Atoi(args[1])
	if err != nil || words < 0 {
		return exitcode.Usage
	}
	return explorer.Execute(words, args[2:])
}

// quoteWord quotes a word for [child.SplitWords], if necessary.
func quoteWord(word string) (string, error) {
	switch {
	case word != "" && !strings.ContainsAny(word, " \t\r\n'\""):
		return word, nil
	case !strings.Contains(word, "'"):
		return "'" + word + "'", nil
	case !strings.Contains(word, `"`):
		return `"` + word + `"`, nil
	}
	return "", fmt.Errorf("%s has both kinds of quotation marks, and the go command cannot pass it on", word)
}
