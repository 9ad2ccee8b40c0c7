// Package infile reads files that users name, or that stand where users may have put others.
package infile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// most is the maximum size of a file that is read as a whole.
const most = 1 << 30

// kinds are files that are not read: a read may wait forever, never end, or change a device.
var kinds = []struct {
	mode fs.FileMode
	err  error
}{
	{fs.ModeDir, syscall.EISDIR},
	{fs.ModeNamedPipe, errors.New("it is a named pipe, not a regular file")},
	{fs.ModeSocket, errors.New("it is a socket, not a regular file")},
	{fs.ModeDevice | fs.ModeCharDevice, errors.New("it is a device, not a regular file")},
	{fs.ModeType, errors.New("it is not a regular file")},
}

// Check returns an error unless a file is a regular one, perhaps behind symbolic links. It does not open it.
func Check(name string) error {
	info, err := os.Stat(name)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "open", Path: e.Path, Err: e.Err}
	} else if err != nil {
		return err
	}
	for _, k := range kinds {
		if info.Mode()&k.mode != 0 {
			return &fs.PathError{Op: "read", Path: name, Err: k.err}
		}
	}
	return nil
}

// Open opens a regular file for reading. It neither blocks nor opens another kind of file.
func Open(name string) (*os.File, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a named pipe
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Size() > most {
		f.Close()
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("it has %d bytes, and at most %d are read", info.Size(), most)}
	}
	return f, nil
}

// Read returns the content of a regular file.
func Read(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
