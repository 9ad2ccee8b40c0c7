// Names, addresses and interfaces that a node sees.

package net

// macemcLookupIP resolves the name of a node, at once and without messages.
func macemcLookupIP(network, host string) ([]IPAddr, error) {
	ip := ParseIP(host)
	if ip == nil && host != "" {
		ip = macemcNetwork.Lookup(host)
	}
	if ip == nil || network != "" && network[len(network)-1] == '6' && ip.To4() != nil {
		return nil, newDNSError(errNoSuchHost, host, "")
	}
	return []IPAddr{{IP: ip}}, nil
}

func macemcLookupHost(host string) ([]string, error) {
	addrs, err := macemcLookupIP("ip", host)
	if err != nil {
		return nil, err
	}
	return []string{addrs[0].String()}, nil
}

func macemcLookupCNAME(host string) (string, error) {
	if _, err := macemcLookupIP("ip", host); err != nil {
		return "", err
	}
	if host[len(host)-1] != '.' {
		host += "."
	}
	return host, nil
}

func macemcLookupAddr(addr string) ([]string, error) {
	if ip := ParseIP(addr); ip != nil {
		if name := macemcNetwork.Name(ip); name != "" {
			return []string{name + "."}, nil
		}
	}
	return nil, newDNSError(errNoSuchHost, addr, "")
}

// macemcInterfaces returns the interfaces of a node.
func macemcInterfaces() []Interface {
	return []Interface{
		{Index: 1, MTU: 65536, Name: "lo", Flags: FlagUp | FlagLoopback | FlagRunning},
		{Index: 2, MTU: 1500, Name: "eth0", HardwareAddr: append(HardwareAddr{2, 0x42}, macemcNetwork.IP().To4()...),
			Flags: FlagUp | FlagBroadcast | FlagMulticast | FlagRunning},
	}
}

func macemcInterface(index int, name string) (*Interface, error) {
	for _, i := range macemcInterfaces() {
		if i.Index == index || i.Name == name {
			return &i, nil
		}
	}
	return nil, &OpError{Op: "route", Net: "ip+net", Err: errNoSuchInterface}
}

// macemcInterfaceAddrs returns the addresses of an interface; index 0 means all interfaces.
func macemcInterfaceAddrs(index int) []Addr {
	lo := &IPNet{IP: IPv4(127, 0, 0, 1), Mask: CIDRMask(8, 32)}
	eth := &IPNet{IP: macemcNetwork.IP(), Mask: CIDRMask(16, 32)}
	switch index {
	case 0:
		return []Addr{lo, eth}
	case 1:
		return []Addr{lo}
	}
	return []Addr{eth}
}
