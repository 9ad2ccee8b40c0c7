// Package defect distinguishes panics of the checker from those of checked code.
package defect

import (
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/macemc/macemc/internal/stacks"
)

// Error is a panic of the checker, not of checked code. Earlier findings are reported beside it.
type Error struct {
	What  string // the panic's message
	Stack string
}

func (e *Error) Error() string {
	text := "the checker failed, which is a defect of macemc and not of the checked code; please report it with this text: " + e.What
	guarded := stacks.Name(Guard)
	for _, g := range stacks.Read(e.Stack) {
		for _, f := range g.Frames {
			if strings.HasPrefix(f.Function, module) && !strings.HasPrefix(f.Function, guarded) {
				return text + " (" + f.Place + ")"
			}
		}
	}
	return text
}

// module is the prefix of all function names of the checker.
const module = "github.com/macemc/macemc/"

// Guard calls f and returns its panic as an [Error].
func Guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Error{What: fmt.Sprint(r), Stack: string(debug.Stack())}
		}
	}()
	return f()
}

var panicked = regexp.MustCompile(`(?m)^panic: (.*)$`)

// standard matches the functions of the standard library that the checker calls with its own code or data.
var standard = regexp.MustCompile(`^(panic\(|(runtime|slices|maps|sort|strings|bytes|fmt|iter|sync|os|reflect|encoding/[a-z]+|internal/[a-z/]+)\.)`)

// Died returns the panic of the checker that ended a process, read from the process's output. nil means another cause
// of death or a panic in other code. The panicking function is the innermost one outside the standard library.
func Died(said string) *Error {
	words, all := panicked.FindStringSubmatch(said), stacks.Read(said)
	if words == nil || len(all) == 0 {
		return nil
	}
	for _, f := range all[0].Frames {
		switch name := f.Function + "("; {
		case strings.Contains(name, "_test."), strings.HasPrefix(name, module+"systems/"),
			strings.HasPrefix(name, module+"internal/test/papers/"), strings.HasPrefix(name, module+"cmd/"),
			strings.HasPrefix(name, module+"glue/"):
			return nil
		case strings.HasPrefix(name, module):
			return &Error{What: words[1], Stack: all[0].Text}
		case !standard.MatchString(name):
			return nil
		}
	}
	return nil
}

// Is reports whether an error is an [Error].
func Is(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}
