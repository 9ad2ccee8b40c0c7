package outfile

import (
	"errors"
	"os"
)

// Create writes a new file. The error is [fs.ErrExist] if there is something of that name.
func Create(name string, content []byte) error {
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
