package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/live/recording"
	"github.com/macemc/macemc/live/wire"
	"github.com/macemc/macemc/sim"
)

// fleet is all nodes of a system as processes of this machine.
type fleet struct {
	a       *app
	flags   *liveFlags
	subject *check.Subject
	codec   *wire.Types
	dir     string
	peers   []string
	nodes   []*process // nil: killed
	ended   chan ended
	begun   time.Time
	crashed []string // what processes ended with that were not to end
	said    string   // of the properties, last
	report  liveReport
}

// process is one node.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	up     chan struct{} // closed: it has booted, which is recorded
	frozen chan struct{} // one for each time
	acted  chan string
	stuck  atomic.Pointer[string] // event whose handler does not return; nil or "": none
	told   string                 // of these, last
	done   chan struct{}
	killed bool
}

// ended tells of a process that has ended.
type ended struct {
	node int
	p    *process
	err  error
}

// liveReport is what is printed as JSON.
type liveReport struct {
	System       string         `json:"system"`
	Bugs         []string       `json:"bugs"`
	Nodes        int            `json:"nodes"`
	Verdict      string         `json:"verdict"` // ok, violation, inconclusive
	Seconds      float64        `json:"seconds"`
	Live         bool           `json:"live"`
	Properties   []liveProperty `json:"properties"`
	Finding      string         `json:"finding,omitempty"`
	Recording    string         `json:"recording"`
	Steps        int            `json:"steps"`
	Compared     int            `json:"states_compared"`
	Crashes      int            `json:"crashes"`
	Disagreement string         `json:"disagreement,omitempty"`
	Notes        []string       `json:"notes,omitempty"`
}

type liveProperty struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Holds bool   `json:"holds"`
}

func (a *app) liveAll(ctx context.Context, f *liveFlags, s *check.Subject) error {
	if a.respawn == nil {
		return errors.New("this program cannot start processes of its own kind")
	}
	deeds, err := f.schedule(s.System.Nodes)
	if err != nil {
		return err
	}
	x := &fleet{a: a, flags: f, subject: s, nodes: make([]*process, s.System.Nodes), ended: make(chan ended, 16)}
	if x.codec, err = wire.NewTypes(s.Entry.Messages...); err != nil {
		return err
	}
	if err := x.folder(); err != nil {
		return err
	}
	if x.peers, err = freeAddresses(s.System.Nodes); err != nil {
		return err
	}
	defer x.killAll()
	for node := range x.nodes {
		if err := x.start(node); err != nil {
			return err
		}
	}
	x.begun = time.Now()
	x.say("%d nodes of %s run on %s to %s; recordings in %s", s.System.Nodes, s.System.Name, x.peers[0],
		x.peers[len(x.peers)-1], x.recordings())
	x.watch(ctx, deeds)
	x.stop()
	return x.conclude()
}

func (x *fleet) recordings() string { return filepath.Join(x.dir, "recording") }

// folder finds a folder that nothing is in.
func (x *fleet) folder() error {
	if x.dir = x.flags.dir; x.dir != "" {
		if recording.IsDir(x.recordings()) {
			return fmt.Errorf("--dir %s already holds recordings; nothing is overwritten", x.dir)
		}
		return os.MkdirAll(x.dir, 0o755)
	}
	if err := os.MkdirAll(check.Root, 0o755); err != nil {
		return err
	}
	for n := 1; ; n++ {
		x.dir = filepath.Join(check.Root, fmt.Sprintf("live-%s-%d", x.subject.System.Name, n))
		err := os.Mkdir(x.dir, 0o755)
		if !errors.Is(err, os.ErrExist) {
			return err
		}
	}
}

// freeAddresses finds ports of 127.0.0.1 that nobody listens on.
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

func (x *fleet) say(format string, args ...any) {
	at := time.Duration(0)
	if !x.begun.IsZero() {
		at = time.Since(x.begun)
	}
	fmt.Fprintf(x.out(), "%5.1fs  %s\n", at.Seconds(), fmt.Sprintf(format, args...))
}

// out is where people read what is going on.
func (x *fleet) out() io.Writer {
	if x.flags.json {
		return x.a.stderr
	}
	return x.a.stdout
}

