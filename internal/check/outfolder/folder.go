package outfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Folder is the destination of a report.
type Folder struct {
	Dir  string // requested; an empty string means a folder in Root, named after the finding
	Root string
	// Several reports go into Dir, each into a numbered folder.
	Several bool
	// Replace treats the name of an earlier finding, which is Dir, as free. That finding is removed when the new one is
	// complete, before it gets its name.
	Replace bool
	// Numbered extends Replace to findings in numbered folders in Dir.
	Numbered bool
}

// Probe checks whether a report can be written, and leaves nothing behind.
func (f Folder) Probe() error {
	in := f.Root
	if f.Dir != "" {
		in = parent(f.Dir)
	}
	temp, made, err := tempIn(in)
	if err == nil {
		err = os.Remove(temp)
	}
	for _, dir := range made {
		os.Remove(dir)
	}
	if err != nil {
		return fmt.Errorf("cannot write to the output folder: %w", err)
	}
	return nil
}

// tempIn makes a temporary folder in another folder, which is made too if it does not exist. It returns the other
// folders that it made, innermost first. It retries if a concurrent probe of another process removes them.
func tempIn(in string) (temp string, made []string, err error) {
	for range 100 {
		if made, err = MkdirAll(in); err == nil {
			temp, err = os.MkdirTemp(in, ".macemc-")
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) { // another process made or removed it meanwhile
			break
		}
	}
	return temp, made, err
}

// MkdirAll is os.MkdirAll but returns the folders it made, innermost first.
func MkdirAll(dir string) (made []string, err error) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, d)
	}
	return made, os.MkdirAll(dir, 0o755)
}

// Write makes the folder with the files that fill writes, and returns its name. The folder gets that name only when
// it is complete. fill also receives the final name, and is called again if another process has taken that name
// meanwhile.
func (f Folder) Write(slug string, fill func(temp, final string) error) (string, error) {
	for name := range f.names(slug) {
		ok, err := free(name)
		if err == nil && !ok && f.Replace {
			ok, err = replaceable(name)
		}
		switch {
		case err != nil:
			return "", err
		case !ok:
			continue
		}
		err = place(name, func(temp, final string) error {
			err := fill(temp, final)
			if err == nil && f.Replace {
				err = removeFindings(f.Dir, f.Numbered)
			}
			return err
		})
		if errors.Is(err, errTaken) {
			continue
		}
		return name, err
	}
	return "", fmt.Errorf("no free name for an output folder %q", slug)
}

// names yields the names that the folder may get, in order of preference. Other folders are kept, unless Replace is set.
func (f Folder) names(slug string) iter.Seq[string] {
	return func(yield func(string) bool) {
		stem := filepath.Join(f.Root, slug) + "-"
		if f.Dir != "" {
			if !f.Several && !yield(f.Dir) {
				return
			}
			stem = f.Dir + string(filepath.Separator)
		}
		for n := 1; n < 100_000; n++ {
			if !yield(stem + strconv.Itoa(n)) {
				return
			}
		}
	}
}

// free reports whether the name is available: it does not exist, or is an empty folder.
func free(name string) (bool, error) {
	entries, err := os.ReadDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return len(entries) == 0, err
}

var errTaken = errors.New("the name is taken")

// place fills a temporary folder and renames it. If name is an empty folder, which may be a mount point and must
// stay, it moves the files into it.
func place(name string, fill func(temp, final string) error) error {
	in := parent(name)
	temp, _, err := tempIn(in)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := fill(temp, name); err != nil {
		return err
	}
	if in == name {
		return moveInto(name, temp)
	}
	if err := os.Rename(temp, name); err != nil {
		if _, gone := os.Lstat(name); gone == nil {
			return errTaken
		}
		return err
	}
	return nil
}

// parent returns the folder for the temporary folder of name: name itself if it exists.
func parent(name string) string {
	if _, err := os.Stat(name); err == nil {
		return name
	}
	return filepath.Dir(name)
}

// moveInto moves the files in temp to dir. It never replaces a file.
func moveInto(dir, temp string) error {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return err
	}
	for _, e := range entries {
		to := filepath.Join(dir, e.Name())
		if _, err := os.Lstat(to); err == nil {
			return fmt.Errorf("%s appeared meanwhile", to)
		}
		if err := os.Rename(filepath.Join(temp, e.Name()), to); err != nil {
			return err
		}
	}
	return nil
}

// Slug turns words into a part of a file name: lower case letters and digits, joined by dashes, at most 60
// characters.
func Slug(words ...string) string {
	parts := strings.FieldsFunc(strings.ToLower(strings.Join(words, " ")), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9')
	})
	s := strings.Join(parts, "-")
	if len(s) > 60 {
		s = strings.TrimRight(s[:60], "-")
	}
	return s
}
