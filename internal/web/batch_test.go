package web_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/mdb"
)

// pick chooses a command: mostly something that a view offers.
func pick(r *rand.Rand, v *mdb.View, file string) string {
	switch n := r.IntN(20); {
	case n < 10 && len(v.Options) > 0:
		return v.Options[r.IntN(len(v.Options))].Command
	case n < 12:
		return "prev"
	case n < 13 && len(v.Questions) > 0:
		q := v.Questions[r.IntN(len(v.Questions))]
		return q.Alternatives[r.IntN(len(q.Alternatives))].Command
	case n < 15:
		return "run " + v.Runs[r.IntN(len(v.Runs))].Name
	case n < 16:
		return "diff " + v.Runs[r.IntN(len(v.Runs))].Name
	case n < 17:
		return "save " + file
	case n < 18:
		return "goto " + fmt.Sprint(r.IntN(v.At.Last+1))
	case n < 19:
		return "step; state; properties; runs"
	}
	return "next"
}

// What is clicked in the page does what the same commands do in a batch: the output, the errors, the view and the files are equal.
func TestServer_LikeBatch(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	faults, answers := 0, 0
	for _, system := range []string{"pingack", "twophase", "transport"} {
		for seed := range seeds {
			r := rand.New(rand.NewPCG(seed, 1))
			dir := t.TempDir()
			batch, page := session(t, system), serve(t, session(t, system), "")
			view := page.do("").View
			for i := range 60 {
				line := pick(r, &view, fmt.Sprintf("%d.path", r.IntN(4)))
				if strings.Contains(line, "instead ") {
					answers++
				}
				if slices.ContainsFunc(view.Options, func(o mdb.OptionLine) bool { return o.Fault && o.Command == line }) {
					faults++
				}
				in := func(folder string) string {
					return strings.ReplaceAll(line, "save ", "save "+filepath.Join(dir, folder)+"-")
				}
				var want bytes.Buffer
				err := mdb.Batch(t.Context(), batch, []string{in("batch")}, &want)
				o := page.do(in("page"))
				view = o.View
				wanted := ""
				for text := range strings.Lines(want.String()) {
					if !strings.HasPrefix(text, "(mdb) ") && (err == nil || !strings.HasPrefix(text, "error: ")) { // the page has its own place for errors
						wanted += text
					}
				}
				if got := strings.ReplaceAll(o.Text, "page-", "batch-"); got != wanted {
					t.Fatalf("%s, seed %d, command %d, %s: got\n%s\nwant\n%s", system, seed, i, line, got, wanted)
				}
				if got := strings.ReplaceAll(o.Error, "page-", "batch-"); (err == nil) != (got == "") || err != nil && !strings.HasSuffix(strings.TrimSuffix(err.Error(), "; no command after it is executed"), got) {
					t.Fatalf("%s, seed %d, command %d, %s: error %q, want %v", system, seed, i, line, got, err)
				}
				if got, want := o.View.At, batch.Position(); got != want {
					t.Fatalf("%s, seed %d, command %d, %s: at %+v, want %+v", system, seed, i, line, got, want)
				}
			}
			saved := 0
			for file := range 4 {
				a, _ := os.ReadFile(filepath.Join(dir, fmt.Sprintf("batch-%d.path", file)))
				b, _ := os.ReadFile(filepath.Join(dir, fmt.Sprintf("page-%d.path", file)))
				if !bytes.Equal(a, b) {
					t.Errorf("%s, seed %d: the files %d differ:\n%s\n%s", system, seed, file, a, b)
				}
				if len(a) > 0 {
					saved++
				}
			}
			if saved == 0 {
				t.Errorf("%s, seed %d: nothing was saved", system, seed)
			}
		}
	}
	t.Logf("%d faults, %d other answers", faults, answers)
	if faults == 0 || answers == 0 {
		t.Error("no fault or no other answer was chosen")
	}
}
