// Package grpc lets a node of package bubble use an unmodified gRPC client on the network of the node, and decodes its messages.
//
//	conn, err := grpc.NewClient(bubble.Addr(0, 50051), glue.Dialer(h), grpc.WithTransportCredentials(insecure.NewCredentials()))
//
// A server needs only a listener of Host.Listen. Names of nodes, such as "passthrough:///n0:50051", need the prefix:
// without it gRPC queries the name service of the machine.
//
// Decoder makes traces of a system legible:
//
//	State: bubble.ShowBy(glue.Decoder(protoregistry.GlobalFiles)),
package grpc

import (
	"context"
	"net"

	"google.golang.org/grpc"

	"github.com/macemc/macemc/bubble"
)

// Dialer makes a client use the connections of the node.
func Dialer(h *bubble.Host) grpc.DialOption {
	return grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
		return h.Dial(ctx, "tcp", address)
	})
}
