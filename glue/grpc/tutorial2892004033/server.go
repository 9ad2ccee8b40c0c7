// Package kv is a key-value store that is served over HTTP and copied to a replica over gRPC.
package kv

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc"
)

// Store holds the values.
type Store struct {
	mu      sync.Mutex
	values  map[string]string
	done    map[string]bool // requests, by what their clients call them
	updates chan Update     // for the replica
}

// Update is a new value, as the primary sends it to the replica.
type Update struct{ Key, Value string }

// codec lets gRPC send updates without generated code.
type codec struct{}

func (codec) Name() string                       { return "json" }
func (codec) Marshal(v any) ([]byte, error)      { return json.Marshal(v) }
func (codec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{values: map[string]string{}, done: map[string]bool{}, updates: make(chan Update, 100)}
}

// Get returns a value.
func (s *Store) Get(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[key]
}

func (s *Store) append(key, text, request string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if request != "" && s.done[request] {
		return
	}
	s.done[request] = true
	s.values[key] += text
	s.updates <- Update{key, s.values[key]}
}

// Serve is the primary. It answers on l until ctx is done.
func (s *Store) Serve(ctx context.Context, l net.Listener, replica *grpc.ClientConn) error {
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		for u := range s.updates {
			for replica.Invoke(context.Background(), "/kv.Replica/Put", &u, &Update{}, grpc.ForceCodec(codec{})) != nil {
				time.Sleep(time.Second)
			}
		}
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{key}", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, s.Get(r.PathValue("key")))
	})
	mux.HandleFunc("POST /{key}", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.append(r.PathValue("key"), string(text), r.Header.Get("Idempotency-Key"))
	})
	server := &http.Server{Handler: mux}
	go server.Serve(l)
	<-ctx.Done()
	err := server.Shutdown(context.Background())
	close(s.updates)
	return err
}

// ServeReplica is the replica. It takes over what the primary sends until ctx is done.
func (s *Store) ServeReplica(ctx context.Context, l net.Listener) error {
	put := func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var u Update
		if err := decode(&u); err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.values[u.Key] = u.Value
		return &Update{}, nil
	}
	server := grpc.NewServer(grpc.ForceServerCodec(codec{}))
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "kv.Replica", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Put", Handler: put}},
	}, s)
	go func() {
		<-ctx.Done()
		server.GracefulStop()
	}()
	return server.Serve(l)
}
