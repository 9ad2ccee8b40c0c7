package ttrpc

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/containerd/ttrpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// serve returns a server of a service, and a connected client.
func serve(t *testing.T, service *ttrpc.ServiceDesc) (*ttrpc.Server, *ttrpc.Client) {
	server, err := ttrpc.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	server.RegisterService("service", service)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(context.Background(), listener)
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return server, ttrpc.NewClient(conn)
}

// The receiver of a connection ends without an error at the first message after Close of the server. Then nothing ends the connection.
func TestCloseWithStream(t *testing.T) {
	ended := make(chan struct{})
	server, client := serve(t, &ttrpc.ServiceDesc{Streams: map[string]ttrpc.Stream{"Wait": {
		Handler: func(ctx context.Context, stream ttrpc.StreamServer) (any, error) {
			stream.SendMsg(&emptypb.Empty{})
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		},
		StreamingClient: true,
		StreamingServer: true,
	}}})
	both := &ttrpc.StreamDesc{StreamingClient: true, StreamingServer: true}
	stream, err := client.NewStream(context.Background(), both, "service", "Wait", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(&emptypb.Empty{}); err != nil {
		t.Fatal(err)
	}
	server.Close()
	stream.SendMsg(&emptypb.Empty{})
	time.Sleep(500 * time.Millisecond)
	client.Close()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("the handler of a stream runs 5s after Close of the server and of its client, and its context is not done")
	}
}

// A connection has the state idle while it serves only one call.
func TestShutdownDuringCall(t *testing.T) {
	started := make(chan struct{})
	wait := func(context.Context, func(any) error) (any, error) {
		close(started)
		time.Sleep(time.Second)
		return &emptypb.Empty{}, nil
	}
	server, client := serve(t, &ttrpc.ServiceDesc{Methods: map[string]ttrpc.Method{"Wait": wait}})
	result := make(chan error)
	go func() {
		result <- client.Call(context.Background(), "service", "Wait", &emptypb.Empty{}, &emptypb.Empty{})
	}()
	<-started
	time.Sleep(100 * time.Millisecond)
	if err := server.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err != nil {
		t.Errorf("Shutdown has not waited for a call of 1s, which fails: %v", err)
	}
}
