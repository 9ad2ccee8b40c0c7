// Package raft lets a node of package bubble run unmodified hashicorp/raft. Its transport uses the network of the node,
// its stores the disk of the node.
//
//	layer, err := glue.Listen(h, ":8300")
//	transport := raft.NewNetworkTransport(layer, 3, 10*time.Second, io.Discard)
//	store, snapshots := glue.NewStore(h.Disk()), glue.NewSnapshots(h.Disk())
//	r, err := raft.NewRaft(config, fsm, store, store, snapshots, transport)
package raft

import (
	"context"
	"net"
	"time"

	"github.com/hashicorp/raft"

	"github.com/macemc/macemc/bubble"
)

// Listen returns a stream layer for raft.NewNetworkTransport, on a port of the node.
func Listen(h *bubble.Host, address string) (raft.StreamLayer, error) {
	l, err := h.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return layer{l, h}, nil
}

type layer struct {
	net.Listener
	h *bubble.Host
}

func (l layer) Dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return l.h.Dial(ctx, "tcp", string(address))
}
