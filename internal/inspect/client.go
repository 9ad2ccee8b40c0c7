package inspect

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
)

// Client sends requests to a debugger.
type Client struct {
	listener *net.UnixListener
	folder   string
	conn     net.Conn
	in       *json.Decoder
	done     <-chan struct{} // see Accept
	once     bool            // see Request
}

// Folder is the beginning of the name of the folder of a socket.
const Folder = "macemc-debug-"

// Listen prepares the socket to which a debugger connects.
func Listen() (*Client, error) {
	folder, err := os.MkdirTemp("", Folder)
	if err != nil {
		return nil, err
	}
	c := &Client{folder: folder}
	if c.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: c.Socket(), Net: "unix"}); err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	return c, nil
}

// Socket returns the path of the socket.
func (c *Client) Socket() string { return filepath.Join(c.folder, "socket") }

// Accept waits for the debugger. done is closed when the command that starts it has ended.
func (c *Client) Accept(ctx context.Context, done <-chan struct{}) error {
	c.done = done
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
	case <-done:
		c.listener.Close()
		<-accepted
		return errors.New("the debugger has ended")
	case <-ctx.Done():
		c.listener.Close()
		<-accepted
		return ctx.Err()
	}
}

// Call sends a request and returns the answer. The end of ctx ends the debugger.
func (c *Client) Call(ctx context.Context, r Request) (*Reply, error) {
	r.Once = c.once
	reply, err := c.call(ctx, r)
	if err == nil && reply.Again {
		c.once, r.Once = true, true
		c.End()
		if err = c.Accept(ctx, c.done); err == nil {
			reply, err = c.call(ctx, r)
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, lost{err}
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

// lost is the error of a lost connection.
type lost struct{ error }

func (e lost) Error() string { return "the debugger has ended: " + e.error.Error() }

// Lost reports whether an error of Call is that of a debugger that has ended.
func Lost(err error) bool {
	_, ok := errors.AsType[lost](err)
	return ok
}

// End ends the debugger.
func (c *Client) End() {
	if c.conn != nil {
		c.conn.Close()
	}
}

// Close ends the debugger, and removes the socket.
func (c *Client) Close() {
	c.End()
	c.listener.Close()
	os.RemoveAll(c.folder)
}
