//go:build !linux

// Ancillary data is simulated on Linux only.

package net

import "syscall"

const (
	macemcReusePort = syscall.SO_REUSEPORT
	macemcUnixFlags = 0
)

func (ffd *fakeNetFD) macemcAncillary(macemcDatagram) []byte { return nil }

func (ffd *fakeNetFD) macemcDefaults() (h macemcHeader) { return h }

func (ffd *fakeNetFD) macemcParse(oob []byte) (h macemcHeader, err error) {
	if len(oob) > 0 {
		macemcUnsimulated("sends ancillary data over a socket")
	}
	return h, nil
}