func (x *fleet) start(node int) error {
	cmd := x.a.respawn()
	args := []string{cmd.Args[0], "live", x.subject.System.Name, "--control", "--node", strconv.Itoa(node),
		"--peers", strings.Join(x.peers, ","), "--nodes", strconv.Itoa(len(x.peers)),
		"--dir", filepath.Join(x.dir, fmt.Sprintf("n%d", node)), "--record", x.recordings(),
		"--await", x.flags.await.String(), "--pause", x.flags.slow.String()}
	for _, id := range x.flags.bugs {
		args = append(args, "--bug", id)
	}
	for _, set := range x.flags.set {
		args = append(args, "--set", set)
	}
	if x.flags.idle {
		args = append(args, "--idle")
	}
	if x.flags.verbose {
		args = append(args, "--verbose")
	}
	cmd.Args, cmd.Stderr = args, x.a.stderr
	ownGroup(cmd)
	p := &process{cmd: cmd, up: make(chan struct{}), frozen: make(chan struct{}, 1), acted: make(chan string, 1), done: make(chan struct{})}
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	x.nodes[node] = p
	go func() {
		for in := bufio.NewScanner(stdout); in.Scan(); {
			if event, ok := strings.CutPrefix(in.Text(), "stuck "); ok {
				p.stuck.Store(&event)
				continue
			}
			switch in.Text() {
			case "up":
				close(p.up)
			case "frozen":
				select {
				case p.frozen <- struct{}{}:
				default: // nobody has waited for the last one
				}
			case "done", "not done":
				select {
				case p.acted <- in.Text():
				default:
				}
			}
		}
		err := cmd.Wait()
		close(p.done)
		x.ended <- ended{node, p, err}
	}()
	return nil
}

// do kills or starts a node.
func (x *fleet) do(d deed) {
	switch p := x.nodes[d.node]; {
	case d.kill && p == nil:
		x.say("n%d is not up", d.node)
	case d.kill:
		p.killed = true
		_ = p.cmd.Process.Kill()
		<-p.done
		x.nodes[d.node] = nil
		x.say("n%d is killed", d.node)
	case p != nil:
		x.say("n%d is up", d.node)
	default:
		if err := x.start(d.node); err != nil {
			x.say("n%d cannot be started: %v", d.node, err)
			return
		}
		x.say("n%d is started", d.node)
	}
}

// watch lets the nodes run until there is a reason to end.
func (x *fleet) watch(ctx context.Context, deeds []deed) {
	commands := x.commands()
	var limit <-chan time.Time
	if x.flags.time > 0 {
		limit = time.After(x.flags.time)
	}
	look := time.NewTimer(100 * time.Millisecond)
	for {
		var next <-chan time.Time
		if len(deeds) > 0 {
			next = time.After(max(0, time.Until(x.begun.Add(deeds[0].at))))
		}
		select {
		case <-ctx.Done():
			x.say("stopped")
			return
		case <-limit:
			x.say("the time is up")
			return
		case <-next:
			x.do(deeds[0])
			deeds = deeds[1:]
		case e := <-x.ended:
			if x.nodes[e.node] == e.p {
				x.nodes[e.node] = nil
				x.crashed = append(x.crashed, fmt.Sprintf("n%d: %v", e.node, e.err))
				x.say("n%d has ended: %v", e.node, e.err)
				return
			}
		case line, ok := <-commands:
			if !ok {
				commands = nil
			} else if x.command(line) {
				return
			}
		case <-look.C:
			began := time.Now()
			x.tellStuck()
			if live := x.look(false); live && x.flags.until == "live" && len(deeds) == 0 && x.endsLive() {
				return
			}
			look.Reset(max(200*time.Millisecond, 4*time.Since(began)))
		}
	}
}

// commands are the lines of standard input.
func (x *fleet) commands() <-chan string {
	lines := make(chan string)
	if x.a.stdin == nil {
		return nil
	}
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(x.a.stdin); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines
}

// command does what a person has typed; true: to end.
func (x *fleet) command(line string) bool {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "quit":
		return true
	case "state":
		x.look(true)
		return false
	case "kill", "start", "do":
		if len(words) == 3 || words[0] != "do" && len(words) == 2 {
			if n, err := strconv.Atoi(words[1]); err == nil && n >= 0 && n < len(x.nodes) {
				if words[0] == "do" {
					x.act(n, words[2])
				} else {
					x.do(deed{0, words[0] == "kill", n})
				}
				return false
			}
		}
	}
	x.say("%q is no command; known are kill N, start N, do N ACTION (N from 0 to %d), state, quit", line, len(x.nodes)-1)
	return false
}

