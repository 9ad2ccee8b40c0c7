// Package memberlist lets a node of package bubble run unmodified hashicorp/memberlist, on the network of the node.
//
//	config := memberlist.DefaultLANConfig()
//	config.Transport, err = glue.NewTransport(h, glue.Port)
//	list, err := memberlist.Create(config)
package memberlist

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/macemc/macemc/bubble"
)

// Port is the default port of memberlist.
const Port = 7946

// transport is a memberlist.Transport.
type transport struct {
	h       *bubble.Host
	port    int
	socket  net.PacketConn
	listen  net.Listener
	packets chan *memberlist.Packet
	streams chan net.Conn
}

// NewTransport returns a transport on a port of the node. Its goroutines end at Shutdown.
func NewTransport(h *bubble.Host, port int) (memberlist.Transport, error) {
	t := &transport{h: h, port: port, packets: make(chan *memberlist.Packet), streams: make(chan net.Conn)}
	var err error
	address := fmt.Sprintf(":%d", port)
	if t.socket, err = h.ListenPacket("udp", address); err != nil {
		return nil, err
	}
	if t.listen, err = h.Listen("tcp", address); err != nil {
		t.socket.Close()
		return nil, err
	}
	go t.receive()
	go t.accept()
	return t, nil
}

func (t *transport) receive() {
	b := make([]byte, 1<<16)
	for {
		n, from, err := t.socket.ReadFrom(b)
		if err != nil {
			return
		}
		t.packets <- &memberlist.Packet{Buf: slices.Clone(b[:n]), From: from, Timestamp: time.Now()}
	}
}

func (t *transport) accept() {
	for {
		c, err := t.listen.Accept()
		if err != nil {
			return
		}
		t.streams <- c
	}
}

func (t *transport) FinalAdvertiseAddr(string, int) (net.IP, int, error) {
	return bubble.IP(t.h.Self()), t.port, nil
}

func (t *transport) WriteTo(b []byte, address string) (time.Time, error) {
	to, err := net.ResolveUDPAddr("udp", address)
	if err == nil {
		_, err = t.socket.WriteTo(b, to)
	}
	return time.Now(), err
}

func (t *transport) PacketCh() <-chan *memberlist.Packet { return t.packets }
func (t *transport) StreamCh() <-chan net.Conn           { return t.streams }

func (t *transport) DialTimeout(address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return t.h.Dial(ctx, "tcp", address)
}

func (t *transport) Shutdown() error {
	t.socket.Close()
	return t.listen.Close()
}
