package recording

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/macemc/macemc/internal/encoding"
)

// Options is the place and the size of a recording.
type Options struct {
	Dir string // folder of the recordings of all nodes; created if missing
	// PartBytes is the maximum size of a file before the next one begins. 0 means 64 MB.
	PartBytes int64
	// MaxBytes is the maximum size of the recording of one start. 0 means 1 GB. At the limit recording ends, since
	// a run can be executed only from its beginning. The node continues.
	MaxBytes int64
}

// ErrFull is the reason when recording ended at MaxBytes.
var ErrFull = errors.New("the recording has reached its limit")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frameSize is the size of length and checksum before each record.
const frameSize = 8

// Writer writes the recording of one start of a node. It must not be used concurrently.
type Writer struct {
	opts   Options
	header Header
	file   *os.File
	buf    []byte // buffered
	size   int64  // of the file, without buf
	total  int64  // of the parts before
	last   int64  // time of the last event
	err    error
}

// NewWriter begins the recording of a start of a node. It sets Start and Part of the header. Start is the first
// that the folder does not have.
func NewWriter(o Options, h Header) (*Writer, error) {
	if o.PartBytes == 0 {
		o.PartBytes = 64 << 20
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 30
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	w := &Writer{opts: o, header: h}
	w.header.Version = version
	for w.header.Start = 1; ; w.header.Start++ {
		w.header.Part = 1
		err := w.open()
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("recording: %w", err)
		}
		return w, w.Flush()
	}
}

// Header returns the header of the current file.
func (w *Writer) Header() Header { return w.header }

func fileName(node, start, part int) string {
	return fmt.Sprintf("n%d-%04d-%04d%s", node, start, part, extension)
}

const extension = ".rec"

func (w *Writer) open() error {
	h := &w.header
	f, err := os.OpenFile(filepath.Join(w.opts.Dir, fileName(h.Node, h.Start, h.Part)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	w.file, w.size, w.last = f, 0, 0
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	w.frame(headerRecord, func(b []byte) []byte { return append(b, text...) })
	return nil
}

// frame appends a record to the buffer.
func (w *Writer) frame(kind byte, content func([]byte) []byte) {
	at := len(w.buf)
	w.buf = append(w.buf, make([]byte, frameSize)...)
	w.buf = content(append(w.buf, kind))
	body := w.buf[at+frameSize:]
	binary.LittleEndian.PutUint32(w.buf[at:], uint32(len(body)))
	binary.LittleEndian.PutUint32(w.buf[at+4:], crc32.Checksum(body, castagnoli))
}

// Event adds an event. Flush writes it.
func (w *Writer) Event(e *Event) {
	if w.err != nil {
		return
	}
	w.frame(eventRecord, func(b []byte) []byte { return e.append(b, w.last) })
	w.last = e.Time
}

// State adds the fingerprint of the node's state after an event.
func (w *Writer) State(s State) {
	if w.err != nil {
		return
	}
	w.frame(stateRecord, func(b []byte) []byte {
		b = binary.AppendUvarint(b, uint64(s.Number))
		b = binary.LittleEndian.AppendUint64(b, s.Hash.Hi)
		return binary.LittleEndian.AppendUint64(b, s.Hash.Lo)
	})
}

// Flush passes all buffered data to the operating system, so that it survives a kill of this process. An error ends
// the recording, and is returned once. What was written before remains valid; later events are not recorded.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.buf) == 0 {
		return nil
	}
	if w.total+w.size+int64(len(w.buf)) > w.opts.MaxBytes {
		return w.fail(ErrFull)
	}
	n, err := w.file.Write(w.buf)
	if err != nil {
		if n > 0 {
			_ = w.file.Truncate(w.size) // a torn record would be detected anyway
		}
		return w.fail(err)
	}
	w.size += int64(n)
	w.buf = w.buf[:0]
	if w.size < w.opts.PartBytes {
		return nil
	}
	if err := w.file.Close(); err != nil {
		return w.fail(err)
	}
	w.total += w.size
	w.header.Part++
	if err := w.open(); err != nil {
		return w.fail(err)
	}
	return nil
}

func (w *Writer) fail(err error) error {
	w.err, w.buf = err, nil
	return fmt.Errorf("recording ends here: %w", err)
}

// Close ends the recording of a node that stops normally, with the fingerprint of its last state.
func (w *Writer) Close(number int, hash encoding.Fingerprint) error {
	if w.err == nil {
		w.State(State{number, hash})
		w.frame(endRecord, func(b []byte) []byte { return b })
	}
	return errors.Join(w.Flush(), w.file.Close())
}
