package isolate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// keysFile is the file beside the recorder in which a re-execution records the keys of the steps that it begins.
const keysFile = "keys"

func writeKey(w *os.File, key string) error {
	_, err := fmt.Fprintln(w, strconv.Quote(key))
	return err
}

// outline returns a path file without header and comments, from the picks in rec and the keys in the folder of rec, as
// far as the keys are known. nil means that they are not known.
func outline(rec *flight.Recorder, dir string) *pathfile.File {
	text, err := os.ReadFile(filepath.Join(dir, keysFile))
	if err != nil {
		return nil
	}
	var keys []string
	for line := range strings.Lines(string(text)) {
		key, err := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil
		}
		keys = append(keys, key)
	}
	f := new(pathfile.File)
	picks := &f.Boot
	path, kinds := rec.Recorded(picksRun), rec.Recorded(kindsRun)
	for i := range min(rec.Get(flight.Used), len(path)) {
		kind, pick := choose.Kind(kinds[i]), int(path[i])
		switch {
		case kind == choose.Event && len(f.Steps) == len(keys):
			return nil
		case kind == choose.Event:
			f.Steps = append(f.Steps, pathfile.Step{Index: pick, Key: keys[len(f.Steps)]})
			picks = &f.Steps[len(f.Steps)-1].Picks
		case kind.Class() != choose.Fault || pick != 0:
			*picks = append(*picks, pathfile.Pick{Kind: kind, Pick: pick})
		}
	}
	return f
}

// Outline returns the run as a path file without executing it. nil means that its steps are not known.
func (d *Death) Outline(sys *sim.System, h pathfile.Header) *pathfile.File {
	if d.outline == nil {
		return nil
	}
	f := *d.outline
	f.Header = replay.HeaderOf(sys, h)
	f.Steps = slices.Clone(f.Steps)
	if d.described != nil {
		for i, s := range d.described.trace.File(sys, h).Steps[:min(len(d.described.trace.Steps), len(f.Steps))] {
			f.Steps[i].Comment = s.Comment
		}
	}
	if n := len(f.Steps); n > 0 {
		f.Steps[n-1].Comment = d.Message
	}
	return &f
}
