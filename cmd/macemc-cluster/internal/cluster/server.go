package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Security controls who may take part. On a loopback address all fields may be empty; on others all are required.
type Security struct {
	CA        string // file with the certificates of the authorities
	Cert, Key string // files of this process, as server and client
	TokenFile string // file with the shared secret
}

// check returns an error that names the missing keys for an address, or nil.
func (s *Security) check(host string) error {
	given := s.CA != "" && s.Cert != "" && s.Key != "" && s.TokenFile != ""
	if given || loopback(host) && *s == (Security{}) {
		return nil
	}
	if loopback(host) {
		return errors.New("--tls-ca, --tls-cert, --tls-key and --token-file must be given together, or, on a loopback address, none of them")
	}
	return fmt.Errorf("%q is not a loopback address, so others could take part: --tls-ca, --tls-cert, --tls-key and --token-file are required",
		host)
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

// tls returns the mutual authentication of both ends of a connection; nil for none.
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
		Certificates: []tls.Certificate{cert}, RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
		MinVersion: tls.VersionTLS13,
	}, nil
}

// largest is the maximum size of a message in bytes.
const largest = 1 << 20

// Server stores the data of a search. A single server's data is lost with its folder; of three servers, one may be
// lost.
type Server struct {
	Listen string // address and port; port 0 means any
	Dir    string
	// PeerListen is the address for other servers, and Peers are these addresses of all servers, including this
	// one. Both are empty for a single server.
	PeerListen string
	Peers      []string
	Security   Security

	room int64 // storage limit in bytes; 0 means three quarters of the free space
}

// Start starts the server, and returns its URL. Stop ends it. A server with peers is usable while a majority of
// them is.
func (s *Server) Start() (where string, stop func(), err error) {
	host, port, err := s.address(s.Listen)
	if err != nil {
		return "", nil, err
	}
	token, err := s.Security.token()
	if err != nil {
		return "", nil, err
	}
	opts := &server.Options{
		ServerName: "macemc", Host: host, Port: port, JetStream: true, StoreDir: s.Dir, SyncAlways: true, NoSigs: true, NoLog: true,
		MaxPayload: largest, MaxPending: 1 << 30, Authorization: token, JetStreamMaxStore: s.room,
		LameDuckDuration: time.Second, LameDuckGracePeriod: 100 * time.Millisecond,
	}
	if opts.TLSConfig, err = s.Security.tls(); err != nil {
		return "", nil, err
	}
	opts.TLS, opts.TLSVerify = opts.TLSConfig != nil, opts.TLSConfig != nil
	if err := s.join(opts, token); err != nil {
		return "", nil, err
	}
	ns, err := server.NewServer(opts)
	if err != nil {
		return "", nil, err
	}
	ns.Start()
	if !ns.ReadyForConnections(10 * time.Second) {
		ns.Shutdown()
		return "", nil, fmt.Errorf("cannot start a server at %s; is the port in use?", s.Listen)
	}
	return "nats://" + ns.Addr().String(), func() {
		if len(s.Peers) > 0 {
			ns.LameDuckShutdown() // others lead before it goes
		}
		ns.Shutdown()
		ns.WaitForShutdown()
	}, nil
}

// address parses an address to listen at.
func (s *Server) address(text string) (host string, port int, err error) {
	host, portText, err := net.SplitHostPort(text)
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(portText)
	if err != nil || port < 0 || port > 1<<16-1 {
		return "", 0, fmt.Errorf("%q is not a port", portText)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, s.Security.check(host)
}

// join makes a server one of several.
func (s *Server) join(opts *server.Options, token string) error {
	if s.PeerListen == "" && len(s.Peers) == 0 {
		return nil
	}
	if len(s.Peers) < 3 || !slices.Contains(s.Peers, s.PeerListen) {
		return fmt.Errorf("replicated servers must be at least three; --peers must list all of them, including this one (%q): %q",
			s.PeerListen, s.Peers)
	}
	host, port, err := s.address(s.PeerListen)
	if err != nil {
		return err
	}
	opts.ServerName = "macemc-" + strings.NewReplacer(".", "-", ":", "-").Replace(s.PeerListen)
	opts.Cluster = server.ClusterOpts{Name: "macemc", Host: host, Port: port, TLSConfig: opts.TLSConfig}
	if token != "" {
		opts.Cluster.Username, opts.Cluster.Password = "macemc", token
	}
	for _, peer := range s.Peers {
		if _, _, err := s.address(peer); err != nil {
			return err
		}
		route := &url.URL{Scheme: "nats", Host: peer}
		if token != "" {
			route.User = url.UserPassword("macemc", token)
		}
		opts.Routes = append(opts.Routes, route)
	}
	return nil
}

// absent reports whether an error of connect means that no server is running, rather than that one refuses.
func absent(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || ok && dial.Op == "dial"
}

// connect connects to one of several servers, with URLs separated by commas.
func connect(where string, s Security) (*nats.Conn, error) {
	for one := range strings.SplitSeq(where, ",") {
		u, err := url.Parse(one)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is not a URL like nats://127.0.0.1:4222", one)
		}
		if err := s.check(u.Hostname()); err != nil {
			return nil, err
		}
	}
	token, err := s.token()
	if err != nil {
		return nil, err
	}
	opts := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.Timeout(3 * time.Second),
		nats.Name("macemc"),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2)} // detects a server that is cut off
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
	if most := nc.MaxPayload(); most < largest {
		nc.Close()
		return nil, fmt.Errorf("the server at %s accepts messages of at most %d bytes, but %d are needed: set its max_payload",
			where, most, largest)
	}
	return nc, nil
}
