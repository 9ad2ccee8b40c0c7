package task

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// writeBootFiles writes the files that each node found at its last boot in a run into the folders n0, n1, ... of a new or empty folder.
// An empty dir means that they are not asked for.
func writeBootFiles(ctx context.Context, l *check.Loaded, dir string, out io.Writer) error {
	switch {
	case dir == "":
		return nil
	case l.Unsafe != nil:
		return fmt.Errorf("--files: step %d may end the process that would write them", l.Unsafe.Step)
	}
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return fmt.Errorf("--files: %s is not empty", dir)
	}
	c, err := within(ctx, func() (*replay.Cursor, error) {
		c, err := replay.NewCursor(&l.System, l.Path, kernel.Options{})
		for err == nil && !c.AtEnd() {
			err = c.Next()
		}
		if c != nil && c.AtEnd() { // a finding ends the run
			err = nil
		}
		return c, err
	})
	if err != nil {
		return err
	}
	written := 0
	for id := range sim.NodeID(l.System.Nodes) {
		s, ok := c.World().Service(id).(simext.Storing)
		if !ok {
			continue
		}
		files, err := s.Booted()
		if err != nil {
			return err
		}
		if files == nil {
			continue
		}
		if err := writeFiles(filepath.Join(dir, fmt.Sprint("n", id)), files); err != nil {
			return err
		}
		written++
	}
	if written == 0 {
		return fmt.Errorf("--files: no node of %s has booted with a data directory", l.System.Name)
	}
	_, err = fmt.Fprintf(out, "macemc: %s has the files that each node found at its last boot\n", dir)
	return err
}

// writeFiles writes files and directories, whose paths end in a slash, into a new folder.
func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for name, data := range files {
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			err = root.MkdirAll(folder, 0o777)
		} else if err = root.MkdirAll(path.Dir(name), 0o777); err == nil {
			err = root.WriteFile(name, data, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
