package process

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"
)

// packages receives signals that a package awaits.
var packages = make(chan os.Signal, 4)

func init() { signal.Notify(packages, syscall.SIGUSR1) }

func send(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), sig); err != nil {
		t.Error(err)
	}
}

func TestNotify(t *testing.T) {
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	var wg sync.WaitGroup
	wg.Go(func() { <-ctx.Done() })
	stop()
	wg.Wait()
}

func TestDelivered(t *testing.T) {
	c := make(chan os.Signal, 2)
	signal.Notify(c, syscall.SIGHUP, syscall.SIGTERM)
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Signal(syscall.SIGHUP); err != nil || p.Signal(syscall.Signal(0)) != nil {
		t.Error(err)
	}
	send(t, syscall.SIGTERM)
	if first, second := <-c, <-c; first != syscall.SIGHUP || second != syscall.SIGTERM {
		t.Error(first, second)
	}
	signal.Ignore(syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGTERM) || signal.Ignored(syscall.SIGHUP) {
		t.Error("SIGTERM is not ignored, or SIGHUP is")
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGPIPE} {
		send(t, sig)
	}
	if err := syscall.Kill(os.Getpid(), 99); err != syscall.EINVAL {
		t.Error(err)
	}
}

func TestStopWaits(t *testing.T) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	send(t, syscall.SIGHUP)
	signal.Stop(c)
	if len(c) != 1 {
		t.Error("the signal is lost")
	}
}

func TestOfPackage(t *testing.T) {
	if n := len(packages); n != 0 {
		t.Error(n, "signals of other runs")
	}
	send(t, syscall.SIGUSR1)
	time.Sleep(time.Second)
	if n := len(packages); n != 1 {
		t.Error(n, "signals")
	}
}

func TestContext(t *testing.T) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	send(t, syscall.SIGINT)
	<-ctx.Done()
	if cause := context.Cause(ctx); cause.Error() != "interrupt signal received" {
		t.Error(cause)
	}
}

// Two signals are one if the second is sent before the first is delivered.
func TestTwice(t *testing.T) {
	c := make(chan os.Signal, 2)
	signal.Notify(c, syscall.SIGHUP)
	send(t, syscall.SIGHUP)
	send(t, syscall.SIGHUP)
	time.Sleep(time.Second)
	if n := len(c); n != 1 {
		t.Error(n, "signals")
	}
}

func TestStopped(t *testing.T) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	go signal.Stop(c)
	send(t, syscall.SIGTERM)
	<-c
}

func TestKill(t *testing.T) {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		p.Kill()
	}
}

func TestOther(t *testing.T) {
	if err := syscall.Kill(os.Getppid(), 0); err != nil {
		t.Error(err)
	}
	syscall.Kill(os.Getppid(), syscall.SIGCONT)
}
