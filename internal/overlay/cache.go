package overlay

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"
)

// overlayFile is the file of an overlay's folder that the go command reads.
const overlayFile = "overlay.json"

// create makes a folder with the files that fill writes, unless it exists. Other processes may do so concurrently.
func create(dir string, fill func(temp string) error) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := fill(temp); err != nil {
		return err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	err = os.Rename(temp, dir)
	if _, e := os.Stat(dir); e == nil {
		return nil
	}
	return err
}

// program returns the path of a file by which the running program is recognized, or an empty string. It is not the file that may have
// replaced the program since its start, where the operating system can tell.
func program() string {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running
	}
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	return exe
}

// knownFile returns the file with the name of the overlay's folder that a program has made for a distribution, or an empty string if the
// program is unknown. The name of the file is a hash of the program's version and of the size and time of its file exe, of those of each
// file to change, and of the folders of these. New packages of the same distribution in other folders are not noticed.
func knownFile(cache, root, goVersion, exe string) string {
	of, err := os.Stat(exe)
	if err != nil {
		return ""
	}
	h := sha256.New()
	fmt.Fprintln(h, root, goVersion, of.Size(), of.ModTime().UnixNano())
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info)
	}
	var list []string
	for name := range changesByFile(root) {
		file := filepath.Join(root, "src", filepath.FromSlash(name))
		list = append(list, file, filepath.Dir(file))
	}
	slices.Sort(list)
	for _, file := range slices.Compact(list) {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintln(h, file, info.Size(), info.ModTime().UnixNano())
		}
	}
	return filepath.Join(cache, "known", fmt.Sprintf("%x", h.Sum(nil)[:8]))
}

// knownAge is the time after which a file that remember wrote is removed.
const knownAge = 10 * 24 * time.Hour

// remember writes the name of an overlay's folder to a file of knownFile, and removes old ones. After an error the next command makes the
// overlay again.
func remember(file, name string) {
	dir := filepath.Dir(file)
	if file == "" || os.MkdirAll(dir, 0o755) != nil {
		return
	}
	old, _ := os.ReadDir(dir)
	for _, f := range old {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > knownAge {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
	temp, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(name)
	if temp.Close() == nil && err == nil {
		_ = os.Rename(temp.Name(), file)
	}
}
