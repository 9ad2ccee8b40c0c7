// Package ports finds ports for tests that listen.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Free returns n different addresses on loopback at which nobody listens, by TCP or UDP. They are below those that are given to who asks for any,
// so that nobody else comes to have them before a test does, nor while what listens there is down.
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
