package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// smallDisk mounts a disk of a size until the test ends. The function that it returns changes the size.
func smallDisk(t *testing.T, disk, size string) (resize func(size string)) {
	t.Helper()
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("file systems cannot be mounted here: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	return func(size string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
			t.Fatal(err)
		}
	}
}

// On a full disk a search ends with a status of its own, and continues once there is room.
func TestDurableDiskFull(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	dir := t.TempDir()
	resize := smallDisk(t, filepath.Join(dir, "disk"), "800k")
	search := func(folder string, status int, more ...string) (c counts, errors string) {
		t.Helper()
		var stderr bytes.Buffer
		cmd := command(dir, small(folder, append(more, "--resume", "--depth", "15")...)...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if exitCode(err) != status || json.Unmarshal(out, &c) != nil {
			t.Fatalf("%v, want exit status %d: %s%s", err, status, out, &stderr)
		}
		c.Disk = 0
		return c, stderr.String()
	}
	want, _ := search("whole", exitcode.OK)
	for _, c := range []struct {
		name string
		more []string
		full string // at first
	}{{"log", nil, "800k"}, {"spilled", []string{"--memory", "24"}, "8m"}} {
		resize(c.full)
		folder := filepath.Join("disk", c.name)
		for range 2 { // with the disk full from the start, too
			if part, errors := search(folder, exitcode.Resource, c.more...); !strings.Contains(errors, "no space left on device") ||
				!strings.Contains(errors, "--resume continues from it") || part.States >= want.States {
				t.Errorf("%s: %+v %s", c.name, part, errors)
			}
			if left := stored(t, filepath.Join(dir, folder)); left.States == 0 {
				t.Errorf("%s: %+v is left", c.name, left.Mark)
			}
		}
		resize("64m")
		if got, _ := search(folder, exitcode.OK, c.more...); got != want {
			t.Errorf("%s: %+v, undisturbed %+v", c.name, got, want)
		}
		sameLogs(t, filepath.Join(dir, folder), filepath.Join(dir, "whole"))
	}
}

// Stored walks end with the same status if the disk is full, and yield the same result once there is room.
func TestRunsDiskFull(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	dir := t.TempDir()
	resize := smallDisk(t, filepath.Join(dir, "disk"), "150k")
	search := func(folder string, status int) map[string]any {
		t.Helper()
		out, err := command(dir, "search", "paxos", "--max-paths", "70000", "--json", "--durable", folder, "--resume").Output()
		if exitCode(err) != status {
			t.Fatalf("%v, want exit status %d: %s", err, status, out)
		}
		return walked(t, out)
	}
	if part := search("disk/runs", exitcode.Resource); part["verdict"] != "out-of-resource" || part["stopped"] != "disk" {
		t.Errorf("%v, %v", part["verdict"], part["stopped"])
	}
	resize("10m")
	if got, want := search("disk/runs", exitcode.OK), search("whole", exitcode.OK); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, undisturbed %v", got, want)
	}
}
