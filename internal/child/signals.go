package child

import (
	"os"
	"os/signal"
	"syscall"
)

// Stops returns the signals that stop a command: SIGINT, SIGTERM and, unless it is ignored as under nohup, SIGHUP.
func Stops() []os.Signal {
	stops := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		stops = append(stops, syscall.SIGHUP)
	}
	return stops
}

// Forward catches signals until stop is called. The function to sends them to another process, with those that came before its call.
func Forward(signals ...os.Signal) (to func(*os.Process), stop func()) {
	received := make(chan os.Signal, 4)
	signal.Notify(received, signals...)
	to = func(p *os.Process) {
		go func() {
			for s := range received {
				_ = p.Signal(s)
			}
		}()
	}
	return to, func() {
		signal.Stop(received)
		close(received)
	}
}
