package recording

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// Recording is the recording of one start of a node.
type Recording struct {
	Header Header // of the first file
	Events []Event
	States []State
	Ended  bool // the node stopped normally
	// Damage describes the unreadable part, or is "". Events ends before it.
	Damage string
}

// Set has the recordings of all nodes of a system.
type Set struct {
	Dir    string
	Header Header         // the common fields of all files
	Starts [][]*Recording // by node, in starting order
}

// IsDir reports whether name is a folder with recordings.
func IsDir(name string) bool {
	files, _ := filepath.Glob(filepath.Join(escape(name), "n*"+extension))
	return len(files) > 0
}

func escape(name string) string {
	return strings.NewReplacer("*", "\\*", "?", "\\?", "[", "\\[", "\\", "\\\\").Replace(name)
}

// ReadDir reads all recordings in a folder. Damaged files are read up to the damage, see Recording.Damage. The
// error is about an invalid folder.
func ReadDir(dir string) (*Set, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	s := &Set{Dir: dir}
	byName := map[string]*Recording{}
	for _, e := range entries { // sorted, so the parts of a start are in order
		var node, start, part int
		if n, _ := fmt.Sscanf(e.Name(), "n%d-%d-%d"+extension, &node, &start, &part); n != 3 || fileName(node, start, part) != e.Name() {
			continue
		}
		stem := fmt.Sprintf("%d-%d", node, start)
		if err := s.add(byName, stem, filepath.Join(dir, e.Name()), part); err != nil {
			return nil, err
		}
	}
	if len(byName) == 0 {
		return nil, fmt.Errorf("%s: the folder has no recordings (files named like %s)", dir, fileName(0, 1, 1))
	}
	s.Starts = make([][]*Recording, s.Header.Nodes)
	for _, stem := range slices.Sorted(maps.Keys(byName)) {
		if r := byName[stem]; r.Header.Version != 0 {
			s.Starts[r.Header.Node] = append(s.Starts[r.Header.Node], r)
		}
	}
	for node, starts := range s.Starts {
		slices.SortFunc(starts, func(a, b *Recording) int { return cmp.Compare(a.Header.Start, b.Header.Start) })
		if len(starts) == 0 {
			return nil, fmt.Errorf("%s: the recording of node %d of %d is missing", dir, node, s.Header.Nodes)
		}
		for i, r := range starts {
			if r.Header.Start != i+1 {
				return nil, fmt.Errorf("%s: the recording of start %d of node %d is missing", dir, i+1, node)
			}
		}
	}
	return s, nil
}

func (s *Set) add(byName map[string]*Recording, stem, file string, part int) error {
	r := byName[stem]
	if r == nil {
		r = &Recording{}
		byName[stem] = r
		if part != 1 {
			r.Damage = fmt.Sprintf("%s: the parts before are missing", file)
		}
	}
	if r.Damage != "" {
		return nil // the rest does not continue it
	}
	data, err := infile.Read(file)
	if err != nil {
		return err
	}
	h, err := r.read(file, data)
	if err != nil {
		return err
	}
	if h.Version == 0 {
		return nil // the file ends inside its header
	}
	if s.Header.Version == 0 {
		s.Header = h
	}
	if h.System != s.Header.System || h.Nodes != s.Header.Nodes || h.Codec != s.Header.Codec ||
		!maps.Equal(h.Params, s.Header.Params) || !slices.Equal(h.Bugs, s.Header.Bugs) {
		return fmt.Errorf("%s: the recording is not of the same system as the others", file)
	}
	if h.Node < 0 || h.Node >= h.Nodes || h.Nodes > 1<<16 {
		return fmt.Errorf("%s: node %d of %d", file, h.Node, h.Nodes)
	}
	if r.Header.Version == 0 {
		r.Header = h
	}
	return nil
}

