//go:build macemc_overlay

// Package nodes has systems whose nodes are servers and clients of libraries, without adapters: gRPC, DNS over UDP and TCP, and QUIC.
package nodes

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/quic-go/quic-go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// answered checks that the client on node 1 gets its answer from the server on node 0 in each run, whatever the order of messages is.
func answered(t *testing.T, server, client func()) {
	t.Helper()
	ended := func(v *sim.View, how string) bool {
		p, ok := v.Service(1).(*bubble.Program)
		return ok && p.Ended == how
	}
	r, err := search.Run(t.Context(), search.Config{Workers: 1, Time: time.Minute, MaxPaths: 10, WalkSteps: 3000, System: sim.System{
		Name: t.Name(), Nodes: 2, State: bubble.Rules, Network: netsim.Streams{}, Timing: sim.Prompt,
		New: func(id sim.NodeID) sim.Service {
			return bubble.Command([]func(){server, client}[id], []string{"node"}, nil)
		},
		Properties: []sim.Property{
			{Name: "no failure", Always: func(v *sim.View) bool { return !ended(v, "exit status 1") }},
			{Name: "an answer", Eventually: func(v *sim.View) bool { return ended(v, "exit status 0") }},
		},
	}})
	if err != nil || r.Finding != nil || r.Suspect != nil || r.Stats.Paths == 0 {
		t.Errorf("%v, %s, %+v, %+v", err, r.Verdict, r.Finding, r.Suspect)
		if r != nil && r.Finding != nil && r.Finding.Difference != nil {
			t.Log(r.Finding.Difference.Details)
		}
	}
}

// retry calls f until it succeeds, and fails after ten attempts.
func retry[T any](f func() (T, error)) T {
	for try := 0; ; try++ {
		v, err := f()
		if err == nil {
			return v
		}
		if try == 10 {
			log.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func TestGRPC(t *testing.T) {
	answered(t, func() {
		l, err := net.Listen("tcp", ":80")
		if err != nil {
			log.Fatal(err)
		}
		s := grpc.NewServer()
		grpc_health_v1.RegisterHealthServer(s, health.NewServer())
		log.Fatal(s.Serve(l))
	}, func() {
		c, err := grpc.NewClient("n0:80", grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			log.Fatal(err)
		}
		r := retry(func() (*grpc_health_v1.HealthCheckResponse, error) {
			return grpc_health_v1.NewHealthClient(c).Check(context.Background(), &grpc_health_v1.HealthCheckRequest{}, grpc.WaitForReady(true))
		})
		if r.Status != grpc_health_v1.HealthCheckResponse_SERVING {
			log.Fatal(r)
		}
	})
}

func TestDNS(t *testing.T) {
	for _, network := range []string{"udp", "tcp"} {
		t.Run(network, func(t *testing.T) {
			answered(t, func() {
				s := &dns.Server{Addr: ":53", Net: network, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, r *dns.Msg) {
					m := new(dns.Msg).SetReply(r)
					m.Answer = append(m.Answer, &dns.A{
						Hdr: dns.RR_Header{Name: r.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(192, 0, 2, 1)})
					w.WriteMsg(m)
				})}
				log.Fatal(s.ListenAndServe())
			}, func() {
				c := &dns.Client{Net: network}
				r := retry(func() (*dns.Msg, error) {
					r, _, err := c.Exchange(new(dns.Msg).SetQuestion("a.example.org.", dns.TypeA), "n0:53")
					return r, err
				})
				if ip := r.Answer[0].(*dns.A).A; !ip.Equal(net.IPv4(192, 0, 2, 1)) {
					log.Fatal(ip)
				}
			})
		})
	}
}

func TestQUIC(t *testing.T) {
	public, private := certificate(t)
	answered(t, func() {
		pair, err := tls.X509KeyPair(public, private)
		if err != nil {
			log.Fatal(err)
		}
		l, err := quic.ListenAddr(":443", &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"echo"}}, nil)
		if err != nil {
			log.Fatal(err)
		}
		for {
			c, err := l.Accept(context.Background())
			if err != nil {
				log.Fatal(err)
			}
			go func() {
				if s, err := c.AcceptStream(context.Background()); err == nil {
					io.Copy(s, s)
					s.Close()
				}
			}()
		}
	}, func() {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(public)
		text := retry(func() ([]byte, error) {
			c, err := quic.DialAddr(context.Background(), "n0:443", &tls.Config{RootCAs: roots, NextProtos: []string{"echo"}}, nil)
			if err != nil {
				return nil, err
			}
			defer c.CloseWithError(0, "")
			s, err := c.OpenStream()
			if err != nil {
				return nil, err
			}
			if _, err := s.Write([]byte("text")); err != nil {
				return nil, err
			}
			s.Close()
			return io.ReadAll(s)
		})
		if !bytes.Equal(text, []byte("text")) {
			log.Fatal(fmt.Sprintf("%q", text))
		}
	})
}

// certificate makes a certificate and its key in PEM format. Each process reads them, as from files.
func certificate(t *testing.T) (public, private []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"n0"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}
