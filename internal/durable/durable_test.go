package durable

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

func manifest() *Manifest {
	return &Manifest{System: "bank", Nodes: 3, Params: map[string]string{"clients": "2"}, Limits: sim.Limits{sim.Crashes: 1}, Visited: "64",
		Properties: []string{"no money is lost"}, Builds: []Build{{Program: "v1", Binary: "aa"}}}
}

// block is the first block of a log: some states, and some of them are expanded.
func block(states, expanded int) *explore.Block {
	b := &explore.Block{Mark: explore.Mark{States: states, Expanded: expanded}}
	for i := range states {
		b.Origins = append(b.Origins, explore.Origin{EdgeIndex: uint32(i)})
	}
	return b
}

func open(t *testing.T, dir string, m *Manifest, mode Mode) *Folder {
	t.Helper()
	f, err := Open(dir, m, mode)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func closed(t *testing.T, f *Folder) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	refused := func(m *Manifest, mode Mode, why string) {
		t.Helper()
		if f, err := Open(dir, m, mode); err == nil {
			f.Close()
			t.Errorf("not refused: %s", why)
		} else if !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
	}
	refused(manifest(), Recheck, " holds no search")
	f := open(t, dir, manifest(), Resume)
	if f.Before != 0 || f.Changed != "" {
		t.Errorf("got %+v, want nothing done before, and no change", f)
	}
	refused(manifest(), Resume, "in another process")
	if s, err := Look(dir); err != nil || !s.InUse {
		t.Errorf("%+v %v", s, err)
	} else {
		s.Log.Close()
	}
	if err := f.Append(block(5, 0)); err != nil {
		t.Fatal(err)
	}
	closed(t, f)
	refused(manifest(), Begin, "holds a search already")
	refused(manifest(), Recheck, "not finished, 5 states wait")

	for _, c := range []struct {
		change func(*Manifest)
		why    string
	}{
		{func(m *Manifest) { m.System = "other" }, "system: bank there, other here"},
		{func(m *Manifest) { m.Nodes = 4 }, "nodes: 3 there, 4 here"},
		{func(m *Manifest) { m.Limits[sim.Crashes] = 0 }, "crashes: 1 there, 0 here"},
		{func(m *Manifest) { m.Limits[sim.Halts] = 1 }, "halts: 0 there, 1 here"},
		{func(m *Manifest) { m.Limits[sim.Loss] = 2 }, "loss: 0 there, 2 here"},
		{func(m *Manifest) { m.Params = nil }, "parameter clients: 2 there, none here"},
		{func(m *Manifest) { m.Params["x"] = "1" }, "parameter x: none there, 1 here"},
		{func(m *Manifest) { m.Timing = "AnyOrder" }, "timing: none there, AnyOrder here"},
		{func(m *Manifest) { m.Visited = "128" }, "visited: 64 there, 128 here"},
		{func(m *Manifest) { m.Properties = append(m.Properties, "more") }, "macemc durable recheck"},
	} {
		m := manifest()
		c.change(m)
		refused(m, Resume, c.why)
	}

	// Another program is named once it has gone on.
	other := func() *Manifest {
		m := manifest()
		m.Builds[0] = Build{Program: "v2", Binary: "bb"}
		return m
	}
	f = open(t, dir, other(), Resume)
	if f.Changed != "v1" || f.Before != 5 {
		t.Errorf("%q, %d states before", f.Changed, f.Before)
	}
	closed(t, f)
	if m, err := Load(dir); err != nil || len(m.Builds) != 1 {
		t.Errorf("%+v %v", m, err)
	}
	left := filepath.Join(dir, "spill-1") // by a search that was killed
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f = open(t, dir, other(), Resume)
	if _, err := os.Stat(left); err == nil {
		t.Errorf("%s is left", left)
	}
	if err := f.Append(&explore.Block{Mark: explore.Mark{States: 5, Expanded: 5}}); err != nil {
		t.Fatal(err)
	}
	closed(t, f)
	if m, err := Load(dir); err != nil || len(m.Builds) != 2 || m.Builds[1].Program != "v2" {
		t.Errorf("%+v %v", m, err)
	}

	m := other()
	m.Properties = []string{"another one"}
	f = open(t, dir, m, Recheck)
	if f.Before != 5 || f.Append(block(1, 0)) == nil {
		t.Errorf("got %+v, want 5 blocks, and no more", f)
	}
	closed(t, f)
}

// A manifest that is damaged, of another format, or not there is refused, or differs.
func TestManifestDamaged(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, manifest(), Begin)
	if err := f.Append(block(5, 0)); err != nil {
		t.Fatal(err)
	}
	closed(t, f)
	name := filepath.Join(dir, manifestFile)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, why string }{
		{`"nodes": 3`, `"nodes": 7`, "nodes: 7 there"},
		{`"nodes"`, `"nodez"`, "unknown field"},
		{`"format": 1`, `"format": 3`, "format 3"},
		{`{`, ``, "cannot unmarshal"},
	} {
		changed := strings.Replace(string(data), c.old, c.new, 1)
		if err := os.WriteFile(name, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, manifest(), Resume); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, manifest(), Resume); err == nil || !strings.Contains(err.Error(), "no manifest") {
		t.Error(err)
	}
}

func TestBuild(t *testing.T) {
	a := NewBuild("v1", nil, 0)
	b := a
	if b.Bugs = []string{"X"}; len(a.Binary) != 64 || !a.Same(&a) || a.Same(&b) || !slices.Equal(b.Bugs, []string{"X"}) {
		t.Errorf("%+v %+v", a, b)
	}
}
