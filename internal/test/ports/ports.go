// Package ports finds free ports for tests that listen.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Free returns n different loopback addresses without a listener, for TCP and UDP. They are below the range of
// ephemeral ports, so that no other process gets them before a test uses them, or while its listener is down.
func Free(t testing.TB, n int) (addrs []string) {
	t.Helper()
	for tries := 0; len(addrs) < n; tries++ {
		addr := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		l, err := net.Listen("tcp", addr)
		if err == nil {
			defer l.Close()
			var u net.PacketConn
			if u, err = net.ListenPacket("udp", addr); err == nil {
				defer u.Close()
				addrs = append(addrs, addr)
			}
		}
		if err != nil && tries > 1000 {
			t.Fatal(err)
		}
	}
	return addrs
}
