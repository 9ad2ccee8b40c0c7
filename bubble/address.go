package bubble

import (
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/macemc/macemc/sim"
)

// IP returns the address of a node: 10.0.0.1 is node 0.
func IP(node sim.NodeID) net.IP { return net.IPv4(10, 0, byte(node/250), byte(node%250+1)) }

// Addr returns the address of a port of a node, in the form that Dial takes.
func Addr(node sim.NodeID, port int) string {
	return net.JoinHostPort(IP(node).String(), strconv.Itoa(port))
}

// Hosts maps host names to nodes, as /etc/hosts does. The names n0, n1 and so on are always defined.
type Hosts map[string]sim.NodeID

func (h Hosts) set(p *history) { maps.Copy(p.hosts, h) }

var loopback = net.IPv4(127, 0, 0, 1)

// resolve returns the IP address and the port of an address. The host is an address returned by IP, the name of a node, or empty or
// localhost for the node itself.
func (h *Host) resolve(addr string) (net.IP, int, error) {
	host, p, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, 0, err
	}
	port, err := strconv.Atoi(p)
	if err != nil || port < 0 || port > 0xffff {
		return nil, 0, &net.AddrError{Err: "invalid port", Addr: addr}
	}
	ip := net.ParseIP(host)
	switch {
	case host == "" || ip.IsUnspecified():
		return loopback, port, nil
	case ip != nil:
		return ip, port, nil
	}
	if ip = h.lookup(host); ip == nil {
		return nil, 0, &net.DNSError{Err: fmt.Sprintf("no such host among the %d nodes", h.nodes), Name: host, IsNotFound: true}
	}
	return ip, port, nil
}

// lookup returns the address of a host; nil means that the name is unknown.
func (h *Host) lookup(name string) net.IP {
	name = strings.TrimSuffix(name, ".")
	if name == "localhost" {
		return loopback
	}
	node, declared := h.hosts[name]
	if number, named := strings.CutPrefix(name, "n"); named && !declared {
		n, err := strconv.Atoi(number)
		if err != nil || strconv.Itoa(n) != number {
			return nil
		}
		node, declared = sim.NodeID(n), true
	}
	if !declared || node < 0 || int(node) >= h.nodes {
		return nil
	}
	return IP(node)
}

// owner returns the node with an address.
func (h *Host) owner(ip net.IP) (sim.NodeID, error) {
	if ip.IsLoopback() {
		return h.self, nil
	}
	if ip4 := ip.To4(); ip4 != nil && ip4[0] == 10 && ip4[1] == 0 && ip4[3] > 0 && ip4[3] <= 250 {
		if node := int(ip4[2])*250 + int(ip4[3]) - 1; node < h.nodes {
			return sim.NodeID(node), nil
		}
	}
	return 0, os.NewSyscallError("connect", syscall.EHOSTUNREACH)
}

// own returns the IP address and the port of an address to listen on. any means all addresses of the node.
func (h *Host) own(addr string) (ip net.IP, any bool, port int, err error) {
	ip, port, err = h.resolve(addr)
	if err != nil {
		return nil, false, 0, err
	}
	if host, _, _ := net.SplitHostPort(addr); host == "" || net.ParseIP(host).IsUnspecified() {
		ip = nil
	}
	ip, any, err = h.bind(ip)
	return ip, any, port, err
}

// bind returns the local address of a socket that is bound to ip: that of the node, if ip is unspecified, which means all addresses.
func (h *Host) bind(ip net.IP) (own net.IP, any bool, err error) {
	switch {
	case len(ip) == 0 || ip.IsUnspecified():
		return IP(h.self), true, nil
	case ip.Equal(IP(h.self)):
		return IP(h.self), false, nil
	case ip.IsLoopback():
		return loopback, false, nil
	}
	return nil, false, os.NewSyscallError("bind", syscall.EADDRNOTAVAIL)
}

// name returns the name of a node: the alphabetically first declared one, or n0, n1 and so on.
func (h *Host) name(node sim.NodeID) string {
	for _, name := range slices.Sorted(maps.Keys(h.hosts)) {
		if h.hosts[name] == node {
			return name
		}
	}
	return "n" + strconv.Itoa(int(node))
}
