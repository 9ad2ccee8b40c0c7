package facts

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// home returns the path of a file in the home directory, which is the data directory of a node.
func home(name string) string { return filepath.Join(os.Getenv("HOME"), name) }

// written returns the path of a file with a text.
func written(name, text string) string {
	must(0, os.WriteFile(home(name), []byte(text), 0o644))
	return home(name)
}

var ofFiles = map[string]fact{
	"open: missing":       func() any { _, err := os.Open(home("missing")); return []any{err, errors.Is(err, fs.ErrNotExist)} },
	"stat: missing":       func() any { _, err := os.Stat(home("missing")); return err },
	"remove: missing":     func() any { return os.Remove(home("missing")) },
	"rename: missing":     func() any { return os.Rename(home("missing"), home("x")) },
	"readdir: missing":    func() any { _, err := os.ReadDir(home("missing")); return err },
	"mkdir: exists":       func() any { return os.Mkdir(os.Getenv("HOME"), 0o755) },
	"mkdir: no parent":    func() any { return os.Mkdir(home("no/parent"), 0o755) },
	"create: exclusive":   func() any { _, err := os.OpenFile(written("e", ""), os.O_CREATE|os.O_EXCL, 0o644); return err },
	"open: a file as dir": func() any { _, err := os.Open(filepath.Join(written("f", ""), "x")); return err },
	"readdir: a file":     func() any { _, err := os.ReadDir(written("f", "")); return errors.Is(err, syscall.ENOTDIR) },
	"read: a directory":   func() any { _, err := os.ReadFile(os.Getenv("HOME")); return err },
	"write: a directory":  func() any { return os.WriteFile(os.Getenv("HOME"), nil, 0o644) },
	"open: empty name":    func() any { _, err := os.Open(""); return err },
	"open: null byte":     func() any { _, err := os.Open("a\x00b"); return err },
	"stat: a file": func() any {
		i := must(os.Stat(written("s", "text")))
		return []any{i.Name(), i.Size(), i.IsDir(), i.Mode().IsRegular(), i.Mode().Perm()}
	},
	"stat: a directory": func() any {
		must(0, os.MkdirAll(home("d/e"), 0o755))
		i := must(os.Stat(home("d")))
		return []any{i.Name(), i.IsDir(), i.Mode()}
	},
	"write twice": func() any { written("w", "long text"); return string(must(os.ReadFile(written("w", "short")))) },
	"read: write-only": func() any {
		f := must(os.OpenFile(written("o", "x"), os.O_WRONLY, 0))
		defer f.Close()
		_, err := f.Read(make([]byte, 1))
		return err
	},
	"write: read-only": func() any {
		f := must(os.Open(written("o", "x")))
		defer f.Close()
		_, err := f.Write([]byte("x"))
		return err
	},
	"close twice": func() any { f := must(os.Open(written("o", "x"))); f.Close(); return f.Close() },
	"read: closed": func() any {
		f := must(os.Open(written("o", "x")))
		f.Close()
		_, err := f.Read(make([]byte, 1))
		return err
	},
	"read: at the end": func() any {
		f := must(os.Open(written("o", "x")))
		defer f.Close()
		f.Seek(9, 0)
		n, err := f.Read(make([]byte, 1))
		return []any{n, err}
	},
	"seek: negative": func() any {
		f := must(os.Open(written("o", "x")))
		defer f.Close()
		_, err := f.Seek(-1, 0)
		return err
	},
	"write at: a hole": func() any {
		f := must(os.Create(home("h")))
		defer f.Close()
		f.WriteAt([]byte("x"), 10)
		return must(f.Stat()).Size()
	},
	"truncate":          func() any { must(0, os.Truncate(written("t", "text"), 2)); return string(must(os.ReadFile(home("t")))) },
	"truncate: missing": func() any { return os.Truncate(home("missing"), 2) },
	"append": func() any {
		f := must(os.OpenFile(written("a", "1"), os.O_APPEND|os.O_WRONLY, 0))
		defer f.Close()
		f.WriteString("2")
		return string(must(os.ReadFile(home("a"))))
	},
	"rename: over a file": func() any {
		must(0, os.Rename(written("r1", "1"), written("r2", "2")))
		_, err := os.Stat(home("r1"))
		return []any{string(must(os.ReadFile(home("r2")))), err}
	},
	"remove: not empty": func() any { must(0, os.MkdirAll(home("n/x"), 0o755)); return os.Remove(home("n")) },
	"remove: open file": func() any {
		f := must(os.Open(written("ro", "text")))
		defer f.Close()
		must(0, os.Remove(home("ro")))
		return string(must(io.ReadAll(f)))
	},
	"remove all": func() any {
		must(0, os.MkdirAll(home("ra/x/y"), 0o755))
		written("ra/x/f", "")
		return []any{os.RemoveAll(home("ra")), os.RemoveAll(home("ra"))}
	},
	"walk": func() any {
		must(0, os.MkdirAll(home("walk/b/c"), 0o755))
		written("walk/a", "")
		var all []string
		err := filepath.WalkDir(home("walk"), func(name string, d fs.DirEntry, err error) error {
			all = append(all, strings.TrimPrefix(name, home("walk")), d.Type().String())
			return err
		})
		return []any{all, err}
	},
	"glob": func() any {
		written("g1.txt", "")
		written("g2.txt", "")
		return len(must(filepath.Glob(home("g*.txt"))))
	},
	"temporary files": func() any {
		f := must(os.CreateTemp("", "facts-*.txt"))
		defer os.Remove(f.Name())
		name := filepath.Base(f.Name())
		return []any{filepath.Dir(f.Name()) == os.TempDir(), strings.HasPrefix(name, "facts-"), filepath.Ext(name), f.Close()}
	},
	"temporary directory": func() any {
		dir := must(os.MkdirTemp("", "facts-*"))
		defer os.RemoveAll(dir)
		return []any{must(os.Stat(dir)).IsDir(), len(must(os.ReadDir(dir)))}
	},
	"lock": func() any {
		a, b := must(os.Create(home("lock"))), must(os.Open(home("lock")))
		defer a.Close()
		defer b.Close()
		one := syscall.Flock(int(a.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		two := syscall.Flock(int(b.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		return []any{one, two}
	},
	"sync":             func() any { f := must(os.Create(home("sync"))); defer f.Close(); return f.Sync() },
	"readlink: a file": func() any { _, err := os.Readlink(written("l", "")); return err },
	"read line": func() any {
		s := bufio.NewScanner(must(os.Open(written("lines", "one\ntwo\n"))))
		s.Scan()
		return s.Text()
	},
	"copy": func() any {
		from, to := must(os.Open(written("c1", "text"))), must(os.Create(home("c2")))
		defer from.Close()
		defer to.Close()
		n, err := io.Copy(to, from)
		return []any{n, err, string(must(os.ReadFile(home("c2"))))}
	},
	"fs": func() any {
		must(0, os.MkdirAll(home("fs"), 0o755))
		written("fs/a", "text")
		text, err := fs.ReadFile(os.DirFS(home("fs")), "a")
		_, outside := fs.ReadFile(os.DirFS(home("fs")), "../a")
		return []any{string(text), err, outside}
	},
	"readdir in parts": func() any {
		must(0, os.MkdirAll(home("parts"), 0o755))
		for _, name := range []string{"a", "b", "c"} {
			written("parts/"+name, "")
		}
		d := must(os.Open(home("parts")))
		defer d.Close()
		var all []string
		for {
			names, err := d.Readdirnames(2)
			if all = append(all, names...); err != nil {
				slices.Sort(all)
				return []any{all, err}
			}
		}
	},
	"same file": func() any {
		a := must(os.Stat(written("same", "")))
		return os.SameFile(a, must(os.Stat(home("same"))))
	},
	"other file": func() any {
		return os.SameFile(must(os.Stat(written("same", ""))), must(os.Stat(written("other", ""))))
	},
	"mode":  func() any { must(0, os.WriteFile(home("mode"), nil, 0o600)); return must(os.Stat(home("mode"))).Mode() },
	"chmod": func() any { must(0, os.Chmod(written("chmod", ""), 0o400)); return must(os.Stat(home("chmod"))).Mode() },
	"device of nothing": func() any {
		f := must(os.OpenFile(os.DevNull, os.O_RDWR, 0))
		defer f.Close()
		n, err := f.Read(make([]byte, 1))
		m, wrote := f.Write([]byte("x"))
		return []any{n, err, m, wrote}
	},
	"file of system": func() any { return len(must(os.ReadFile("/etc/passwd"))) > 0 },
}
