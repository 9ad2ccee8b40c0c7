package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// outside is an environment in which the modules of a checkout are published versions on a proxy, as for users.
type outside struct {
	dir  string // temporary folder
	copy *workspace
	env  []string // environment of go commands
}

// outside creates the environment from the files that git tracks or would add. The caller must remove it.
func (w *workspace) outside() (*outside, error) {
	dir, err := os.MkdirTemp("", "macemc-release-")
	if err != nil {
		return nil, err
	}
	o := &outside{dir: dir, copy: &workspace{dir: filepath.Join(dir, "copy"), modules: w.modules, version: w.version}}
	env, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	cache, proxy, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	o.env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw", "GOSUMDB=off", "GOBIN="+filepath.Join(dir, "bin"),
		"GOMODCACHE="+filepath.Join(dir, "cache"),
		"GOPROXY=file://"+filepath.ToSlash(filepath.Join(dir, "proxy"))+",file://"+filepath.ToSlash(filepath.Join(cache, "cache",
			"download"))+","+proxy)
	if err = errors.Join(err, w.copyTo(o.copy.dir)); err == nil {
		for _, m := range w.modules {
			err = errors.Join(err, o.serve(m))
		}
	}
	if err != nil {
		return nil, errors.Join(err, o.remove())
	}
	return o, nil
}

func (o *outside) remove() error { return os.RemoveAll(o.dir) }

// copyTo copies the files of the checkout.
func (w *workspace) copyTo(dir string) error {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = w.dir
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		from := filepath.Join(w.dir, filepath.FromSlash(name))
		if info, err := os.Lstat(from); err != nil || !info.Mode().IsRegular() {
			continue // removed, or a link, which modules cannot contain
		}
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// serve adds a module to the proxy.
func (o *outside) serve(m string) error {
	v := module.Version{Path: path.Join(root, m), Version: o.copy.version}
	to := filepath.Join(o.dir, "proxy", filepath.FromSlash(v.Path), "@v")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	mod, err := os.ReadFile(o.copy.file(m, "go.mod"))
	if err != nil {
		return err
	}
	put := func(name, text string) error { return os.WriteFile(filepath.Join(to, name), []byte(text), 0o644) }
	info := fmt.Sprintf("{\"Version\": %q, \"Time\": %q}\n", v.Version, time.Unix(0, 0).UTC().Format(time.RFC3339))
	if err := errors.Join(put("list", v.Version+"\n"), put(v.Version+".mod", string(mod)), put(v.Version+".info", info)); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(to, v.Version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(zip.CreateFromDir(f, v, o.copy.file(m, "")), f.Close())
}

// command returns a go command that runs in a folder of the environment.
func (o *outside) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, o.env
	return cmd
}

// tidy tidies the modules in the copy and copies the results back, without the checksums of this repository's modules.
func (w *workspace) tidy() error {
	o, err := w.outside()
	if err != nil {
		return err
	}
	defer o.remove()
	for _, m := range w.modules {
		if out, err := o.command(o.copy.file(m, ""), "mod", "tidy").CombinedOutput(); err != nil {
			return fmt.Errorf("%s: go mod tidy: %w\n%s", m, err, out)
		}
		for _, name := range []string{"go.mod", "go.sum"} {
			text, err := os.ReadFile(o.copy.file(m, name))
			if err != nil {
				return err
			}
			var kept strings.Builder
			for line := range strings.Lines(string(text)) {
				if name == "go.sum" && strings.HasPrefix(line, root) {
					continue
				}
				kept.WriteString(line)
			}
			if err := os.WriteFile(w.file(m, name), []byte(kept.String()), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// programs are the programs that users install. The first one executes the others.
var programs = [...]string{"macemc", "macemc-cluster", "macemc-debug", "macemc-mcp", "macemc-vet"}

// install installs the first program from the proxy, without a workspace and outside any module. It returns the output of its command
// version. The other programs are only installed with -n, which executes nothing.
func (w *workspace) install() (string, error) {
	o, err := w.outside()
	if err != nil {
		return "", err
	}
	defer o.remove()
	for i, name := range programs {
		cmd := o.command(o.dir, "install", fmt.Sprintf("-n=%t", i > 0), root+"/cmd/"+name+"@"+w.version)
		if said, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go install %s: %w\n%s", name, err, said)
		}
	}
	installed := exec.Command(filepath.Join(o.dir, "bin", "macemc"), "version")
	var version strings.Builder
	installed.Stdout, installed.Stderr = io.Writer(&version), os.Stderr
	err = installed.Run()
	if want := "macemc " + w.version + ", go1."; err == nil && !strings.HasPrefix(version.String(), want) {
		err = fmt.Errorf("installed: %q, want %q", version.String(), want)
	}
	return version.String(), err
}
