package inspect

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// Client sends requests to a debugger, which a command executes.
type Client struct {
	listener *net.UnixListener
	conn     net.Conn
	in       *json.Decoder
	once     bool               // see Request
	end      context.CancelFunc // ends the command
	ended    chan struct{}      // closed when the command has ended
	failure  error              // of the ended command
	output   bytes.Buffer       // of the command
	closed   bool
}

// Folder is the beginning of the name of the folder of a socket.
const Folder = "macemc-debug-"

// Open starts a command that executes a debugger, and waits until that connects to a socket. The command can store files beside the socket.
// It ends at the end of its context.
func Open(ctx context.Context, command func(ctx context.Context, socket string, output io.Writer) error) (*Client, error) {
	folder, err := os.MkdirTemp("", Folder)
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, "socket")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	c := &Client{listener: listener, ended: make(chan struct{})}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	c.end = end
	go func() {
		defer close(c.ended)
		c.failure = command(running, socket, &c.output)
	}()
	if err = c.accept(ctx); err == nil {
		return c, nil
	}
	if c.Close(); ctx.Err() == nil {
		err = fmt.Errorf("the run was not executed: %v%s", cmp.Or(c.failure, err), c.text())
	}
	return nil, err
}

// Beside returns the name of a file in the folder of the socket.
func (c *Client) Beside(name string) string {
	return filepath.Join(filepath.Dir(c.listener.Addr().String()), name)
}

// text returns the output of the command, after a colon, if there is any.
func (c *Client) text() string {
	if text := strings.TrimSpace(c.output.String()); text != "" {
		return ": " + text
	}
	return ""
}

// accept waits for the debugger.
func (c *Client) accept(ctx context.Context) error {
	accepted := make(chan error, 1)
	go func() {
		conn, err := c.listener.Accept()
		c.conn = conn
		accepted <- err
	}()
	select {
	case err := <-accepted:
		if err == nil {
			c.in = json.NewDecoder(bufio.NewReader(c.conn))
		}
		return err
	case <-c.ended:
		c.listener.Close()
		<-accepted
		return errors.New("the debugger has ended")
	case <-ctx.Done():
		c.listener.Close()
		<-accepted
		return ctx.Err()
	}
}

// Call sends a request and returns the answer. It closes the client if the debugger has ended, or at the end of ctx.
func (c *Client) Call(ctx context.Context, r Request) (*Reply, error) {
	r.Once = c.once
	reply, err := c.call(ctx, r)
	if err == nil && reply.Again {
		c.once, r.Once = true, true
		c.conn.Close()
		if err = c.accept(ctx); err == nil {
			reply, err = c.call(ctx, r)
		}
	}
	switch {
	case ctx.Err() != nil:
		c.Close()
		return nil, ctx.Err()
	case err != nil:
		c.Close()
		return nil, fmt.Errorf("the debugger has ended: %w%s", err, c.text())
	case reply.Err != "":
		return nil, errors.New(reply.Err)
	}
	return reply, nil
}

func (c *Client) call(ctx context.Context, r Request) (*Reply, error) {
	conn, reply := c.conn, new(Reply)
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	err := json.NewEncoder(conn).Encode(r)
	if err == nil {
		err = c.in.Decode(reply)
	}
	return reply, err
}

// Closed reports whether the client is closed.
func (c *Client) Closed() bool { return c.closed }

// Close ends the debugger and the command, and removes the folder of the socket.
func (c *Client) Close() {
	if c.closed {
		return
	}
	c.closed = true
	if c.conn != nil {
		c.conn.Close()
	}
	c.end()
	<-c.ended
	c.listener.Close()
	os.RemoveAll(c.Beside(""))
}
