package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/report"
)

// preachdbRun holds the processes of one search of PReachDB's table. Each of them is macemc.
type preachdbRun struct {
	ctx     context.Context
	respawn func() *exec.Cmd
	dir     string
	urls    string
	serve   [][]string // command lines of the servers
	search  []string
	running map[string]*preachdbProcess
	usage   []preachdbUsage
	err     error // of a process that could not be started
}

type preachdbProcess struct {
	*child.Process
	role      string
	out, errs bytes.Buffer
}

// preachdbUsage is the cost of the processes with one role.
type preachdbUsage struct {
	Role      string  `json:"role"`
	Processes int     `json:"processes"`
	Killed    int     `json:"killed"` // of these; their cost is unknown
	CPU       float64 `json:"cpu"`    // seconds, of all others
	MB        int     `json:"mb"`     // maximum of one process
}

// killed returns the number of killed processes as text, or an empty string.
func (u *preachdbUsage) killed() string {
	if u.Killed == 0 {
		return ""
	}
	return fmt.Sprintf("(and %d killed)", u.Killed)
}

// Roles of processes.
const (
	searching = "search"
	working   = "worker"
	serving   = "server"
)

// preachdbRow fills in a row.
func (e *evaluator) preachdbRow(ctx context.Context, r *preachdbRow, temp string, number, depth, eighth int) error {
	f := &preachdbRun{ctx: ctx, respawn: e.Respawn, dir: filepath.Join(temp, strconv.Itoa(number)), running: map[string]*preachdbProcess{}}
	if err := os.Mkdir(f.dir, 0o755); err != nil {
		return err
	}
	f.search = append([]string{"search", "paxos", "--set", "proposers=3", "--strategy", "bfs", "--visited", "128", "--depth",
		strconv.Itoa(depth), "--json", "--no-shrink"}, r.flags...)
	defer func() { // leaves nothing behind
		for name := range f.running {
			f.kill(name)
		}
	}()
	if r.servers > 0 {
		if err := f.up(r.servers); err != nil {
			return err
		}
		f.search = append(f.search, "--cluster", f.urls)
	}
	began := time.Now()
	for i := range r.workers + r.spares {
		f.start(working, worker(i), "worker", "--join", f.urls)
	}
	f.start(searching, searching, f.search...)
	if r.strike != nil {
		if err := f.await(eighth, r.workers+r.spares); err != nil {
			return err
		}
		r.strike(f)
	}
	rep, err := f.wait()
	if err != nil {
		return err
	}
	r.Seconds, r.States, r.Transitions = time.Since(began).Seconds(), rep.States, rep.Transitions
	for _, role := range []string{working, serving} {
		for name, p := range f.running {
			if p.role == role {
				f.stop(name)
			}
		}
	}
	r.Processes = f.usage
	return f.err
}

func worker(i int) string { return fmt.Sprintf("worker %d", i) }
func server(i int) string { return fmt.Sprintf("server %d", i) }

// up starts servers.
func (f *preachdbRun) up(servers int) error {
	free, err := freeAddresses(2 * servers)
	if err != nil {
		return err
	}
	var urls []string
	peers := free[servers:]
	for i, at := range free[:servers] {
		args := []string{"cluster", "up", "--listen", at, "--dir", filepath.Join(f.dir, server(i))}
		if servers > 1 {
			args = append(args, "--peer-listen", peers[i], "--peers", strings.Join(peers, ","))
		}
		f.serve, urls = append(f.serve, args), append(urls, "nats://"+at)
	}
	f.urls = strings.Join(urls, ",")
	f.startServers()
	return nil
}

// freeAddresses finds unused ports of 127.0.0.1.
func freeAddresses(n int) ([]string, error) {
	var free []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // once all have theirs
		free = append(free, l.Addr().String())
	}
	return free, nil
}

func (f *preachdbRun) startServers() {
	for i, args := range f.serve {
		f.start(serving, server(i), args...)
	}
}

// start starts a process, which must not be running.
func (f *preachdbRun) start(role, name string, args ...string) {
	self := f.respawn()
	p, cmd := &preachdbProcess{role: role}, exec.CommandContext(f.ctx, self.Path, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = f.dir, self.Env, &p.out, &p.errs
	var err error
	if p.Process, err = child.Start(cmd); err != nil {
		f.err = err
		return
	}
	f.running[name] = p
}

// of returns the cost of the processes with a role.
func (f *preachdbRun) of(role string) *preachdbUsage {
	for i := range f.usage {
		if f.usage[i].Role == role {
			return &f.usage[i]
		}
	}
	f.usage = append(f.usage, preachdbUsage{Role: role})
	return &f.usage[len(f.usage)-1]
}

// kill kills a process.
func (f *preachdbRun) kill(name string) {
	p := f.running[name]
	delete(f.running, name)
	p.Kill()
	f.of(p.role).Killed++
}

// stop ends a process and adds its cost.
func (f *preachdbRun) stop(name string) {
	p := f.running[name]
	delete(f.running, name)
	p.Interrupt(20 * time.Second)
	f.count(p)
}

func (f *preachdbRun) count(p *preachdbProcess) {
	u, s := f.of(p.role), p.ProcessState
	u.Processes++
	u.CPU += (s.UserTime() + s.SystemTime()).Seconds()
	u.MB = max(u.MB, mostMemory(s))
}

// await waits until the given number of workers has found the given number of states.
func (f *preachdbRun) await(states, workers int) error {
	for f.err == nil {
		if s, err := f.status(); err == nil && s.States >= states && len(s.Workers) == workers {
			return nil
		}
		select {
		case <-f.ctx.Done():
			return f.ctx.Err()
		case <-f.running[searching].Ended:
			return errors.New("the search ended before the fault; give a greater --depth")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return f.err
}

// status returns the servers' status of the search.
func (f *preachdbRun) status() (s struct {
	States  int
	Workers []struct{}
}, err error) {
	cmd := f.respawn()
	cmd.Args = []string{cmd.Path, "cluster", "status", f.urls, "--json"}
	o, err := child.Run(f.ctx, cmd, 0)
	if err == nil {
		err = json.Unmarshal([]byte(o.Stdout), &s)
	}
	return s, err
}

// wait waits for the report of the search.
func (f *preachdbRun) wait() (*report.Report, error) {
	p := f.running[searching]
	if p == nil {
		return nil, f.err
	}
	<-p.Ended
	delete(f.running, searching)
	f.count(p)
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	return readReport(child.Output{Stdout: p.out.String(), Stderr: p.errs.String()})
}

// again kills and restarts all processes.
func (f *preachdbRun) again() {
	workers := 0
	for name, p := range f.running {
		if p.role == working {
			workers++
		}
		f.kill(name)
	}
	f.startServers()
	for i := range workers {
		f.start(working, worker(i), "worker", "--join", f.urls)
	}
	f.start(searching, searching, f.search...)
}

// lose kills a worker and a server, and removes the server's data.
func (f *preachdbRun) lose() {
	f.kill(worker(0))
	f.kill(server(0))
	f.err = os.RemoveAll(filepath.Join(f.dir, server(0)))
}

// killWorker kills a worker.
func (f *preachdbRun) killWorker() { f.kill(worker(0)) }
