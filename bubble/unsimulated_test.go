//go:build macemc_overlay

package bubble_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// What is not simulated makes a system one that cannot be checked. It is never a violation, nor answered by an error of the checker's own.
func TestNotSimulated(t *testing.T) {
	for what, do := range map[string]func(){
		"starts the process ":                      func() { exec.Command("/bin/true").Run() },
		"starts the process /bin/x":                func() { syscall.ForkExec("/bin/x", nil, nil) },
		"becomes the process /bin/x":               func() { syscall.Exec("/bin/x", nil, nil) },
		"makes a pipe":                             func() { os.Pipe() },
		"changes its working directory to /data":   func() { os.Chdir("/data") },
		"opens the root /data":                     func() { os.OpenRoot("/data") },
		"writes /var/outside, outside of its data": func() { os.Create("/var/outside") },
		"writes /var/made,":                        func() { os.Mkdir("/var/made", 0o755) },
		"writes /var/removed,":                     func() { os.Remove("/var/removed") },
		"writes /var/renamed,":                     func() { os.Rename("/var/renamed", "/data/x") },
		"makes a link /data/f":                     func() { os.Symlink("/data/f", "/data/x") },
		"takes the raw connection of a file":       func() { f, _ := os.Open("/data/f"); f.SyscallConn() },
		"opens its executable":                     func() { name, _ := os.Executable(); os.Open(name) },
		"makes the Unix socket /data/socket":       func() { net.Listen("unix", "/data/socket") },
		"opens a socket by a system call":          func() { syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0) },
		"uses multicast":                           func() { net.ListenMulticastUDP("udp4", nil, &net.UDPAddr{IP: net.IPv4(224, 0, 0, 1), Port: 9}) },
		"uses a socket of network ip4": func() {
			new(net.ListenConfig).ListenPacket(context.Background(), "ip4:icmp", "0.0.0.0")
		},
		"takes the file of a socket": func() { l, _ := net.Listen("tcp", ":80"); l.(*net.TCPListener).File() },
		"listens at one port with IPv4 and IPv6": func() {
			net.Listen("tcp4", ":80")
			net.Listen("tcp6", ":80")
		},
	} {
		t.Run(what, func(t *testing.T) {
			main := func() {
				time.Sleep(time.Second)
				os.WriteFile("/data/f", nil, 0o600)
				do()
				os.Exit(1)
			}
			_, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 3, WalkSteps: 20, System: sim.System{
				Name: "unsimulated", Nodes: 1, State: bubble.Rules, Network: netsim.Streams{},
				New: func(sim.NodeID) sim.Service {
					return bubble.Command(main, []string{"main"}, nil, bubble.DataDir("/data"))
				},
				Properties: []sim.Property{{Name: "the error is not seen", Always: func(v *sim.View) bool { return !ended("exit status 1")(v) }}},
			}})
			e, ok := errors.AsType[*simext.NotSimulated](err)
			if !ok || !strings.HasPrefix(e.What, "it "+what) || !strings.Contains(e.What, "unsimulated_test.go") || e.Node != 0 {
				t.Errorf("%v, want %q", err, what)
			}
			if status := exitcode.OfError(t.Context(), err); status != exitcode.Inconclusive {
				t.Errorf("exit status %d for %v", status, err)
			}
		})
	}
}
