// Package grpc has tests of a gRPC service over TCP.
package grpc

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// dial starts a server, and returns a client of it.
func dial(t *testing.T, service grpc_health_v1.HealthServer) grpc_health_v1.HealthClient {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(s, service)
	go s.Serve(l)
	t.Cleanup(s.Stop)
	c, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return grpc_health_v1.NewHealthClient(c)
}

func TestGRPC(t *testing.T) {
	s := health.NewServer()
	c := dial(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := c.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: "db"}); status.Code(err) != codes.NotFound {
		t.Errorf("got %v", err)
	}
	s.SetServingStatus("db", grpc_health_v1.HealthCheckResponse_SERVING)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			r, err := c.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: "db"})
			if err != nil || r.Status != grpc_health_v1.HealthCheckResponse_SERVING {
				t.Errorf("got %v, %v", r, err)
			}
		})
	}
	wg.Wait()
}

// tickets sells the last ticket.
type tickets struct {
	grpc_health_v1.UnimplementedHealthServer
	mu   sync.Mutex
	left int
	sell func(*tickets) bool
}

func (s *tickets) Check(context.Context, *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	if !s.sell(s) {
		return nil, status.Error(codes.ResourceExhausted, "sold out")
	}
	return &grpc_health_v1.HealthCheckResponse{}, nil
}

func (s *tickets) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

func (s *tickets) take() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
}

// buy lets two clients buy the last ticket.
func buy(t *testing.T, sell func(*tickets) bool) {
	t.Helper()
	s := &tickets{left: 1, sell: sell}
	c := dial(t, s)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			if _, err := c.Check(context.Background(), &grpc_health_v1.HealthCheckRequest{}); err != nil && status.Code(err) != codes.ResourceExhausted {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := s.count(); n != 0 {
		t.Errorf("%d left", n)
	}
}

func TestGRPCDefect(t *testing.T) {
	buy(t, func(s *tickets) bool {
		if s.count() == 0 {
			return false
		}
		s.take()
		return true
	})
}

func TestGRPCMended(t *testing.T) {
	buy(t, func(s *tickets) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.left == 0 {
			return false
		}
		s.left--
		return true
	})
}

func TestGRPCStream(t *testing.T) {
	s := health.NewServer()
	c := dial(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	stream, err := c.Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := stream.Recv(); err != nil || r.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("got %v, %v", r, err)
	}
	go s.Shutdown()
	if r, err := stream.Recv(); err != nil || r.Status != grpc_health_v1.HealthCheckResponse_NOT_SERVING {
		t.Errorf("got %v, %v", r, err)
	}
	cancel()
	if _, err := stream.Recv(); status.Code(err) != codes.Canceled {
		t.Errorf("got %v", err)
	}
}

// feed streams two updates to its watchers, from a goroutine of its own.
type feed struct {
	grpc_health_v1.UnimplementedHealthServer
	send func(ctx context.Context, updates chan<- int)
}

func (s *feed) Watch(_ *grpc_health_v1.HealthCheckRequest, stream grpc_health_v1.Health_WatchServer) error {
	updates := make(chan int)
	go s.send(stream.Context(), updates)
	for range 2 {
		select {
		case <-updates:
		case <-stream.Context().Done():
			return stream.Context().Err()
		}
		if err := stream.Send(&grpc_health_v1.HealthCheckResponse{}); err != nil {
			return err
		}
	}
	return nil
}

// watch receives all updates, or some until it has seen enough.
func watch(t *testing.T, send func(ctx context.Context, updates chan<- int)) {
	c := dial(t, &feed{send: send})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	stream, err := c.Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Microsecond) // look at it
	cancel()
	if _, err := stream.Recv(); err != nil && err != io.EOF && status.Code(err) != codes.Canceled {
		t.Error(err)
	}
}

func TestGRPCStreamDefect(t *testing.T) {
	watch(t, func(_ context.Context, updates chan<- int) {
		for i := range 2 {
			updates <- i
		}
	})
}

func TestGRPCStreamMended(t *testing.T) {
	watch(t, func(ctx context.Context, updates chan<- int) {
		for i := range 2 {
			select {
			case updates <- i:
			case <-ctx.Done():
				return
			}
		}
	})
}
