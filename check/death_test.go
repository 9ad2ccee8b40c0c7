package check

import (
	"os"
	"os/exec"
	"testing"
)

// A goroutine that used an Env too late is told of by who started it.
func TestUsedLater(t *testing.T) {
	said := "panic: sim.misuse(\"SetTimer: the Env of node 0 was used after its handler had returned\")\n\ngoroutine 9 [running]:\n" +
		"example.com/lock.(*Server).Receive.func1()\n\t/src/lock/server.go:44 +0x1\ncreated by example.com/lock.(*Server).Receive in goroutine 8\n" +
		"\t/src/lock/server.go:43 +0x2\n"
	var d Death
	d.classify(ended(t), said, 0)
	want := "the handler kills the process: a goroutine used an Env after the handler that it belongs to had returned; " +
		"example.com/lock.(*Server).Receive started it (/src/lock/server.go:43); macemc vet finds such goroutines in the source"
	if d.Message != want {
		t.Errorf("got  %s\nwant %s", d.Message, want)
	}
}

// ended is the state of a process that has ended.
func ended(t *testing.T) *os.ProcessState {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.ProcessState
}
