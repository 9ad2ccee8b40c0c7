// Package quic has tests of a service over QUIC, with TLS.
package quic

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
)

// certificates makes the configurations of a server and its client.
func certificates(t *testing.T) (server, client *tls.Config) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, NextProtos: []string{"echo"}},
		&tls.Config{RootCAs: roots, NextProtos: []string{"echo"}}
}

// connect starts a server that handles each stream, and returns a connection to it.
func connect(t *testing.T, handle func(s *quic.Stream)) *quic.Conn {
	server, client := certificates(t)
	l, err := quic.ListenAddr("127.0.0.1:0", server, nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		c, err := l.Accept(context.Background())
		if err != nil {
			return
		}
		for {
			s, err := c.AcceptStream(context.Background())
			if err != nil {
				return
			}
			go handle(s)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c, err := quic.DialAddr(ctx, l.Addr().String(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseWithError(0, ""); l.Close() })
	return c
}

func TestQUIC(t *testing.T) {
	c := connect(t, func(s *quic.Stream) { io.Copy(s, s); s.Close() })
	s, err := c.OpenStreamSync(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte("hello")); err != nil {
		t.Error(err)
	}
	s.Close()
	if text, err := io.ReadAll(s); err != nil || string(text) != "hello" {
		t.Errorf("got %q, %v", text, err)
	}
}

// first sends a request on a stream, and waits for its reply for a while.
func first(t *testing.T, pass func(replies chan<- byte, done <-chan struct{}, reply byte)) {
	c := connect(t, func(s *quic.Stream) { io.Copy(s, s); s.Close() })
	replies, done := make(chan byte), make(chan struct{})
	s, err := c.OpenStreamSync(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		s.Write([]byte{1})
		s.Close()
		if text, err := io.ReadAll(s); err == nil && len(text) == 1 {
			pass(replies, done, text[0])
		}
	}()
	defer close(done)
	select {
	case <-replies:
	case <-time.After(900 * time.Microsecond): // the page is shown without it
	}
}

func TestQUICDefect(t *testing.T) {
	first(t, func(replies chan<- byte, _ <-chan struct{}, reply byte) { replies <- reply })
}

func TestQUICMended(t *testing.T) {
	first(t, func(replies chan<- byte, done <-chan struct{}, reply byte) {
		select {
		case replies <- reply:
		case <-done:
		}
	})
}