// read adds the records of a file.
func (r *Recording) read(file string, data []byte) (h Header, err error) {
	since := int64(0)
	damage := func(at int, format string, args ...any) {
		r.Damage = fmt.Sprintf("%s: at byte %d of %d: %s; %d events before that were read",
			filepath.Base(file), at, len(data), fmt.Sprintf(format, args...), len(r.Events))
	}
	for at := 0; at < len(data); {
		kind, body, ok := frameAt(data[at:])
		if !ok {
			damage(at, "the record is torn or damaged")
			return h, nil
		}
		if at == 0 && kind != headerRecord {
			return h, fmt.Errorf("%s: this is not a recording", file)
		}
		switch kind {
		case headerRecord:
			if err := json.Unmarshal(body, &h); err != nil {
				return h, fmt.Errorf("%s: %w", file, err)
			}
			if h.Version != version {
				return h, fmt.Errorf("%s: the recording has version %d; this program reads version %d", file, h.Version, version)
			}
		case eventRecord:
			var e Event
			if err := e.parse(body, since); err != nil {
				damage(at, "%v", err)
				return h, nil
			}
			if !e.sensible(h.Nodes) {
				damage(at, "%v", errRecord)
				return h, nil
			}
			if e.Number != len(r.Events)+1 {
				damage(at, "found event %d instead of event %d", e.Number, len(r.Events)+1)
				return h, nil
			}
			since = e.Time
			r.Events = append(r.Events, e)
		case stateRecord:
			f := fields{data: body}
			s := State{Number: f.small()}
			s.Hash.Hi = binary.LittleEndian.Uint64(f.take(8))
			s.Hash.Lo = binary.LittleEndian.Uint64(f.take(8))
			if f.bad {
				damage(at, "%v", errRecord)
				return h, nil
			}
			r.States = append(r.States, s)
		case endRecord:
			r.Ended = true
		default:
			damage(at, "unknown kind of record %d", kind)
			return h, nil
		}
		at += frameSize + 1 + len(body)
	}
	if len(data) == 0 {
		damage(0, "the file is empty")
	}
	return h, nil
}

// sensible reports whether the event has valid nodes and kinds. The first event of a start must be its boot.
func (e *Event) sensible(nodes int) bool {
	ok := func(peer sim.NodeID) bool { return peer >= 0 && int(peer) < nodes }
	switch e.Kind {
	case eventkind.Deliver, eventkind.DeliverError, eventkind.DeliverReady:
		if !ok(e.Peer) {
			return false
		}
	}
	for i := range e.Set {
		if !ok(e.Set[i].Peer) {
			return false
		}
	}
	for _, a := range e.Answers {
		if a.Kind > choose.Seed || a.Arity < 1 {
			return false
		}
	}
	for _, o := range e.Rooms {
		if !ok(o.Peer) {
			return false
		}
	}
	for _, f := range e.Effects {
		if f.Kind > stepinfo.LogEffect || f.about() && !ok(f.Peer) {
			return false
		}
	}
	return (e.Number == 1) == (e.Kind == eventkind.Boot)
}

// frameAt decodes the first record of data.
func frameAt(data []byte) (kind byte, body []byte, ok bool) {
	if len(data) < frameSize {
		return 0, nil, false
	}
	n := binary.LittleEndian.Uint32(data)
	if n == 0 || uint64(n) > uint64(len(data)-frameSize) {
		return 0, nil, false
	}
	body = data[frameSize : frameSize+int(n)]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[4:]) {
		return 0, nil, false
	}
	return body[0], body[1:], true
}

// Damage lists the unreadable parts.
func (s *Set) Damage() []string {
	var all []string
	for _, starts := range s.Starts {
		for _, r := range starts {
			if r.Damage != "" {
				all = append(all, r.Damage)
			}
		}
	}
	return all
}

// Tear makes a set that was read during recording consistent: damaged parts count as incomplete.
func (s *Set) Tear() {
	for _, starts := range s.Starts {
		for _, r := range starts {
			r.Damage = ""
		}
	}
}
