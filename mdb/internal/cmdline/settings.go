package cmdline

import (
	"slices"
	"strconv"
	"strings"
)

// Settings are the KEY=VALUE arguments of a command.
type Settings map[string]string

// ReadSettings separates settings, whose keys must be known, from other arguments.
func ReadSettings(args []string, known ...string) (set Settings, rest []string, err error) {
	set = Settings{}
	for _, a := range args {
		key, value, ok := strings.Cut(a, "=")
		if !ok {
			rest = append(rest, a)
			continue
		}
		if !slices.Contains(known, key) {
			return nil, nil, Usagef("unknown setting %q; the settings are %s", key, strings.Join(known, ", "))
		}
		set[key] = value
	}
	return set, rest, nil
}

// Count returns the value of a setting, which must be a number of at least 1, or otherwise if it is not set.
func (s Settings) Count(key string, otherwise int) (int, error) {
	text, ok := s[key]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, Usagef("%s=%s must be a number of at least 1", key, text)
	}
	return n, nil
}
