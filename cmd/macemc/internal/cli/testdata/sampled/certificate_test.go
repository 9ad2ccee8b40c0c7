package sampled

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"log"
	"math/big"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// The test makes a private key and a certificate that is valid for a minute, and the node signs with the key. The client never ends.
func TestCertificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"n0"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Minute)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pair := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	server := func() {
		l, err := tls.Listen("tcp", ":443", &tls.Config{Certificates: []tls.Certificate{pair}})
		if err != nil {
			log.Fatal(err)
		}
		for {
			c, err := l.Accept()
			if err != nil {
				log.Fatal(err)
			}
			c.Write([]byte("x"))
			c.Close()
		}
	}
	client := func() {
		leaf, err := x509.ParseCertificate(der)
		if err != nil {
			log.Fatal(err)
		}
		roots := x509.NewCertPool()
		roots.AddCert(leaf)
		for {
			if c, err := tls.Dial("tcp", "n0:443", &tls.Config{RootCAs: roots}); err == nil {
				c.Read(make([]byte, 1))
				return
			}
			time.Sleep(time.Second)
		}
	}
	mctest.Check(t, sim.System{Nodes: 2, State: bubble.Rules, Network: netsim.Streams{}, Timing: sim.Prompt, Interleave: sim.FIFO,
		New: func(id sim.NodeID) sim.Service {
			return bubble.Command([]func(){server, client}[id], []string{"node"}, nil)
		},
		Properties: []sim.Property{{Name: "no end", Always: func(v *sim.View) bool {
			p, ok := v.Service(1).(*bubble.Program)
			return !ok || p.Ended == ""
		}}},
	})
}
