// Package http lets a node of package bubble serve and call HTTP with unmodified net/http, on the network of the node.
//
//	err := glue.Serve(ctx, h, ":80", handler)
//	answer, err := glue.Client(h).Get("http://n0/")
//
// Programs that use http.ListenAndServe and http.DefaultClient need no glue: package net uses the network of the node.
// They use HTTP/1.1 without TLS.
package http

import (
	"context"
	"errors"
	"net/http"

	"github.com/macemc/macemc/bubble"
)

// Client returns a client with its own transport, which uses connections of the node.
func Client(h *bubble.Host) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: h.Dial}}
}

// Serve serves requests on a port of the node until ctx is done. It then accepts no more requests, and returns once the
// accepted ones are answered.
func Serve(ctx context.Context, h *bubble.Host, address string, handler http.Handler) error {
	l, err := h.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	err = server.Shutdown(context.WithoutCancel(ctx))
	return errors.Join(err, ctx.Err())
}
