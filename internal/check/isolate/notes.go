package isolate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/report"
)

// PendingSuspect is the suspect under examination, as recorded for the supervisor.
type PendingSuspect struct {
	report.Suspect
	Folder string // an empty string means that it could not be written
	// Path is the run if no file has it, because the process was about to write it or could not.
	Path choose.Path `json:",omitempty"`

	run *pathfile.File
}

// Run returns Path as a path file without a header. nil means that it is not known, or that a file has it.
func (s *PendingSuspect) Run() *pathfile.File { return s.run }

// suspectNote is the file in which a searching process records the suspect under examination.
const suspectNote = "suspect"

// readJSON reads a JSON file; nil means that it does not exist.
func readJSON[T any](file string) (*T, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	v := new(T)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	return v, err
}

func writeJSON(file string, v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	return err
}

// foundFile is the file in which a searching process records the folders of its findings.
const foundFile = "found"

// NoteFound reports the folder of a finding to the supervisor, if there is one.
func NoteFound(dir string) error {
	file := os.Getenv(flightVar)
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(Beside(file, foundFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%q\n", dir)
	return errors.Join(err, f.Close())
}

// quotedLines reads a file of quoted texts, one a line.
func quotedLines(file string) (texts []string, err error) {
	data, err := os.ReadFile(file)
	for line := range strings.Lines(string(data)) {
		text, e := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if e != nil {
			return texts, fmt.Errorf("%s: %w", file, e)
		}
		texts = append(texts, text)
	}
	return texts, err
}

// ownRecorder returns the recorder of this process; nil means that it has none.
var ownRecorder = sync.OnceValue(func() *flight.Recorder {
	rec, err := flight.Open(os.Getenv(flightVar))
	if err != nil {
		return nil
	}
	return rec
})

// stopClocksFor stops the clocks of this process, also that of its supervisor, while another process for which it waits
// has no processor. The result ends this.
func stopClocksFor(pid int) (end func()) {
	resume := budget.Await(pid)
	rec := ownRecorder()
	if rec == nil {
		return resume
	}
	rec.Set(flight.Awaited, pid)
	return func() {
		rec.Set(flight.Awaited, 0)
		resume()
	}
}

// NoteSuspect reports the suspect under examination to the supervisor, if there is one. nil means no suspect.
func NoteSuspect(s *PendingSuspect) {
	file := os.Getenv(flightVar)
	if file == "" {
		return
	}
	file = Beside(file, suspectNote)
	if s == nil {
		os.Remove(file)
		return
	}
	if text, err := json.Marshal(s); err == nil {
		_ = outfile.Replace(file, text, 0o600)
	}
}
