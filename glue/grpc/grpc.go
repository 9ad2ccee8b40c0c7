// Package grpc lets a node of package bubble call others by gRPC as it is, on the network of the node.
//
//	conn, err := grpc.NewClient(bubble.Addr(0, 50051), glue.Dialer(h), grpc.WithTransportCredentials(insecure.NewCredentials()))
//
// A server needs no more than a listener of Host.Listen. Names of nodes, as in "passthrough:///n0:50051", need the prefix: without it
// gRPC asks the name service of the machine.
package grpc

import (
	"context"
	"net"

	"google.golang.org/grpc"

	"github.com/macemc/macemc/bubble"
)

// Dialer makes the connections of a client those of the node.
func Dialer(h *bubble.Host) grpc.DialOption {
	return grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
		return h.Dial(ctx, "tcp", address)
	})
}
