package facts

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/netip"
	"net/rpc"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// listen returns a listener that answers each connection with what it receives.
func listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				io.Copy(c, c)
			}()
		}
	}()
	return l
}

// echo writes to a connection and reads the same.
func echo(t *testing.T, c net.Conn) {
	t.Helper()
	_, err := io.WriteString(c, "text")
	must(t, err)
	b := make([]byte, 4)
	_, err = io.ReadFull(c, b)
	must(t, err)
	same(t, string(b), "text")
}

func TestTCP(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	c, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	defer c.Close()
	echo(t, c)
	same(t, c.RemoteAddr().String(), l.Addr().String())
	same(t, c.LocalAddr().Network(), "tcp")
}

func TestUnix(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s")
	l := listen(t, "unix", name)
	same(t, l.Addr().String(), name)
	c, err := net.Dial("unix", name)
	must(t, err)
	defer c.Close()
	echo(t, c)
	must(t, l.Close())
	_, err = os.Lstat(name)
	same(t, errors.Is(err, os.ErrNotExist), true)
}

func TestBuffers(t *testing.T) {
	for network, size := range map[string]int{"tcp": 2 << 20, "unix": 160 << 10} {
		addr := "127.0.0.1:0"
		if network == "unix" {
			addr = filepath.Join(t.TempDir(), "s")
		}
		l, err := net.Listen(network, addr)
		must(t, err)
		defer l.Close()
		c, err := net.Dial(network, l.Addr().String())
		must(t, err)
		defer c.Close()
		must(t, c.SetDeadline(time.Now().Add(time.Minute)))
		n, err := c.Write(make([]byte, size))
		must(t, err)
		same(t, n, size)
	}
}

func TestUDP(t *testing.T) {
	a, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	defer a.Close()
	b, err := net.Dial("udp", a.LocalAddr().String())
	must(t, err)
	defer b.Close()
	_, err = b.Write([]byte("text"))
	must(t, err)
	buffer := make([]byte, 10)
	n, from, err := a.ReadFrom(buffer)
	must(t, err)
	same(t, string(buffer[:n]), "text")
	same(t, from.String(), b.LocalAddr().String())
}

func TestRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l.Close()
	_, err = net.Dial("tcp", l.Addr().String())
	same(t, errors.Is(err, syscall.ECONNREFUSED), true)
	var op *net.OpError
	same(t, errors.As(err, &op) && op.Op == "dial", true)
}

func TestAddressInUse(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	_, err := net.Listen("tcp", l.Addr().String())
	same(t, errors.Is(err, syscall.EADDRINUSE), true)
}

func TestClosedConn(t *testing.T) {
	c, d := net.Pipe()
	c.Close()
	_, err := d.Read(make([]byte, 1))
	same(t, err, io.EOF)
	l := listen(t, "tcp", "127.0.0.1:0")
	e, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	e.Close()
	_, err = e.Write([]byte("x"))
	same(t, errors.Is(err, net.ErrClosed), true)
}

func TestConnDeadline(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	c, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	defer c.Close()
	must(t, c.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
	_, err = c.Read(make([]byte, 1))
	var e net.Error
	same(t, errors.As(err, &e) && e.Timeout(), true)
	same(t, errors.Is(err, os.ErrDeadlineExceeded), true)
}

func TestDialContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var d net.Dialer
	_, err := d.DialContext(ctx, "tcp", "127.0.0.1:1")
	same(t, errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "operation was canceled"), true)
}

func TestLocalhost(t *testing.T) {
	list, err := net.LookupHost("localhost")
	must(t, err)
	has(t, list, "127.0.0.1")
}

func TestAddresses2(t *testing.T) {
	host, port, err := net.SplitHostPort("[::1]:80")
	must(t, err)
	same(t, host+" "+port, "::1 80")
	same(t, netip.MustParsePrefix("10.0.0.0/8").Contains(netip.MustParseAddr("10.1.2.3")), true)
	n, err := net.LookupPort("tcp", "http")
	must(t, err)
	same(t, n, 80)
}

