package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/search/strategy"
)

// Bad input yields one clear line on standard error and exit status 2, and no file is written.
func TestBadInput(t *testing.T) {
	good, err := os.ReadFile(testdata(t, "pingack.path"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	file := func(name, content string) {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	change := func(name, old, new string) {
		if !strings.Contains(string(good), old) {
			t.Fatalf("the path has no %q", old)
		}
		file(name, strings.Replace(string(good), old, new, 1))
	}
	file("plain", "")
	file("good.path", string(good))
	file("randtree.path", "macemc path 1\nsystem randtree\nnodes 3\nseed 1\nend 0\n")
	// Before its last ping the run is live.
	head, _, _ := strings.Cut(string(good), "\n0 action n0 ping # n0 Sent 1->2")
	file("live.path", head+"\nend 3\n")
	file("cut.path", string(good[:len(good)/2]))
	change("version.path", "macemc path 1", "macemc path 9")
	change("system.path", "system pingack", "system paxos17")
	change("other.path", "system pingack", "system randtree")
	change("nodes.path", "nodes 2", "nodes 3")
	change("limit.path", "limit loss=1", "limit luck=1")
	change("many.path", "limit loss=1", "limit loss=2000000")
	change("timing.path", "timing ByDeadline", "timing Sometimes")
	change("step.path", "lose n0<-n1 Ack", "lose n0<-n1 Nack")
	before := files(t, dir)

	for _, c := range []struct{ args, want string }{
		{"frob", `unknown command "frob"`},
		{"pingack", `unknown command "pingack"; did you mean macemc search pingack?`},
		{"./...", `unknown command "./..."; did you mean macemc search ./...?`},
		{"good.path", `unknown command "good.path"; did you mean macemc mdb good.path?`},
		{"completion fihs", `unknown shell "fihs"; did you mean fish?`},
		{"search", "macemc search needs a SYSTEM"},
		{"help frob", `unknown command "frob"`},
		{"help durable rechek", `unknown command "rechek"; did you mean recheck?`},
		{"search pingack --property=", "--property is given without a value; see macemc search --help"},
		{"search pingack --property a --property b", `invalid argument "b" for "--property" flag: only one is allowed, and "a" was given before; see macemc search --help`},
		{"graph good.path --nodes=", "--nodes is given without a value; see macemc graph --help"},
		{"search pingack --crash-cut some", `--crash-cut "some" is not one of none, prefix, subset`},
		{"search pingack --interleave random", "--interleave random: no service of pingack uses package bubble, so there are no goroutines to interleave"},
		{"search pingack --json=maybe", `--json "maybe" is neither true nor false; see macemc search --help`},
		{"search pingack --prefixes 2 --strategy bfs", "--prefixes needs a strategy that makes random walks (deepening, walk, faulty, swarm), not bfs"},
		{"search --from .", ". is a folder without recordings of live nodes; name a path file"},
		{"replay .", ". is a folder without recordings of live nodes; name a path file"},
		{"critical good.path --seed 0", "--seed is 0, must be at least 1"},
		{"shrink good.path --seed 0", "--seed is 0, must be at least 1"},
		{"live randtree --nodes 0", "--nodes is 0, must be at least 1"},
		{"merge", "macemc merge needs a PATH; see macemc merge --help"},
		{"search pingack --junit no-such/j.xml", "--junit: open no-such/j.xml: "},
		{"observe", "macemc observe needs a FILE or a SYSTEM and LOGS; see macemc observe --help"},
		{"search pingack -nodes 3", "unknown flag: -nodes; did you mean --nodes?; see macemc search --help"},
		{"search pingack -nodes=3", "unknown flag: -nodes; did you mean --nodes?; see macemc search --help"},
		{"search pingack more", "macemc search takes one SYSTEM, got 2: pingack more"},
		{"search pinkack", `unknown system "pinkack"; did you mean pingack?`},
		{"systems pinkack", `unknown system "pinkack"; did you mean pingack?`},
		{"search randtree --bug RT99", `system "randtree": unknown bug "RT99"; did you mean RT`},
		{"search randtree --bug RT1 --bug RT1", "--bug RT1 is given twice"},
		{"search pingack --property every_ping_is_acknowledge", `unknown property "every_ping_is_acknowledge"; did you mean every ping is acknowledged?`},
		{"search pingack --nodes 3", `system "pingack": 3 nodes, must be 2`},
		{"search pingack --nodes 0", "--nodes is 0, must be at least 1"},
		{"search randtree --set degre=2", `unknown parameter "degre"; did you mean degree?`},
		{"search randtree --set degree=many", `parameter degree is "many", must be a number from 1 to 64`},
		{"search randtree --set degree", `--set "degree" is not of the form KEY=VALUE`},
		{"search randtree --set degree=1 --set degree=2", "--set degree is given twice"},
		{"search randtree --loss 1", `system "randtree": `},
		{"search pingack --net-errors 1", `system "pingack": `},
		{"search pingack --crashes -1", "--crashes is -1, must be at least 0"},
		{"search pingack --timing soon", `--timing "soon" is not one of ByDeadline, AnyOrder, Prompt, Bounded:DURATION`},
		{"search pingack --strategy best", `--strategy "best" is not available; accepted are ` + strings.Join(strategy.Names(0), ", ")},
		{"search pingack --strategy walk --depth 3", "--depth needs a strategy that bounds the depth (deepening, bfs, dfs), not walk"},
		{"search pingack --engine fast", `--engine "fast" is not available; accepted are auto, table, replay`},
		{"search pingack --strategy walk --visited 64", "--visited 64 needs a strategy that keeps states (deepening, bfs, dfs), not walk"},
		{"search pingack --strategy bfs --visited 32", `strategy bfs: visited set "32" is not one of exact, 64, 128`},
		{"search pingack --visited exact", `visited set "exact" of strategy deepening is neither none nor a number of bits, 1 to 128`},
		{"search pingack --strategy bfs --reduce most", `--reduce "most" is not available; accepted are none, drop, full`},
		{"search pingack --strategy walk --reduce full", "--reduce full needs a strategy that visits all states (bfs, dfs), not walk"},
		{"search pingack --reduce drop", "--reduce drop needs a strategy that visits all states (bfs, dfs), not deepening"},
		{"search pingack --strategy walk --memory 5", "--memory needs a strategy that keeps states"},
		{"search pingack --strategy bfs --max-paths 5",
			"--max-paths needs a strategy that makes random walks (" + strings.Join(strategy.Names(strategy.Walks), ", ") + "), not bfs"},
		{"search pingack --shortest", "--shortest needs a strategy that visits all states (bfs, dfs), not deepening"},
		{"search pingack --crash-model auto", "--crash-model auto needs a strategy that visits all states"},
		{"search pingack --strategy bfs --crash-model some", "accepted are explicit, implicit, auto"},
		{"search paxos --strategy bfs --crash-model implicit", "--crash-model implicit omits crashes, and no node of paxos crashes or halts within the limits; give --crashes or --halts, too"},
		{"search paxos --strategy bfs --crash-model auto --crashes 0 --halts 0", "--crash-model auto omits crashes, and no node"},
		{"search paxos --crash-cut subset", "--crash-cut subset defines the effects of steps in which nodes fail, and no node of paxos crashes or halts"},
		{"search paxos --crash-cut none --halts 0", "--crash-cut none defines the effects of steps in which nodes fail, and no node"},
		{"search paxos --strategy walk --symmetry", "--symmetry needs a strategy that visits all states (bfs, dfs), not walk"},
		{"search pingack --strategy bfs --deepen-by 5", "--deepen-by needs a strategy that deepens iteratively (deepening), not bfs"},
		{"search pingack --deepen-by -1", "--deepen-by is -1, must be at least 1"},
		{"search pingack --strategy walk --alone", "--alone needs a strategy that deepens iteratively (deepening), not walk"},
		{"search pingack --strategy bfs --memory -1", "--memory is -1, must not be negative"},
		{"search pingack --strategy bfs --engine replay", "strategy bfs needs the engine table"},
		{"search pingack --strategy dfs --engine replay", "strategy dfs needs the engine table"},
		{"search pingack --unbiased --weights action=2", "--unbiased and --weights contradict each other"},
		{"search --from a --prefixes 2", "--from and --prefixes contradict each other"},
		{"search pingack --weights luck=1", `--weights: unknown class "luck"; known are action, message, timer, consequence, fault`},
		{"search pingack --weights action", `--weights: "action" is not of the form CLASS=WEIGHT`},
		{"search pingack --weights action=1,action=2", "--weights: action is given twice"},
		{"search pingack --weights timer=-1", `--weights: timer is "-1", must be a number from 0 to 1073741824`},
		{"search pingack --weights timer=0", "--weights: timer is 0, must be at least 1: walks could not recover"},
		{"search pingack --seed 0", "--seed is 0, must be at least 1"},
		{"search pingack --time -1s", "--time is -1s, must not be negative"},
		{"search pingack --handler-limit 0", "--handler-limit is 0s, must be positive"},
		{"search pingack --depth 0", "--depth is 0, must be at least 1"},
		{"search pingack --walks 0", "--walks is 0, must be at least 1"},
		{"search pingack --max-paths -5", "--max-paths is -5, must be at least 1"},
		{"search pingack --workers 0", "--workers is 0, must be at least 1"},
		{"search pingack --colour", "unknown flag: --colour; see macemc search --help"},
		{"search pingack --tiem 5s", "unknown flag: --tiem; did you mean --time?; see macemc search --help"},
		{"graph good.path --node 1", "unknown flag: --node; did you mean --nodes"},
		{"search pingack --time 5", `--time "5" is not a time with a unit, as in --time 5s; see macemc search --help`},
		{"search pingack --time soon", `--time "soon" is not a time with a unit, as in --time 90s; `},
		{"search pingack --loss few", `--loss "few" is not a whole number in range; `},
		{"search pingack --out plain", "cannot write to the output folder: "},
		{"search pingack --out plain/sub", "cannot write to the output folder: "},
		{"search --from missing.path", "open missing.path: no such file or directory"},
		{"replay", "macemc replay needs a FILE"},
		{"replay missing.path", "open missing.path: no such file or directory"},
		{"replay plain", "plain: line 1: the file is empty"},
		{"replay cut.path", "the file is truncated"},
		{"replay version.path", "version.path: line 1: the file has format version 9; this program reads version 1"},
		{"replay system.path", `system.path: line 2: unknown system "paxos17"; did you mean paxos?`},
		{"replay other.path", `other.path: line `},
		{"replay nodes.path", `nodes.path: line 3: system "pingack": 3 nodes, must be 2`},
		{"replay many.path", `many.path: line 4: the limit of lost datagrams (loss) is 2000000, must be 0 to 1000000`},
		{"search pingack --loss 999999999999", "the limit of lost datagrams (loss) is 999999999999, must be 0 to 1000000"},
		{"search pingack --dup 2147483648", "the limit of duplicated datagrams (dup) is 2147483648, must be 0 to 1000000"},
		{"search pingack --crashes 1000001", "the limit of crashes is 1000001, must be 0 to 1000000"},
		{"search pingack --partitions 1000001", "the limit of partitions is 1000001, must be 0 to 1000000"},
		{"search pingack --strategy bfs --loss 999999999999", "the limit of lost datagrams (loss) is 999999999999, must be 0 to 1000000"},
		{"search randtree --net-errors 1000001", "the limit of socket errors (net-errors) is 1000001, must be 0 to 1000000"},
		{"replay limit.path", `limit.path: line 4: unknown limit "luck"`},
		{"replay timing.path", `timing.path: line 5: timing "Sometimes" is not one of`},
		{"replay step.path", "step.path: line "},
		{"replay plain --to -3", "--to is -3, must not be negative"},
		{"critical cut.path", "the file is truncated"},
		{"critical step.path", "step.path: line "},
		{"critical plain --walks 0", "--walks is 0, must be at least 1"},
		{"graph", "macemc graph needs a FILE"},
		{"graph good.path --format png", `--format "png" is not available; accepted are text, svg, html, mermaid, json`},
		{"graph good.path --from 10", "good.path: no step 10; the run has 9"},
		{"graph good.path --from 5 --to 4", "good.path: steps 5 to 4: the last is before the first"},
		{"graph good.path --nodes 2", "good.path: there is no node 2; nodes are 0 to 1"},
		{"graph good.path --nodes all", `--nodes "all" is not a list of numbers like 0,2`},
		{"graph good.path --classes luck", `--classes: unknown class "luck"; known are messages, timers, actions, errors, faults`},
		{"graph good.path --fold -1", "--fold is -1, must not be negative"},
		{"graph good.path --critical 10", "good.path: no step 10 to mark; the run has 9"},
		{"graph good.path -o plain", "plain exists; --force overwrites it"},
		{"graph good.path -o missing/x.svg", "open missing/x.svg: no such file or directory"},
		{"graph good.path -o plain/x.svg", "plain/x.svg: not a directory"},
		{"graph good.path -o .", ". is a folder; name a file"},
		{"graph version.path", "version.path: line 1: the file has format version 9; this program reads version 1"},
		{"graph system.path", `system.path: line 2: unknown system "paxos17"`},
		{"graph step.path", "step.path: line "},
		{"shrink step.path", ": code or settings have changed since the run was written; mctest.Replay executes the steps that still apply"},
		{"report", "macemc report needs a FILE"},
		{"report good.path --format svg", `--format "svg" is not available; accepted are html, markdown, json, text`},
		{"report good.path --walks 0", "--walks is 0, must be at least 1"},
		{"report good.path -o plain", "plain exists; --force overwrites it"},
		{"report version.path", "version.path: line 1: the file has format version 9; this program reads version 1"},
		{"report other.path", "other.path: line "},
		{"report live.path", "live.path: the run contains no violation: no finding in any step, and no liveness violation at its end; macemc graph live.path draws it"},
		{"report good.path --walks 5 --walk-steps 100 --live missing.path", "open missing.path: no such file or directory"},
		{"report good.path --walks 5 --walk-steps 100 --live good.path", "good.path: its last state is not live"},
		{"report good.path --walks 5 --walk-steps 100 --live randtree.path", `randtree.path: line 2: the path is for system "randtree", not "pingack"`},
	} {
		stdout, stderr, status := run(t, strings.Fields(strings.ReplaceAll(c.args, "_", " "))...)
		if strings.Contains(c.args, "_") { // one argument with blanks
			words := strings.Fields(c.args)
			words[len(words)-1] = strings.ReplaceAll(words[len(words)-1], "_", " ")
			stdout, stderr, status = run(t, words...)
		}
		want := strings.ReplaceAll(c.want, "_", " ")
		if status != 2 || stdout != "" || !strings.HasPrefix(stderr, "macemc: ") || !strings.Contains(stderr, want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("macemc %s: exit status %d\nstdout: %s\nstderr: %s\nwant:   %s", c.args, status, stdout, stderr, want)
		}
	}
	if after := files(t, dir); after != before {
		t.Errorf("files before:\n%s\nafter:\n%s", before, after)
	}
}

// files returns all files below dir with their content.
func files(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		b.WriteString(path + "\n")
		if !d.IsDir() {
			text, err := os.ReadFile(path)
			b.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
