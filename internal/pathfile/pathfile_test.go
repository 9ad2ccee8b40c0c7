package pathfile_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/pathfile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func example() *pathfile.File {
	return &pathfile.File{
		Header: pathfile.Header{
			System:       "randtree",
			Nodes:        3,
			Package:      "example.org/a-b",
			Test:         "TestTree/three nodes",
			Params:       []pathfile.Param{{"retries", "3"}, {"name", " padded"}, {"odd=key", "a=b"}},
			Bugs:         []string{"RT5", "RT12"},
			Limits:       []pathfile.Limit{{"loss", 1}, {"crashes", 0}},
			Timing:       "AnyOrder",
			Surroundings: pathfile.Surroundings{AsLive: true, Instant: 1773500966123456789},
			Seed:         18446744073709551615,
			Schedule:     "pos-weighted",
			Finding:      "liveness",
			Endless:      true,
			Round:        1,
			Property:     "every ping is acknowledged",
			Known:        "https://example.org/issues/12",
			Note:         "two\nlines",
		},
		Boot: []pathfile.Pick{{choose.Draw, 1, "first peer"}, {choose.Compare, 0, ""}},
		Steps: []pathfile.Step{
			{Index: 0, Key: "action n0 ping"},
			{Index: 1, Key: "deliver n1<-n0 Ping{Seq:1}", Comment: "n1 Seen 0->1",
				Picks: []pathfile.Pick{{choose.Draw, 2, "peer"}, {choose.Compare, 1, ""}}},
			{Index: 0, Key: "timer n0 resend{}", Comment: " # odd",
				Picks: []pathfile.Pick{{choose.Fault, 0, "no crash"}}},
			{Index: 2, Key: `deliver n0<-n1 Text{"a|b"}`, Comment: `"quoted"`,
				Picks: []pathfile.Pick{{choose.Fault, 2, "crash (here)"}, {choose.Outcome, 0, ""}}},
			{Index: 7, Key: "crash n1"},
		},
	}
}

func write(t testing.TB, f *pathfile.File) string {
	t.Helper()
	var b bytes.Buffer
	n, err := f.WriteTo(&b)
	if err != nil {
		t.Fatal(err)
	}
	if n != int64(b.Len()) {
		t.Fatalf("WriteTo returned %d for %d bytes", n, b.Len())
	}
	return b.String()
}

// bare removes the fields that only Parse sets.
func bare(f *pathfile.File) *pathfile.File {
	f.Lines = nil
	for i := range f.Steps {
		f.Steps[i].Line = 0
	}
	return f
}

func TestGolden(t *testing.T) {
	const name = "testdata/example.path"
	got := write(t, example())
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (rewrite it with -update):\n%s", name, got)
	}
	f, err := pathfile.Parse(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if f.Lines["system"] != 2 || f.Lines["param odd=key"] != 8 || f.Lines["schedule"] != 17 || f.Lines["round"] != 21 || f.Lines["boot"] != 23 || f.Steps[4].Line != 28 {
		t.Errorf("lines %v, of the last step %d", f.Lines, f.Steps[4].Line)
	}
	wantFile := example()
	wantFile.Steps[2].Picks = nil // a fault that did not strike is not listed
	if !reflect.DeepEqual(bare(f), wantFile) {
		t.Errorf("parsed:\n%+v\nwant:\n%+v", f, wantFile)
	}
}

var (
	fieldName   = regexp.MustCompile(`(?m)^//\t([a-z-]+)( |$)`)
	knownFields = regexp.MustCompile(`known are (.*)$`)
)

// The comment of File has every line and every kind of pick.
func TestFieldsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("pathfile.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(text), "\ntype File struct")
	var got []string
	for _, m := range fieldName.FindAllStringSubmatch(comment, -1) {
		got = append(got, m[1])
	}
	_, err = pathfile.Parse(strings.NewReader("macemc path 1\nnosuch\nend 0\n"))
	known := knownFields.FindStringSubmatch(fmt.Sprint(err))
	if known == nil {
		t.Fatalf("error %v, want a list of known keys", err)
	}
	want := append(strings.Split(known[1], ", "), "boot", "end", "macemc")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the comment has the lines %q, want %q", got, want)
	}
	for _, k := range []choose.Kind{choose.Draw, choose.Compare, choose.Fault, choose.Outcome, choose.Seed, choose.Reseed} {
		if !strings.Contains(comment, " "+k.String()+":") {
			t.Errorf("the comment does not have the kind %q of picks", k)
		}
	}
}