func TestInterfaces(t *testing.T) {
	list, err := net.Interfaces()
	must(t, err)
	same(t, len(list) > 0, true)
	_, err = net.InterfaceAddrs()
	must(t, err)
}

func server(t *testing.T, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, c *http.Client, url string) (*http.Response, string) {
	t.Helper()
	r, err := c.Get(url)
	must(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	must(t, err)
	return r, string(text)
}

func TestHTTP(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Method, " ", r.URL.Path) })
	r, text := get(t, s.Client(), s.URL+"/a")
	same(t, text, "GET /a")
	same(t, r.StatusCode, 200)
	same(t, r.Proto, "HTTP/1.1")
}

func TestDateHeader(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {})
	r, _ := get(t, s.Client(), s.URL)
	date, err := http.ParseTime(r.Header.Get("Date"))
	must(t, err)
	if d := time.Since(date); d < -time.Second || d > time.Minute {
		t.Error(date)
	}
}

func TestPost(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusCreated)
		w.Write(text)
	})
	r, err := s.Client().Post(s.URL, "text/plain", strings.NewReader(strings.Repeat("x", 200_000)))
	must(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	must(t, err)
	same(t, len(text), 200_000)
	same(t, r.StatusCode, http.StatusCreated)
}

func TestMux(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("id")) })
	s := server(t, mux.ServeHTTP)
	_, text := get(t, s.Client(), s.URL+"/items/7")
	same(t, text, "7")
	r, _ := get(t, s.Client(), s.URL+"/missing")
	same(t, r.StatusCode, 404)
}

func TestRedirect(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			http.Redirect(w, r, "/b", http.StatusFound)
		}
	})
	r, _ := get(t, s.Client(), s.URL+"/a")
	same(t, r.Request.URL.Path, "/b")
}

func TestCookies(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie("k"); err == nil {
			fmt.Fprint(w, c.Value)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "k", Value: "v", Expires: time.Now().Add(time.Hour)})
	})
	jar, err := cookiejar.New(nil)
	must(t, err)
	c := s.Client()
	c.Jar = jar
	get(t, c, s.URL)
	_, text := get(t, c, s.URL)
	same(t, text, "v")
}

func TestServeFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	must(t, os.WriteFile(name, []byte("text"), 0o600))
	s := server(t, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) })
	r, text := get(t, s.Client(), s.URL)
	same(t, text, "text")
	modified, err := http.ParseTime(r.Header.Get("Last-Modified"))
	must(t, err)
	if d := time.Since(modified); d < -time.Second || d > time.Minute {
		t.Error(modified)
	}
	request, _ := http.NewRequest("GET", s.URL, nil)
	request.Header.Set("If-Modified-Since", r.Header.Get("Last-Modified"))
	r, err = s.Client().Do(request)
	must(t, err)
	r.Body.Close()
	same(t, r.StatusCode, http.StatusNotModified)
}

func TestClientTimeout(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	c := s.Client()
	c.Timeout = 50 * time.Millisecond
	_, err := c.Get(s.URL)
	var e *url.Error
	same(t, errors.As(err, &e) && e.Timeout(), true)
}

func TestRequestCanceled(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "GET", s.URL, nil)
	_, err := s.Client().Do(r)
	same(t, errors.Is(err, context.DeadlineExceeded), true)
}

func TestTimeoutHandler(t *testing.T) {
	h := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), 20*time.Millisecond, "slow")
	s := server(t, h.ServeHTTP)
	r, text := get(t, s.Client(), s.URL)
	same(t, r.StatusCode, http.StatusServiceUnavailable)
	same(t, text, "slow")
}

func TestShutdown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := &http.Server{Handler: http.NotFoundHandler()}
	ended := make(chan error)
	go func() { ended <- s.Serve(l) }()
	r, err := http.Get("http://" + l.Addr().String())
	must(t, err)
	r.Body.Close()
	must(t, s.Shutdown(context.Background()))
	same(t, <-ended, http.ErrServerClosed)
	http.DefaultClient.CloseIdleConnections()
}

