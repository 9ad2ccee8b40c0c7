package agents

import (
	"os"
	"os/signal"
	"sync"
	"time"
)

// processes are the processes of test binaries that have not ended.
type processes struct {
	mu       sync.Mutex // remains locked when this process ends
	sessions map[*Session]bool
}

var running = processes{sessions: map[*Session]bool{}}

func (p *processes) start(x *Session) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := x.cmd.Start()
	if err == nil {
		p.sessions[x] = true
	}
	return err
}

// end removes a process. It does not return if this process ends.
func (p *processes) end(x *Session) {
	close(x.ended)
	if endedBy(x.cmd.ProcessState, ending) {
		time.Sleep(groupTime)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, x)
}

// EndFirst makes the processes of test binaries end before this one when a signal ends this one, so that no process outlives an
// interrupted command that waits for this one.
func EndFirst() {
	signals := make(chan os.Signal, 1)
	for _, s := range ending {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		s := <-signals
		running.mu.Lock()
		for x := range running.sessions {
			x.Process().Kill()
		}
		late := time.After(endingTime)
		for x := range running.sessions {
			select {
			case <-x.ended:
			case <-late:
			}
		}
		endBy(s)
	}()
}

// groupTime is the time in which a signal to a process group, which has ended another process, arrives in this one.
const groupTime = 200 * time.Millisecond

// endingTime is the time that processes have to end. One whose session nobody waits for takes all of it.
const endingTime = time.Second
