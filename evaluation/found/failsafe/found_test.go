package failsafe

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
)

// A request that is tried again does not close the body of the response that is thrown away.
func TestRetry(t *testing.T) {
	var requests, connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1)%2 == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		io.WriteString(w, strings.Repeat("x", 100_000))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			connections.Add(1)
		case http.StateClosed:
			connections.Add(-1)
		}
	}
	server.Start()
	policy := failsafehttp.NewRetryPolicyBuilder().WithDelay(time.Millisecond).Build()
	client := http.Client{Transport: failsafehttp.NewRoundTripper(nil, policy)}
	for range 50 {
		response, err := client.Get(server.URL)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(response, err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	time.Sleep(time.Second)
	if n := connections.Load(); n > 0 {
		t.Errorf("%d connections are left after 50 requests, each of which was tried twice, and whose bodies were closed", n)
	}
}

// The goroutine that merges the contexts of an executor and a request does not end with the request.
func TestContext(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	defer server.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	executor := failsafe.With(failsafehttp.NewRetryPolicyBuilder().Build()).WithContext(ctx)
	client := http.Client{Transport: failsafehttp.NewRoundTripperWithExecutor(nil, executor)}
	type key struct{}
	before := runtime.NumGoroutine()
	for range 100 {
		request, err := http.NewRequestWithContext(context.WithValue(context.Background(), key{}, "trace"), "GET", server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	time.Sleep(time.Second)
	if n := runtime.NumGoroutine() - before; n >= 100 {
		t.Errorf("%d goroutines are left of 100 requests whose bodies were closed", n)
	}
}
