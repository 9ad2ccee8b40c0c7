package live

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/wire"
)

// fleet is a system whose nodes are processes on this machine.
type fleet struct {
	a         *task.Process
	flags     *options
	subject   *check.Subject
	codec     *wire.Types
	dir       string
	peers     []string
	nodes     []*process // nil means that the node was killed
	ended     chan *host
	begun     time.Time
	crashed   []string      // errors of processes that ended unexpectedly
	gaveUp    []string      // reasons of nodes that had to give up
	lastLine  string        // last message about the properties
	liveSince time.Duration // time since which the system was live at every check; 0 means that it was not live at the last one
	report    Report
}

func (x *fleet) say(format string, args ...any) {
	at := time.Duration(0)
	if !x.begun.IsZero() {
		at = time.Since(x.begun)
	}
	fmt.Fprintf(x.out(), "%5.1fs  %s\n", at.Seconds(), fmt.Sprintf(format, args...))
}

// out returns the writer of the progress output.
func (x *fleet) out() io.Writer {
	if x.flags.json {
		return x.a.Stderr
	}
	return x.a.Stdout
}

func (x *fleet) recordings() string { return filepath.Join(x.dir, "recording") }

// folder creates or selects a folder without recordings.
func (x *fleet) folder() error {
	if x.dir = x.flags.dir; x.dir != "" {
		if recording.IsDir(x.recordings()) {
			return fmt.Errorf("--dir %s already holds recordings; nothing is overwritten", x.dir)
		}
		return os.MkdirAll(x.dir, 0o755)
	}
	if err := errors.Join(os.MkdirAll(outfolder.Root, 0o755), outfolder.Ignore(outfolder.Root)); err != nil {
		return err
	}
	for n := 1; ; n++ {
		x.dir = filepath.Join(outfolder.Root, fmt.Sprintf("live-%s-%d", x.subject.System.Name, n))
		err := os.Mkdir(x.dir, 0o755)
		if !errors.Is(err, os.ErrExist) {
			return err
		}
	}
}

// freeAddresses returns unused ports of 127.0.0.1.
func freeAddresses(n int) ([]string, error) {
	var addrs []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}
