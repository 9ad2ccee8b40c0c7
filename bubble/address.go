package bubble

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/macemc/macemc/sim"
)

// IP is the address of a node: 10.0.0.1 is node 0.
func IP(node sim.NodeID) net.IP { return net.IPv4(10, 0, byte(node/250), byte(node%250+1)) }

// Addr is a port of a node, as for Dial.
func Addr(node sim.NodeID, port int) string {
	return net.JoinHostPort(IP(node).String(), strconv.Itoa(port))
}

// resolve returns the node and port that an address names. A host is an address of IP, the name of a node as n0, or
// empty or localhost for the node itself.
func (h *Host) resolve(addr string) (sim.NodeID, int, error) {
	host, p, err := net.SplitHostPort(addr)
	if err != nil {
		return 0, 0, err
	}
	port, err := strconv.Atoi(p)
	if err != nil || port < 0 || port > 0xffff {
		return 0, 0, &net.AddrError{Err: "invalid port", Addr: addr}
	}
	node := sim.NodeID(-1)
	ip := net.ParseIP(host).To4()
	switch number, named := strings.CutPrefix(host, "n"); {
	case host == "" || host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()):
		node = h.self
	case ip != nil && ip[0] == 10 && ip[1] == 0 && ip[3] > 0 && ip[3] <= 250:
		node = sim.NodeID(int(ip[2])*250 + int(ip[3]) - 1)
	case named:
		if n, err := strconv.Atoi(number); err == nil {
			node = sim.NodeID(n)
		}
	}
	if node < 0 || int(node) >= h.nodes {
		return 0, 0, &net.DNSError{Err: fmt.Sprintf("no such host among the %d nodes", h.nodes), Name: host, IsNotFound: true}
	}
	return node, port, nil
}
