// Package cluster has several processes search a system together. A NATS server with JetStream is between them: candidates travel over core
// NATS and may be lost, the states that were accepted are in a stream, and how far all are is one key, which is changed by
// compare-and-swap. Who does what when is the code of systems/superstep, which macemc itself has checked; here are its store, its network,
// its timers, and states in place of letters.
package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Security says who may take part. On a loopback address all of it may be empty; on others none.
type Security struct {
	CA        string // file: certificates of those that sign
	Cert, Key string // files: of this process, as server and client
	TokenFile string // what all know
}

// check says what is missing for an address; nil: nothing.
func (s *Security) check(host string) error {
	given := s.CA != "" && s.Cert != "" && s.Key != "" && s.TokenFile != ""
	if given || loopback(host) && *s == (Security{}) {
		return nil
	}
	if loopback(host) {
		return errors.New("of --tls-ca, --tls-cert, --tls-key and --token-file all are needed, or, on a loopback address, none")
	}
	return fmt.Errorf("%q is no loopback address: others could take part, so that --tls-ca, --tls-cert, --tls-key and --token-file are needed, all of them", host)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (s *Security) token() (string, error) {
	if s.TokenFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(s.TokenFile)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 16 {
		return "", fmt.Errorf("the token in %s has %d characters, must have at least 16", s.TokenFile, len(token))
	}
	return token, nil
}

// tls is how both ends of a connection show who they are; nil: they do not.
func (s *Security) tls() (*tls.Config, error) {
	if s.CA == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(s.Cert, s.Key)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.CA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", s.CA)
	}
	return &tls.Config{
		Certificates: []tls.Certificate{cert}, RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13,
	}, nil
}

// largest is how long a message may be, in bytes.
const largest = 1 << 20

// Serve starts a server that keeps what it must in a folder, and returns its URL. Stop ends it.
func Serve(listen, dir string, s Security) (where string, stop func(), err error) {
	host, portText, err := net.SplitHostPort(listen)
	if err != nil {
		return "", nil, err
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 1<<16-1 {
		return "", nil, fmt.Errorf("%q is no port", portText)
	}
	if err := s.check(host); err != nil {
		return "", nil, err
	}
	token, err := s.token()
	if err != nil {
		return "", nil, err
	}
	opts := &server.Options{
		ServerName: "macemc", Host: host, Port: port, JetStream: true, StoreDir: dir, SyncAlways: true, NoSigs: true, NoLog: true,
		MaxPayload: largest, MaxPending: 1 << 30, Authorization: token,
	}
	if port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	if opts.TLSConfig, err = s.tls(); err != nil {
		return "", nil, err
	}
	opts.TLS, opts.TLSVerify = opts.TLSConfig != nil, opts.TLSConfig != nil
	ns, err := server.NewServer(opts)
	if err != nil {
		return "", nil, err
	}
	ns.Start()
	if !ns.ReadyForConnections(10 * time.Second) {
		ns.Shutdown()
		return "", nil, fmt.Errorf("no server can be started at %s; is the port in use?", listen)
	}
	return "nats://" + ns.Addr().String(), func() { ns.Shutdown(); ns.WaitForShutdown() }, nil
}

// absent reports whether an error of connect says that no server is there, and not that one refuses.
func absent(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || ok && dial.Op == "dial"
}

// connect connects to a server.
func connect(where string, s Security) (*nats.Conn, error) {
	u, err := url.Parse(where)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is no URL, as nats://127.0.0.1:4222", where)
	}
	if err := s.check(u.Hostname()); err != nil {
		return nil, err
	}
	token, err := s.token()
	if err != nil {
		return nil, err
	}
	opts := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.Timeout(3 * time.Second), nats.Name("macemc")}
	if token != "" {
		opts = append(opts, nats.Token(token))
	}
	secure, err := s.tls()
	if err != nil {
		return nil, err
	}
	if secure != nil {
		opts = append(opts, nats.Secure(secure))
	}
	nc, err := nats.Connect(where, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; is \"macemc cluster up\" running there?", where, err)
	}
	return nc, nil
}
