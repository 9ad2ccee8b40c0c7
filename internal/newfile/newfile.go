// Package newfile writes files that must not be there yet.
package newfile

import (
	"errors"
	"os"
)

// Write writes a file, all of it or none. The error is [fs.ErrExist] when there is something of that name.
func Write(name string, content []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(name)
	}
	return err
}
