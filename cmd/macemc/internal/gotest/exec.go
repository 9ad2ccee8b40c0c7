package gotest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/overlay"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/version"
)

// prepare returns the variables of the environment for an exploration, and adds its flags to those of go test. It removes flags from args
// in whose place they are.
func (x *exploration) prepare(ctx context.Context, build overlay.Build, folder string, args, flags []string) (rest, more, env []string,
	err error) {
	if env, err = x.environment(args); err != nil {
		return nil, nil, nil, err
	}
	list := listPackages(ctx, build.Env, folder, flags, args)
	if err := plan(x, list, args); err != nil {
		return nil, nil, nil, err
	}
	points, modules := compilerFlags(list, args)
	rest, more = linkerFlags(args, append(flags, points...), build.Default("-ldflags"))
	rest, start, err := x.execFlag(rest, build.Default("-exec"))
	env = append(env, testsched.VariableModules+"="+strings.Join(modules, ","), explorer.VariableCores+"="+strconv.Itoa(cores(args)))
	return rest, append(more, start), env, err
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
	users, err := splitWords(value)
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
	key := fmt.Sprintf("%s,%d,%d,%d,%d,%v,%v,%s,%t,%s,%s,%s", version.Current(), info.Size(), info.ModTime().UnixNano(), x.seed,
		x.schedules, x.time,
		x.delay, x.exhaust, x.leaks, x.schedule, x.pkg, x.tags)
	words := append([]string{exe, Exec, key, strconv.Itoa(len(users))}, users...)
	for i, word := range words {
		if words[i], err = quoteWord(word); err != nil {
			return nil, "", err
		}
	}
	return rest, "-exec=" + strings.Join(words, " "), nil
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

// splitWords splits a command as the go command does: words are separated by blanks, and may be quoted.
func splitWords(text string) (words []string, err error) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " \t\r\n") {
		end, quote := strings.IndexAny(text, " \t\r\n"), text[0]
		if quote == '"' || quote == '\'' {
			text = text[1:]
			if end = strings.IndexByte(text, quote); end < 0 {
				return nil, fmt.Errorf("unterminated %c", quote)
			}
			words, text = append(words, text[:end]), text[end+1:]
			continue
		}
		if end < 0 {
			end = len(text)
		}
		words, text = append(words, text[:end]), text[end:]
	}
	return words, nil
}

// quoteWord quotes a word for splitWords, if necessary.
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
