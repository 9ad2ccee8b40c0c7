// Package connect has tests of a service with Connect handlers, over HTTP.
package connect

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

type handler func(context.Context, *connect.Request[wrapperspb.Int64Value]) (*connect.Response[wrapperspb.Int64Value], error)

// start starts a server with a method, and returns a client of it.
func start(t *testing.T, h handler) *connect.Client[wrapperspb.Int64Value, wrapperspb.Int64Value] {
	const method = "/bank.v1.Bank/Add"
	mux := http.NewServeMux()
	mux.Handle(method, connect.NewUnaryHandler(method, h))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return connect.NewClient[wrapperspb.Int64Value, wrapperspb.Int64Value](s.Client(), s.URL+method)
}

func reply(n int64) *connect.Response[wrapperspb.Int64Value] {
	return connect.NewResponse(wrapperspb.Int64(n))
}

func TestConnect(t *testing.T) {
	c := start(t, func(_ context.Context, r *connect.Request[wrapperspb.Int64Value]) (*connect.Response[wrapperspb.Int64Value], error) {
		if r.Msg.Value < 0 {
			return nil, connect.NewError(connect.CodeInvalidArgument, nil)
		}
		return reply(2 * r.Msg.Value), nil
	})
	var wg sync.WaitGroup
	for i := range int64(2) {
		wg.Go(func() {
			if r, err := c.CallUnary(t.Context(), connect.NewRequest(wrapperspb.Int64(i))); err != nil || r.Msg.Value != 2*i {
				t.Errorf("got %v, %v", r, err)
			}
		})
	}
	wg.Wait()
	if _, err := c.CallUnary(t.Context(), connect.NewRequest(wrapperspb.Int64(-1))); connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("got %v", err)
	}
}

// account is a bank account of a handler.
type account struct {
	mu      sync.Mutex
	balance int64
}

func (a *account) add(n int64) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
	return a.balance
}

// deposit adds one coin by each of two requests.
func deposit(t *testing.T, add func(a *account, n int64)) {
	t.Helper()
	var a account
	c := start(t, func(_ context.Context, r *connect.Request[wrapperspb.Int64Value]) (*connect.Response[wrapperspb.Int64Value], error) {
		add(&a, r.Msg.Value)
		return reply(0), nil
	})
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 900 * time.Microsecond)
			if _, err := c.CallUnary(t.Context(), connect.NewRequest(wrapperspb.Int64(1))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := a.add(0); n != 2 {
		t.Errorf("the balance is %d", n)
	}
}

func TestConnectDefect(t *testing.T) {
	deposit(t, func(a *account, n int64) {
		sum := a.add(0) + n
		a.mu.Lock()
		a.balance = sum
		a.mu.Unlock()
	})
}

func TestConnectMended(t *testing.T) { deposit(t, func(a *account, n int64) { a.add(n) }) }