// Parse detects any truncation except that of white space.
func TestParseNoticesTruncation(t *testing.T) {
	whole := write(t, example())
	for n := range len(whole) - 1 {
		_, err := pathfile.Parse(strings.NewReader(whole[:n]))
		var pe *pathfile.ParseError
		if !errors.As(err, &pe) {
			t.Errorf("cut after %d of %d bytes: error %v", n, len(whole), err)
		}
	}
	if _, err := pathfile.Parse(strings.NewReader(strings.TrimSpace(whole))); err != nil {
		t.Errorf("without the last line break: %v", err)
	}
}

func TestParseIsLenientWithSpace(t *testing.T) {
	f, err := pathfile.Parse(strings.NewReader("macemc path 1\r\n\r\n# by hand\r\nsystem  x \r\nnodes 2\r\n" +
		"3  crash n1   |  draw:1  #  why not  \r\nend 1\r\n\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &pathfile.File{
		Header: pathfile.Header{System: "x", Nodes: 2},
		Steps: []pathfile.Step{{Index: 3, Key: "crash n1", Comment: "why not",
			Picks: []pathfile.Pick{{Kind: choose.Draw, Pick: 1}}}},
	}
	if !reflect.DeepEqual(bare(f), want) {
		t.Errorf("parsed %+v, want %+v", f, want)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "macemc path 1\nsystem x\nnodes 2\n" // lines 1 to 3
	for _, c := range []struct {
		text string
		want string
	}{
		{"", `line 1: the file is empty; a path file begins with "macemc path 1"`},
		{"#!/bin/sh\n", `line 1: this is not a path file: it begins with "#!/bin/sh", not with "macemc path 1"`},
		{"macemc schedule 1\npackage a\n", `line 1: this is a schedule of "macemc test": execute it with macemc test -schedule FILE, debug it with macemc mdb FILE, or draw it with macemc graph FILE`},
		{"macemc path 2\nend 0\n", `line 1: the file has format version 2; this program reads version 1`},
		{head + "0 crash n1\n", `line 4: the file is truncated: its last line is not "end NUMBER-OF-STEPS"`},
		{head + "0 crash n1\nend 2\n", `line 5: the end line announces 2 steps, but the file has 1`},
		{head + "end\n", `line 4: bad number "" for steps: want 0 to 2147483647`},
		{head + "end 0\nend 0\n", `line 5: "end 0" after the end line`},
		{head + "sytem x\nend 0\n", `line 4: unknown header key "sytem"; known are system, nodes, package, test, param, bug, limit, timing, interleave, crash-cut, live-network, instant, seed, schedule, finding, property, known, round, note`},
		{head + "live-network 5\nend 0\n", `line 4: live-network has no value, not "5"`},
		{head + "system y\nend 0\n", `line 4: the header has a second "system"; the first is in line 2`},
		{head + "param a=1\nparam b=1\nparam a=2\nend 0\n", `line 6: the header has a second "param a"; the first is in line 4`},
		{head + "bug X\nbug \"X\"\nend 0\n", `line 5: the header has a second "bug X"; the first is in line 4`},
		{head + "limit loss=1\nlimit loss=1\nend 0\n", `line 5: the header has a second "limit loss"; the first is in line 4`},
		{head + "limit loss=-1\nend 0\n", `line 4: bad number "-1" for the limit: want 0 to 1000000`},
		{head + "limit loss\nend 0\n", `line 4: "loss" is not of the form KEY=VALUE`},
		{head + "param =1\nend 0\n", `line 4: "=1" is not of the form KEY=VALUE`},
		{head + "param a=\nend 0\n", `line 4: the value is missing; the empty text is written ""`},
		{head + "seed -1\nend 0\n", `line 4: bad number "-1" for the seed: want 0 to 18446744073709551615`},
		{head + "timing \"x\nend 0\n", `line 4: bad quoted text "x`},
		{head + "timing \"x\" y\nend 0\n", `line 4: " y" after the quoted text`},
		{"macemc path 1\nsystem x\nend 0\n", `line 3: the header has no "nodes" line`},
		{"macemc path 1\nnodes 2\nend 0\n", `line 3: the header has no "system" line`},
		{"macemc path 1\nsystem x\nnodes 0\nend 0\n", `line 3: nodes is 0, must be at least 1`},
		{"macemc path 1\nsystem x\nnodes two\nend 0\n", `line 3: bad number "two" for nodes: want 0 to 2147483647`},
		{head + "0 crash n1\nseed 1\nend 1\n", `line 5: "seed" does not begin a step; header lines must precede the boot line and the steps`},
		{head + "boot\nend 0\n", `line 4: the boot line has no picks`},
		{head + "boot draw:1 # why\nend 0\n", `line 4: "# why" after the picks`},
		{head + "boot draw:1\nboot draw:1\nend 0\n", `line 5: there must be at most one boot line, before the first step`},
		{head + "0 crash n1\nboot draw:1\nend 1\n", `line 5: there must be at most one boot line, before the first step`},
		{head + "-1 crash n1\nend 1\n", `line 4: bad number "-1" for the event index: want 0 to 2147483647`},
		{head + "0x crash n1\nend 1\n", `line 4: bad number "0x" for the event index: want 0 to 2147483647`},
		{head + "0\nend 1\n", `line 4: the step has no event key`},
		{head + "0 | draw:1\nend 1\n", `line 4: the step has no event key`},
		{head + "0 \"crash\" n1\nend 1\n", `line 4: "n1" instead of "| PICKS" or "# COMMENT"`},
		{head + "0 \"crash\nend 1\n", `line 4: bad quoted text "crash`},
		{head + "known\nend 0\n", `line 4: the value is missing; the empty text is written ""`},
		{head + "0 crash n1 | draw\nend 1\n", `line 4: bad pick "draw": want KIND:NUMBER`},
		{head + "0 crash n1 | event:1\nend 1\n", `line 4: bad pick "event:1": kind "event" is not one of draw, compare, fault, outcome, seed, reseed`},
		{head + "0 crash n1 | drew:1\nend 1\n", `line 4: bad pick "drew:1": kind "drew" is not one of draw, compare, fault, outcome, seed, reseed`},
		{head + "0 crash n1 | draw:2147483648\nend 1\n", `line 4: bad number "2147483648" for the pick: want 0 to 2147483647`},
		{head + "0 crash n1 | fault:0\nend 1\n", `line 4: bad pick "fault:0": alternative 0 of a fault is not listed`},
		{head + "0 crash n1 | draw:1(peer\nend 1\n", `line 4: the label "peer" has no closing parenthesis`},
		{head + "0 crash n1 | draw:1(\"peer\" )\nend 1\n", `line 4: the label "\"peer\" )" has no closing parenthesis`},
		{head + "0 crash n1 | draw:1(peer)x\nend 1\n", `line 4: "x" directly after a pick`},
	} {
		_, err := pathfile.Parse(strings.NewReader(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
		var pe *pathfile.ParseError
		if err != nil && !errors.As(err, &pe) {
			t.Errorf("%q: error is a %T", c.text, err)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*pathfile.File){
		"path file: nodes is 0, must be from 1 to 2147483647":                  func(f *pathfile.File) { f.Header.Nodes = 0 },
		`path file: param "retries" occurs twice`:                              func(f *pathfile.File) { f.Header.Params[1].Key = "retries" },
		`path file: bug "RT5" occurs twice`:                                    func(f *pathfile.File) { f.Header.Bugs[1] = "RT5" },
		`path file: limit "loss" occurs twice`:                                 func(f *pathfile.File) { f.Header.Limits[1].Key = "loss" },
		`path file: limit "loss" is -1, must be from 0 to 2147483647`:          func(f *pathfile.File) { f.Header.Limits[0].Value = -1 },
		"path file: boot: a pick cannot be of kind event":                      func(f *pathfile.File) { f.Boot[0].Kind = choose.Event },
		"path file: step 2: a pick cannot be of kind Kind(99)":                 func(f *pathfile.File) { f.Steps[1].Picks[0].Kind = 99 },
		"path file: step 2: draw picks -2, must be from 0 to 2147483647":       func(f *pathfile.File) { f.Steps[1].Picks[0].Pick = -2 },
		"path file: step 1: index is -1, must be from 0 to 2147483647":         func(f *pathfile.File) { f.Steps[0].Index = -1 },
		"path file: step 4: fault picks -1, must be from 0 to 2147483647":      func(f *pathfile.File) { f.Steps[3].Picks[0].Pick = -1 },
		"path file: step 5: index is 2147483648, must be from 0 to 2147483647": func(f *pathfile.File) { f.Steps[4].Index = 1 << 31 },
	} {
		f := example()
		spoil(f)
		var b bytes.Buffer
		if _, err := f.WriteTo(&b); err == nil || err.Error() != want || b.Len() != 0 {
			t.Errorf("got %v and %d bytes, want %s", err, b.Len(), want)
		}
	}
}

// anyText generates difficult texts: delimiters, quotes, controls, bytes that are not UTF-8.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[ "#|=()\\:'`+"`"+`\n\ta-c1]{0,8}`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
}

func anyPicks() *rapid.Generator[[]pathfile.Pick] {
	return orNil(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pathfile.Pick {
		p := pathfile.Pick{
			Kind:  choose.Kind(rapid.IntRange(1, 4).Draw(t, "kind")),
			Pick:  rapid.IntRange(0, 1<<31-1).Draw(t, "pick"),
			Label: anyText().Draw(t, "label"),
		}
		if p.Kind.Class() == choose.Fault {
			p.Pick = max(p.Pick, 1)
		}
		return p
	}), 0, 3))
}

func orNil[T any](g *rapid.Generator[[]T]) *rapid.Generator[[]T] {
	return rapid.Map(g, func(s []T) []T {
		if len(s) == 0 {
			return nil
		}
		return s
	})
}

func anyFile() *rapid.Generator[*pathfile.File] {
	number := rapid.IntRange(0, 1<<31-1)
	return rapid.Custom(func(t *rapid.T) *pathfile.File {
		text := func(label string) string { return anyText().Draw(t, label) }
		return &pathfile.File{
			Header: pathfile.Header{
				System:  text("system"),
				Nodes:   rapid.IntRange(1, 1<<31-1).Draw(t, "nodes"),
				Package: rapid.StringMatching(`([a-z]+(\.[a-z]+)?(/[~+_0-9-]+)*)?`).Draw(t, "package"),
				Test:    text("test"),
				Params: orNil(rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) pathfile.Param {
					return pathfile.Param{Key: anyText().Draw(t, "key"), Value: anyText().Draw(t, "value")}
				}), 0, 3, func(p pathfile.Param) string { return p.Key })).Draw(t, "params"),
				Bugs: orNil(rapid.SliceOfNDistinct(anyText(), 0, 2, rapid.ID[string])).Draw(t, "bugs"),
				Limits: orNil(rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) pathfile.Limit {
					return pathfile.Limit{Key: anyText().Draw(t, "key"), Value: number.Draw(t, "value")}
				}), 0, 3, func(l pathfile.Limit) string { return l.Key })).Draw(t, "limits"),
				Timing:   text("timing"),
				Seed:     rapid.Uint64().Draw(t, "seed"),
				Schedule: text("schedule"),
				Finding:  text("finding"),
				Property: text("property"),
				Known:    text("known"),
				Note:     text("note"),
			},
			Boot: anyPicks().Draw(t, "boot"),
			Steps: orNil(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pathfile.Step {
				return pathfile.Step{
					Index:   number.Draw(t, "index"),
					Key:     anyText().Draw(t, "key"),
					Picks:   anyPicks().Draw(t, "picks"),
					Comment: anyText().Draw(t, "comment"),
				}
			}), 0, 4)).Draw(t, "steps"),
		}
	})
}

func TestFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := anyFile().Draw(rt, "file")
		text := write(t, f)
		again, err := pathfile.Parse(strings.NewReader(text))
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(f, bare(again)) {
			rt.Fatalf("wrote %+v\nread %+v\n%s", f, again, text)
		}
		if lines := strings.Count(text, "\n"); lines < len(f.Steps)+4 || !strings.HasSuffix(text, fmt.Sprintf("end %d\n", len(f.Steps))) {
			rt.Fatalf("not one line per step:\n%s", text)
		}
	})
}

// Parse does not panic. Writing and parsing its result is idempotent.
func FuzzParse(f *testing.F) {
	var b bytes.Buffer
	if _, err := example().WriteTo(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("macemc path 1\r\nsystem x \r\n\r\nnodes 2\n#\n+0 k|draw:1(a)#\"b\nend 1"))
	f.Add([]byte("macemc path 1\nsystem \"\"\nnodes 1\nboot fault:1(\"\\xff\")\n0 \"\"|#\nend 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := pathfile.Parse(bytes.NewReader(data))
		if err != nil {
			var pe *pathfile.ParseError
			if !errors.As(err, &pe) || pe.Line < 1 || pe.Line > bytes.Count(data, []byte("\n"))+1 || pe.Reason == "" {
				t.Fatalf("bad error %#v", err)
			}
			return
		}
		once := write(t, first)
		second, err := pathfile.Parse(strings.NewReader(once))
		if err != nil {
			t.Fatalf("%v\n%s", err, once)
		}
		if !reflect.DeepEqual(bare(first), bare(second)) {
			t.Fatalf("read %+v\nthen %+v\n%s", first, second, once)
		}
		if twice := write(t, second); twice != once {
			t.Fatalf("wrote\n%s\nthen\n%s", once, twice)
		}
	})
}