// stuckIn is the event whose handler does not return, "" when there is none.
func (p *process) stuckIn() string {
	if s := p.stuck.Load(); s != nil {
		return *s
	}
	return ""
}

// tellStuck says which handlers do not return, when that has changed.
func (x *fleet) tellStuck() {
	for node, p := range x.nodes {
		if p == nil || p.stuckIn() == p.told {
			continue
		}
		if was := p.told; p.stuckIn() == "" {
			x.say("n%d: the handler has returned: %s", node, was)
		} else {
			x.say("n%d: a handler does not return: %s", node, p.stuckIn())
		}
		p.told = p.stuckIn()
	}
}

// act has a node do an action, and waits until it has.
func (x *fleet) act(node int, action string) {
	p := x.nodes[node]
	if p == nil {
		x.say("n%d is not up", node)
		return
	}
	if !slices.Contains(x.subject.System.ActionNames(), action) {
		x.say("there is no action %q; there are %s", action, strings.Join(x.subject.System.ActionNames(), ", "))
		return
	}
	_, _ = io.WriteString(p.stdin, "do "+action+"\n")
	select {
	case did := <-p.acted:
		x.say("n%d %s %s", node, map[bool]string{true: "does", false: "cannot do"}[did == "done"], action)
	case <-p.done:
	case <-time.After(10 * time.Second):
		x.say("n%d does not answer", node)
	}
}

// isUp reports whether the process runs and has booted.
func (p *process) isUp() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.up:
		return true
	default:
		return false
	}
}

// down lists the nodes that are not up.
func (x *fleet) down() string {
	var list []string
	for node, p := range x.nodes {
		if !p.isUp() {
			list = append(list, fmt.Sprintf("n%d", node))
		}
	}
	return strings.Join(list, ", ")
}

// endsLive reports whether the system is live when all nodes stand still, which then is how it ends. Else they
// go on.
func (x *fleet) endsLive() bool {
	if x.freeze() == "" && x.look(false) {
		return true
	}
	x.order("thaw")
	return false
}

// look shows which properties hold, when that has changed or all is asked for, and reports whether the
// system is live with all nodes up.
func (x *fleet) look(all bool) bool {
	down := x.down()
	set, err := recording.ReadDir(x.recordings())
	if err != nil {
		return false // not all have begun
	}
	set.Tear()
	sys, err := x.subject.System.WithLimits(sim.Limits{})
	if err != nil {
		return false
	}
	state, err := recording.Reach(sys, set, x.codec)
	if err != nil {
		x.say("%v", err)
		return false
	}
	w := state.World
	live := state.Finding == nil && state.Disagreement == nil && w.Check() == nil && w.Live()
	said := ""
	switch {
	case state.Disagreement != nil:
		said = "the checker does not agree with what was recorded: " + state.Disagreement.Error()
	case live && down != "":
		said = "all properties hold of what is recorded, but not up: " + down
	case live:
		said = "live: all properties hold"
	default:
		var failing []string
		for i := range sys.Properties {
			if p := &sys.Properties[i]; p.Sometimes == nil && !w.Holds(p) {
				failing = append(failing, p.Name)
			}
		}
		said = "does not hold: " + strings.Join(failing, "; ")
	}
	if said != x.said || all {
		x.say("%s", said)
		x.said = said
	}
	if all {
		for node := range x.nodes {
			if !x.nodes[node].isUp() {
				fmt.Fprintf(x.out(), "        n%d is not up\n", node)
				continue
			}
			fmt.Fprintf(x.out(), "        %s\n", stateLine(node, w.NodeFields(sim.NodeID(node))))
		}
	}
	return live && down == ""
}

// stop ends all nodes, as far as can be at the same moment.
func (x *fleet) stop() {
	if silent := x.freeze(); silent != "" {
		x.crashed = append(x.crashed, silent+" does not answer: a handler does not return")
	}
	x.order("stop")
	late := time.NewTimer(10 * time.Second)
	defer late.Stop()
	for _, p := range x.nodes {
		if p != nil {
			if p.stuckIn() != "" {
				_ = p.cmd.Process.Kill()
			}
			select {
			case <-p.done:
			case <-late.C:
				late.Reset(0)
			}
		}
	}
}

