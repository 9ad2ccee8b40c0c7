package infile

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Only regular files are opened. None of the others is waited for.
func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, create := range map[string]func(string) error{
		"file":       func(string) error { return nil },
		"link":       func(name string) error { return os.Symlink("file", name) },
		"no such":    func(string) error { return nil },
		"directory":  func(name string) error { return os.Mkdir(name, 0o700) },
		"named pipe": func(name string) error { return exec.Command("mkfifo", name).Run() },
		"socket": func(name string) error {
			l, err := net.Listen("unix", name)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		},
		"device": func(name string) error { return os.Symlink(os.DevNull, name) },
		"bytes":  func(name string) error { return errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, most+1)) },
	} {
		if err := create(name); err != nil {
			t.Logf("skipped: %s: %v", name, err)
			continue
		}
		text, err := Read(name)
		if good := name == "file" || name == "link"; good && (err != nil || string(text) != "text") || !good && (err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), name+":", ""), name)) {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
	}
	if _, err := Read("."); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a folder: %v", err)
	}
}
