package realnet

import (
	"net/netip"
	"testing"

	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/sim"
)

// A datagram is taken from the address of its sender only, and only whole.
func TestFrame_ForgedDatagrams(t *testing.T) {
	codec, err := wire.NewTypes("")
	if err != nil {
		t.Fatal(err)
	}
	data, err := codec.Append(nil, "hello")
	if err != nil {
		t.Fatal(err)
	}
	addrs := []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1000"), netip.MustParseAddrPort("127.0.0.1:1001")}
	n := &Node{system: 7, addrs: addrs, cfg: Config{Codec: codec}}
	b := appendDatagram(nil, 7, 1, 5, 9, data)
	for _, from := range []string{"127.0.0.1:1001", "[::ffff:127.0.0.1]:1001"} {
		if it, ok := n.datagram(b, netip.MustParseAddrPort(from)); !ok || it.peer != 1 || it.incarnation != 5 || it.number != 9 || it.msg != "hello" {
			t.Errorf("from %s: %+v, %v", from, it, ok)
		}
	}
	for what, c := range map[string]struct {
		data []byte
		from netip.AddrPort
	}{
		"another port":    {b, netip.MustParseAddrPort("127.0.0.1:1002")},
		"another address": {b, netip.MustParseAddrPort("127.0.0.2:1001")},
		"another node":    {b, addrs[0]},
		"another system":  {appendDatagram(nil, 8, 1, 5, 9, data), addrs[1]},
		"no such node":    {appendDatagram(nil, 7, 2, 5, 9, data), addrs[1]},
		"a huge node":     {appendDatagram(nil, 7, sim.NodeID(1<<31), 5, 9, data), addrs[1]},
		"cut off":         {b[:len(b)-1], addrs[1]},
		"nothing":         {nil, addrs[1]},
	} {
		if it, ok := n.datagram(c.data, c.from); ok {
			t.Errorf("%s: %+v", what, it)
		}
	}
}
