package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// secure makes the files of a Security, signed by a new authority.
func secure(t *testing.T, token string) Security {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "macemc"}, NotBefore: time.Unix(0, 0), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	s := Security{CA: write("ca.pem", "CERTIFICATE", der), Key: write("key.pem", "PRIVATE KEY", private), TokenFile: filepath.Join(dir, "token")}
	s.Cert = s.CA
	if err := os.WriteFile(s.TokenFile, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// Nothing listens, and nothing is sent, beyond loopback without certificates and a token.
func TestSecurity(t *testing.T) {
	t.Parallel()
	all := secure(t, "a token of the cluster")
	for _, listen := range []string{"0.0.0.0:0", ":0", "localhost:0", "10.1.2.3:0", "[::]:0"} {
		part := all
		part.TokenFile = ""
		for _, s := range []Security{{}, part} {
			if _, stop, err := start(listen, t.TempDir(), s); err == nil || !strings.Contains(err.Error(), "loopback") {
				if stop != nil {
					stop()
				}
				t.Errorf("%s: got error %v, want one about loopback", listen, err)
			}
		}
	}
	if _, err := connect("nats://10.1.2.3:4222", Security{}); err == nil || !strings.Contains(err.Error(), "loopback") {
		t.Errorf("got error %v, want one about loopback", err)
	}
	if _, _, err := start("127.0.0.1:0", t.TempDir(), secure(t, "short")); err == nil || !strings.Contains(err.Error(), "16") {
		t.Errorf("got error %v, want one about 16 characters", err)
	}
	url, stop, err := start("127.0.0.1:0", t.TempDir(), all)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	wrong, other := all, secure(t, "a token of the cluster")
	wrong.TokenFile = secure(t, "another token, which is wrong").TokenFile
	other.CA = all.CA // it trusts the server, which does not trust it
	for name, s := range map[string]Security{"nothing": {}, "wrong token": wrong, "other certificate": other} {
		if nc, err := connect(url, s); err == nil {
			nc.Close()
			t.Errorf("%s: got a connection, want an error", name)
		}
	}
	nc, err := connect(url, all)
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
}

// Several servers listen to each other as they do to workers: with certificates and the token, and beyond loopback not without.
func TestSecurePeers(t *testing.T) {
	t.Parallel()
	for _, peer := range []string{"0.0.0.0:6222", "10.1.2.3:6222"} {
		s := Server{Listen: "127.0.0.1:0", Dir: t.TempDir(), PeerListen: peer, Peers: []string{peer, "127.0.0.1:1", "127.0.0.1:2"}}
		if _, stop, err := s.Start(); err == nil || !strings.Contains(err.Error(), "loopback") {
			if stop != nil {
				stop()
			}
			t.Errorf("%s: got error %v, want one about loopback", peer, err)
		}
	}
	for _, peers := range [][]string{{"127.0.0.1:1"}, {"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"}} {
		s := Server{Listen: "127.0.0.1:0", Dir: t.TempDir(), PeerListen: "127.0.0.1:4", Peers: peers}
		if _, stop, err := s.Start(); err == nil || !strings.Contains(err.Error(), "at least three") {
			if stop != nil {
				stop()
			}
			t.Errorf("%v: got error %v, want one about at least three servers", peers, err)
		}
	}
	all := secure(t, "a token of the cluster")
	s := newServers(t, all)
	if n := s.meets(t, all); n != 3 {
		t.Errorf("got %d servers together, want 3", n)
	}
	wrong := all
	wrong.TokenFile = secure(t, "another token, which is wrong").TokenFile
	s.kill(2)
	s.all[2].Security = wrong
	s.start(2)
	nc := connected(t, "nats://"+s.all[0].Listen, all)
	time.Sleep(time.Second)
	if servers := nc.Servers(); slices.Contains(servers, "nats://"+s.all[2].Listen) || slices.Contains(servers, "tls://"+s.all[2].Listen) {
		t.Errorf("got servers %v, want none with another token", servers)
	}
}

// meets returns how many servers the first one knows within a minute, itself included.
func (s *servers) meets(t *testing.T, sec Security) (n int) {
	nc := connected(t, "nats://"+s.all[0].Listen, sec)
	for began := time.Now(); n < 3 && time.Since(began) < time.Minute; time.Sleep(50 * time.Millisecond) {
		n = len(nc.Servers())
	}
	return n
}
