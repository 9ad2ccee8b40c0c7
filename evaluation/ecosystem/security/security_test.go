// Package security has tests of services with tokens, passwords and SSH.
package security

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/pkg/sftp"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/ssh"
)

var secret = []byte("secret of the service")

func token(t *testing.T, valid time.Duration) string {
	claims := jwt.RegisteredClaims{Subject: "ann", ExpiresAt: jwt.NewNumericDate(time.Now().Add(valid))}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(secret)
	if err != nil {
		t.Error(err)
	}
	return text
}

func verify(text string) (string, error) {
	var claims jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(text, &claims, func(*jwt.Token) (any, error) { return secret, nil })
	return claims.Subject, err
}

func TestJWT(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if name, err := verify(token(t, time.Minute)); err != nil || name != "ann" {
				t.Errorf("got %q, %v", name, err)
			}
			if _, err := verify(token(t, -time.Minute)); !errors.Is(err, jwt.ErrTokenExpired) {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
}

// usesUp lets two requests present a token that is good for one.
func usesUp(t *testing.T, use func(used *sync.Map, text string) bool) {
	t.Helper()
	text := token(t, time.Minute)
	var used, accepted sync.Map
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			if _, err := verify(text); err != nil {
				t.Error(err)
			} else if use(&used, text) {
				accepted.Store(i, true)
			}
		})
	}
	wg.Wait()
	_, a := accepted.Load(0)
	_, b := accepted.Load(1)
	if a == b {
		t.Errorf("accepted: %v, %v", a, b)
	}
}

func TestJWTDefect(t *testing.T) {
	usesUp(t, func(used *sync.Map, text string) bool {
		if _, ok := used.Load(text); ok {
			return false
		}
		used.Store(text, true)
		return true
	})
}

func TestJWTMended(t *testing.T) {
	usesUp(t, func(used *sync.Map, text string) bool {
		_, ok := used.LoadOrStore(text, true)
		return !ok
	})
}

// dial starts an SSH server that accepts the password "tea", and returns a client of it.
func dial(t *testing.T, serve func(ssh.Channel)) *ssh.Client {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte("tea"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{PasswordCallback: func(_ ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
		return nil, bcrypt.CompareHashAndPassword(hash, password)
	}}
	config.AddHostKey(signer)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, channels, requests, err := ssh.NewServerConn(c, config)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		for request := range channels {
			channel, requests, err := request.Accept()
			if err != nil {
				return
			}
			go func() {
				for r := range requests {
					r.Reply(true, nil)
					serve(channel)
				}
			}()
		}
	}()
	c, err := ssh.Dial("tcp", l.Addr().String(), &ssh.ClientConfig{User: "ann", Auth: []ssh.AuthMethod{ssh.Password("tea")},
		HostKeyCallback: ssh.FixedHostKey(signer.PublicKey())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestSSH(t *testing.T) {
	c := dial(t, func(c ssh.Channel) {
		io.WriteString(c, "done")
		c.SendRequest("exit-status", false, []byte{0, 0, 0, 0})
		c.Close()
	})
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := s.Output("work"); err != nil || string(text) != "done" {
		t.Errorf("got %q, %v", text, err)
	}
}

// starts starts a shell, and waits for its first line for a while.
func starts(t *testing.T, read func(lines chan<- byte, stop <-chan struct{}, line byte)) {
	c := dial(t, func(c ssh.Channel) {
		c.Write([]byte("a"))
		c.Close()
	})
	channel, requests, err := c.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	go ssh.DiscardRequests(requests)
	if _, err := channel.SendRequest("shell", true, nil); err != nil {
		t.Fatal(err)
	}
	lines, stop := make(chan byte), make(chan struct{})
	go func() {
		var line [1]byte
		if _, err := io.ReadFull(channel, line[:]); err == nil {
			read(lines, stop, line[0])
		}
	}()
	defer close(stop)
	select {
	case <-lines:
	case <-time.After(900 * time.Microsecond):
	}
}

func TestSSHDefect(t *testing.T) {
	starts(t, func(lines chan<- byte, _ <-chan struct{}, line byte) { lines <- line })
}

func TestSSHMended(t *testing.T) {
	starts(t, func(lines chan<- byte, stop <-chan struct{}, line byte) {
		select {
		case lines <- line:
		case <-stop:
		}
	})
}

// files starts a server of files in memory, and returns a client of it.
func files(t *testing.T) *sftp.Client {
	server, client := net.Pipe()
	s := sftp.NewRequestServer(server, sftp.InMemHandler())
	go s.Serve()
	c, err := sftp.NewClientPipe(client, client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	return c
}

func write(c *sftp.Client, name, text string) error {
	f, err := c.Create(name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

func TestSFTP(t *testing.T) {
	c := files(t)
	if err := write(c, "/a", "hello"); err != nil {
		t.Fatal(err)
	}
	if err := c.Rename("/a", "/b"); err != nil {
		t.Error(err)
	}
	if info, err := c.Stat("/b"); err != nil || info.Size() != 5 {
		t.Errorf("got %v, %v", info, err)
	}
}

// uploads lets two clients upload a file, which is to be written once.
func uploads(t *testing.T, upload func(c *sftp.Client, mu *sync.Mutex) (wrote bool, err error)) {
	t.Helper()
	c := files(t)
	var mu sync.Mutex
	var wrote [2]bool
	var wg sync.WaitGroup
	for i := range wrote {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 900 * time.Microsecond)
			var err error
			if wrote[i], err = upload(c, &mu); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if wrote[0] == wrote[1] {
		t.Errorf("wrote: %v", wrote)
	}
}

func ifMissing(c *sftp.Client) (wrote bool, err error) {
	if _, err := c.Stat("/a"); err == nil {
		return false, nil
	}
	return true, write(c, "/a", "x")
}

func TestSFTPDefect(t *testing.T) {
	uploads(t, func(c *sftp.Client, _ *sync.Mutex) (bool, error) { return ifMissing(c) })
}

func TestSFTPMended(t *testing.T) {
	uploads(t, func(c *sftp.Client, mu *sync.Mutex) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		return ifMissing(c)
	})
}
