package gotest

import (
	"slices"
	"strings"
)

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
