package explore

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// twice is a judge that is shown all states several times, up and down.
type twice struct {
	begin  func(s *Space)
	seen   [][]string // by pass, in the order of states
	failed string
}

func (*twice) Met(uint32, bool, uint8) error { return nil }
func (*twice) Bytes() int                    { return 0 }

func (j *twice) Judge(ctx context.Context, s *Space) error {
	for pass, down := range []bool{true, false, true, false} {
		j.begin(s)
		seen := make([]string, s.Len())
		last := -1
		// The second pass wants some of the states only, so that some are kept and others are not.
		err := s.Pass(ctx, down, func(id uint32) bool { return pass > 0 || id%3 != 0 }, func(id uint32, row Shown, to []uint32) {
			if !down && int(id) <= last {
				j.failed = fmt.Sprintf("state %d is shown after %d", id, last)
			}
			last = int(id)
			text := fmt.Sprint(row.From(), slices.Clone(to))
			for k := range to {
				text += fmt.Sprint(row.Recovers(k))
			}
			if seen[id] != "" && s.Holds() {
				j.failed = fmt.Sprintf("state %d is shown twice", id)
			}
			seen[id] = text
		})
		if err != nil {
			return err
		}
		j.seen = append(j.seen, seen)
	}
	return nil
}

// What is kept is what would be shown without, for any size that there is room for, and whenever it is let go of.
func TestRowsAreShownAgain(t *testing.T) {
	kept := 0
	for seed := range 60 {
		g := rapid.Custom(drawGraph).Example(seed)
		for room := range 5 {
			j := &twice{begin: func(s *Space) {
				if s.rows.begin != nil {
					kept++
				}
				if room == 1 || room == 2 && len(s.rows.begin) > 0 {
					s.rows.drop()
				}
				if room == 3 {
					s.rows = rows{}
				}
			}}
			g.bad, g.failing = -1, -1
			l, err := New(g, Options{Judge: j})
			if err != nil {
				t.Fatal(err)
			}
			out := l.Run(context.Background())
			if out.Err != nil || j.failed != "" {
				t.Fatal(out.Err, j.failed)
			}
			for pass, seen := range j.seen {
				for id, text := range seen {
					if text != j.seen[1][id] && (pass > 0 || id%3 != 0) {
						t.Fatalf("seed %d: state %d is %s in pass %d, and %s", seed, id, text, pass, j.seen[1][id])
					}
				}
			}
		}
	}
	if kept == 0 {
		t.Error("nothing was kept")
	}
}

// A row says of each edge where it leads, which may be no state that was visited, and whether it is one of recovery.
func TestRowIsKept(t *testing.T) {
	l := &Loop{}
	l.out.States = 9
	s, r := &Space{loop: l}, rows{}
	notes, to := []uint8{Recovery | 3, 3, Recovery, 0}, []uint32{8, 7, NoPlace, NoPlace}
	r.keep(s, 4, notes, to)
	r.keep(s, 2, nil, nil)
	row, got := r.of(4, nil)
	if !slices.Equal(got, to) || !r.has(2) || r.has(3) {
		t.Errorf("%v", got)
	}
	for k := range row {
		if shown := (Shown{space: s, kept: row}); shown.Recovers(k) != (notes[k]&Recovery != 0) {
			t.Errorf("edge %d", k)
		}
	}
	if row, _ := r.of(2, nil); len(row) > 0 {
		t.Errorf("%v", row)
	}
}

// sheet is a graph of pairs of numbers, each of which grows, or falls back to half.
type sheet struct{ randomGraph }

const sheetSide = 120

func (*sheet) Words() int          { return 2 }
func (*sheet) Neighbours() []int32 { return []int32{0, 1} }
func (*sheet) Fingerprint(v []uint32) Fingerprint {
	return Fingerprint{Lo: hash(uint64(v[0])<<32 | uint64(v[1]) + 1), Hi: uint64(v[0])<<32 | uint64(v[1])}
}

func (s *sheet) Roots(e *Edges) error {
	e.End(s.Fingerprint([]uint32{0, 0}), 0)
	return nil
}

func (s *sheet) Expand(v []uint32, _ int, e *Edges) error {
	to := func(word int, value uint32, note uint8) {
		next := slices.Clone(v)
		next[word] = value
		e.Change(word, value)
		e.End(s.Fingerprint(next), note)
	}
	for word := range v {
		if v[word] < sheetSide-1 {
			to(word, v[word]+1, Recovery*uint8(word))
		}
		to(word, v[word]/2, Recovery)
	}
	return nil
}

func (*sheet) Check(m *Met) (bool, error) { return m.State[0] > 100 && m.State[1] == 3, nil }

// hungry looks for dead states, twice, and at what memory is taken when it is shown something.
type hungry struct {
	DeadStates
	own, takes, most, kept int
}

func (h *hungry) Bytes() int { return h.DeadStates.Bytes() + h.own }

func (h *hungry) Judge(ctx context.Context, s *Space) error {
	for pass := range 2 {
		h.own = pass * h.takes
		err := s.Pass(ctx, true, func(uint32) bool { return true }, func(id uint32, _ Shown, _ []uint32) {
			if id%16 == 0 {
				h.most, h.kept = max(h.most, s.loop.inUse()), max(h.kept, s.rows.bytes())
			}
		})
		if err != nil {
			return err
		}
	}
	return h.DeadStates.Judge(ctx, s)
}

// Judges keep to the memory that there is: what was kept is let go of, and where that does not suffice they stop. What they find is the
// same, whatever was kept.
func TestJudgesKeepToTheMemory(t *testing.T) {
	run := func(most, takes int, set VisitedSet) (*hungry, Result) {
		h := &hungry{takes: takes}
		l, err := New(&sheet{}, Options{Judge: h, MaxBytes: most, Visited: set})
		if err != nil {
			t.Fatal(err)
		}
		return h, l.Run(context.Background())
	}
	for _, set := range VisitedSets {
		free, out := run(0, 0, set)
		if !free.Checked || free.Dead == 0 || out.States != sheetSide*sheetSide || (free.kept > 0) != (set.Name == "exact") {
			t.Fatalf("%s: %+v, %+v", set.Name, free, out)
		}
		some, all := 0, 0
		for most := out.Bytes; most < out.Bytes+2<<20; most += 300_000 {
			h, x := run(most, 0, set)
			switch {
			case x.Stopped == "memory":
				continue
			case h.most > most:
				t.Errorf("%s: %d bytes in use, of %d", set.Name, h.most, most)
			case h.Checked && (h.Dead != free.Dead || h.Nearest != free.Nearest):
				t.Errorf("%s: %d are dead, not %d", set.Name, h.Dead, free.Dead)
			}
			if h.kept > 0 && h.kept < free.kept {
				some++
			} else if h.kept == free.kept {
				all++
			}
		}
		if h, x := run(out.Bytes+2<<20, 3<<20, set); h.Checked || h.Dead > 0 || x.Err != nil || !x.Complete {
			t.Errorf("%s: without memory %+v", set.Name, h)
		}
		if h, _ := run(out.Bytes+1<<20, 900<<10, set); !h.Checked || h.Dead != free.Dead {
			t.Errorf("%s: with what was kept let go of %+v", set.Name, h)
		}
		if set.Name == "exact" && (some == 0 || all == 0) {
			t.Errorf("%s: %d times something was kept, %d times all", set.Name, some, all)
		}
	}
}
