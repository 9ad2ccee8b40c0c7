package explorer

import (
	"errors"
	"fmt"
	"io/fs"
)

// ReadFile reads a schedule from a file. It returns nil if the file does not hold a schedule or cannot be read, and an error if the schedule
// is damaged.
func ReadFile(file string) (*Stored, error) {
	s, err := Load(file)
	if _, unread := errors.AsType[*fs.PathError](err); err == nil || unread || errors.Is(err, errOther) {
		return s, nil
	}
	return nil, fmt.Errorf("%s: %w", file, err)
}
