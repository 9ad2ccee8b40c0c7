package agents

import (
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/macemc/macemc/internal/child"
)

// Processes are the processes of test binaries that have not ended.
type Processes struct {
	mu       sync.Mutex // remains locked when this process ends
	sessions map[*Session]bool
}

// NewProcesses returns an empty set. If a signal ends this process, its processes end first, so that none outlives an interrupted command
// that waits for this one.
func NewProcesses() *Processes {
	p := &Processes{sessions: map[*Session]bool{}}
	signals := make(chan os.Signal, 1)
	for _, s := range child.Stops() {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		s := <-signals
		p.mu.Lock()
		for x := range p.sessions {
			x.Process().Kill()
		}
		late := time.After(endingTime)
		for x := range p.sessions {
			select {
			case <-x.ended:
			case <-late:
			}
		}
		endBy(s)
	}()
	return p
}

func (p *Processes) start(x *Session) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := x.cmd.Start()
	if err == nil {
		p.sessions[x] = true
	}
	return err
}

// end removes a process. It does not return if this process ends.
func (p *Processes) end(x *Session) {
	close(x.ended)
	if endedBy(x.cmd.ProcessState, child.Stops()) {
		time.Sleep(groupTime)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, x)
}

// groupTime is the time in which a signal to a process group, which has ended another process, arrives in this one.
const groupTime = 200 * time.Millisecond

// endingTime is the time that processes have to end. One whose session nobody waits for takes all of it.
const endingTime = time.Second
