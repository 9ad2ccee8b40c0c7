// Compiled patterns of -run, as a run of one of many subtests compares the names of all others. The log of files and variables that a test
// reads takes no part in schedules.

package testdeps

import "regexp"

// macemcPatterns are the patterns that were compiled. The caller of MatchString holds a lock.
var macemcPatterns = map[string]*regexp.Regexp{}

func macemcCompile(pattern string) (*regexp.Regexp, error) {
	if compiled := macemcPatterns[pattern]; compiled != nil {
		return compiled, nil
	}
	compiled, err := regexp.Compile(pattern)
	if err == nil {
		macemcPatterns[pattern] = compiled
	}
	return compiled, err
}

func macemcUnscheduled(d int32, once uintptr)
