package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Facts of package net hold in explored tests as with the system's network. A test that uses what is not simulated is not explored.
func TestTest_NetworkFacts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the facts are those of Linux")
	}
	facts, err := filepath.Abs("testdata/netfacts")
	if err != nil {
		t.Fatal(err)
	}
	testFile(t, "package netfacts\n")
	if err := os.CopyFS(".", os.DirFS(facts)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "test", ".").CombinedOutput(); err != nil {
		t.Errorf("with the system's network: %v\n%s", err, out)
	}
	want := []string{"schedules of 26 tests"}
	for _, reason := range []string{"takes the file of a socket", "uses multicast", "opens a socket by a system call",
		"sends ancillary data over a socket", "lists the sockets of its process",
		"sets an option of a socket that is not simulated"} {
		want = append(want, "it "+reason+" (1 test)")
	}
	want = append(want, "it reaches another machine (2 tests)", "it uses the descriptor of a socket in a way that is not simulated (2 tests)")
	testReports(t, want, 0, "-schedules=30", ".")
}