func TestHijack(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\nraw")
			c.Close()
		}
	})
	_, text := get(t, s.Client(), s.URL)
	same(t, text, "raw")
}

func TestFlush(t *testing.T) {
	next := make(chan bool)
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "a")
		w.(http.Flusher).Flush()
		<-next
		io.WriteString(w, "b")
	})
	r, err := s.Client().Get(s.URL)
	must(t, err)
	defer r.Body.Close()
	b := make([]byte, 1)
	_, err = io.ReadFull(r.Body, b)
	must(t, err)
	close(next)
	rest, err := io.ReadAll(r.Body)
	must(t, err)
	same(t, string(b)+string(rest), "ab")
}

func TestTrace(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {})
	var reused []bool
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = append(reused, i.Reused) }})
	for range 2 {
		r, _ := http.NewRequestWithContext(ctx, "GET", s.URL, nil)
		a, err := s.Client().Do(r)
		must(t, err)
		io.Copy(io.Discard, a.Body)
		a.Body.Close()
	}
	same(t, len(reused), 2)
	same(t, reused[0], false)
}

func TestReverseProxy(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Header.Get("X-Forwarded-For")) })
	to, err := url.Parse(s.URL)
	must(t, err)
	p := server(t, httputil.NewSingleHostReverseProxy(to).ServeHTTP)
	_, text := get(t, p.Client(), p.URL)
	same(t, text, "127.0.0.1")
	http.DefaultClient.CloseIdleConnections()
}

func TestRecorder(t *testing.T) {
	w := httptest.NewRecorder()
	http.NotFound(w, httptest.NewRequest("GET", "/", nil))
	same(t, w.Result().StatusCode, 404)
}

func TestPanicInHandler(t *testing.T) {
	var log bytes.Buffer
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("wrong") }))
	s.Config.ErrorLog = logger(&log)
	s.Start()
	_, err := s.Client().Get(s.URL)
	s.Close()
	same(t, errors.Is(err, io.EOF), true)
	has(t, log.String(), "panic serving 127.0.0.1:")
	lacks(t, log.String(), checker...)
}

func TestTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.TLS.ServerName) }))
	defer s.Close()
	r, text := get(t, s.Client(), s.URL)
	same(t, text, "")
	same(t, r.TLS.HandshakeComplete, true)
	same(t, r.TLS.Version, uint16(tls.VersionTLS13))
}

func TestUnknownAuthority(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = logger(io.Discard)
	s.StartTLS()
	defer s.Close()
	c := &http.Client{Transport: &http.Transport{}}
	_, err := c.Get(s.URL)
	var e x509.UnknownAuthorityError
	same(t, errors.As(err, &e), true)
}

func TestHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	_, text := get(t, s.Client(), s.URL)
	same(t, text, "HTTP/2.0")
}

func TestRPC(t *testing.T) {
	s := rpc.NewServer()
	must(t, s.Register(new(Arith)))
	a, b := net.Pipe()
	go s.ServeConn(a)
	c := rpc.NewClient(b)
	defer c.Close()
	var sum int
	must(t, c.Call("Arith.Add", []int{1, 2}, &sum))
	same(t, sum, 3)
}

type Arith int

func (*Arith) Add(list []int, sum *int) error {
	for _, n := range list {
		*sum += n
	}
	return nil
}

func TestTextproto(t *testing.T) {
	a, b := net.Pipe()
	go func() { io.WriteString(a, "220 ready\r\n"); a.Close() }()
	c := textproto.NewConn(b)
	_, message, err := c.ReadResponse(220)
	must(t, err)
	same(t, message, "ready")
}

func TestJSONBody(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) { json.NewEncoder(w).Encode(map[string]int{"a": 1}) })
	_, text := get(t, s.Client(), s.URL)
	same(t, strings.TrimSpace(text), `{"a":1}`)
}