// order tells all nodes that run to do something.
func (x *fleet) order(what string) {
	for _, p := range x.nodes {
		if p != nil {
			_, _ = io.WriteString(p.stdin, what+"\n")
		}
	}
}

// freeze makes all nodes that are up stand still, and returns which do not, "" when all do.
func (x *fleet) freeze() (silent string) {
	asked := make([]*process, len(x.nodes))
	for node, p := range x.nodes {
		if p.isUp() {
			asked[node] = p
			select {
			case <-p.frozen: // of an answer that came too late
			default:
			}
			_, _ = io.WriteString(p.stdin, "freeze\n")
		}
	}
	limit := time.Now().Add(10 * time.Second)
	var list []string
	for node, p := range asked {
		if p == nil {
			continue
		}
		patience := max(time.Until(limit), time.Second)
		if p.stuckIn() != "" {
			patience = time.Second // it had its time already
		}
		select {
		case <-p.frozen:
		case <-p.done:
		case <-time.After(patience):
			name := fmt.Sprintf("n%d", node)
			if event := p.stuckIn(); event != "" {
				name += " (" + event + ")"
			}
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

func (x *fleet) killAll() {
	for _, p := range x.nodes {
		if p != nil {
			_ = p.cmd.Process.Kill()
			<-p.done
		}
	}
}

// conclude executes the whole run in the checker and says what came of it.
func (x *fleet) conclude() error {
	r := &x.report
	r.System, r.Bugs, r.Nodes = x.subject.System.Name, append([]string{}, x.subject.Config.Bugs...), len(x.nodes)
	r.Seconds, r.Recording = time.Since(x.begun).Seconds(), x.recordings()
	m, err := check.MergeRecordings(x.a.systems, x.recordings())
	if err != nil {
		return err
	}
	l := &check.Loaded{System: m.System, Header: m.File.Header, Path: m.Path}
	t, err := l.Trace(-1)
	if err != nil {
		return err
	}
	r.Steps, r.Compared, r.Crashes, r.Notes = len(t.Steps), m.Compared, m.System.Crashes, m.Notes
	r.Live = x.down() == "" && t.Finding == nil
	for _, p := range t.Properties {
		r.Properties = append(r.Properties, liveProperty{p.Name, p.Kind, p.Holds})
		r.Live = r.Live && (p.Holds || p.Kind == "sometimes")
	}
	if t.Finding != nil {
		r.Finding = t.Finding.Error()
	} else if len(x.crashed) > 0 {
		r.Finding = strings.Join(x.crashed, "; ")
	}
	r.Verdict = "inconclusive"
	status := check.StatusInconclusive
	if m.Disagreement != nil {
		r.Disagreement = m.Disagreement.Error()
	}
	switch {
	case r.Finding != "":
		r.Verdict, status = "violation", check.StatusViolation
	case r.Live && m.Disagreement == nil:
		r.Verdict, status = "ok", check.StatusOK
	}
	if x.flags.json {
		if err := writeJSON(x.a.stdout, r); err != nil {
			return err
		}
	} else {
		x.tell(r)
	}
	if status == check.StatusOK {
		return nil
	}
	return statusError(status)
}

func (x *fleet) tell(r *liveReport) {
	out := x.out()
	fmt.Fprintf(out, "\n%s: %s after %.1fs, %d nodes, %d steps\n", r.System,
		map[bool]string{true: "live", false: "not live"}[r.Live], r.Seconds, r.Nodes, r.Steps)
	for _, p := range r.Properties {
		state := "holds"
		if !p.Holds {
			state = "does not hold"
		}
		fmt.Fprintf(out, "  %-13s  %s: %s\n", state, p.Kind, p.Name)
	}
	if r.Finding != "" {
		fmt.Fprintf(out, "  found: %s\n", r.Finding)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(out, "  note: %s\n", n)
	}
	if r.Disagreement != "" {
		fmt.Fprintf(out, "  the checker does not agree with what was recorded: %s\n", r.Disagreement)
	} else {
		fmt.Fprintf(out, "  the checker comes to the same %d recorded states\n", r.Compared)
	}
	commands := [][2]string{{"look", "mdb"}, {"onward", "search --from"}}
	if !r.Live && r.Finding == "" {
		commands = append(commands, [2]string{"dead?", "critical"})
	}
	for _, c := range commands {
		fmt.Fprintf(out, "  %-7s %s %s %s\n", c[0]+":", x.a.program, c[1], shellWord(r.Recording))
	}
}
