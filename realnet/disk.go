package realnet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/recording"
)

// disk is the durable state of a node: a log of writes with checksums. It is compacted on opening if most of it is
// obsolete. Data passed to the operating system survives a kill of the process; synced data also survives a power
// failure. A torn end of the log is cut off, and kept in a file beside it.
//
// The log also has the monotone counter of the node. A number must never be used twice, so a block of numbers is
// reserved with a sync. The used part of the block is known unless the machine has been down in between.
type disk struct {
	file *os.File // nil if Dir is ""
	dir  string
	size int64
	buf  []byte
	sync bool // before anything else leaves the node

	writes   uint64 // in the whole life of the node
	ticks    uint64
	reserved uint64
	counts   []int
	boot     string // of the machine
	live     int64  // approximate size of a compacted log
}

const (
	putEntry byte = iota + 1
	deleteEntry
	metaEntry
	reserveEntry
)

const (
	diskName  = "disk.log"
	tickBlock = 1024
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openDisk reads the disk in a folder. Cut is the size of a torn end in bytes.
func openDisk(dir string) (d *disk, found runner.Durable, cut int64, err error) {
	d = &disk{dir: dir, boot: bootID()}
	if dir == "" {
		return d, found, 0, nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("live: the node's disk: %w", err)
			if d.file != nil {
				d.file.Close()
			}
		}
	}()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return d, found, 0, err
	}
	if d.file, err = os.OpenFile(filepath.Join(dir, diskName), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return d, found, 0, err
	}
	if err := lockFile(d.file); err != nil {
		return d, found, 0, fmt.Errorf("%s is in use by another process: %w", d.file.Name(), err)
	}
	data, err := os.ReadFile(d.file.Name())
	if err != nil {
		return d, found, 0, err
	}
	good, sameBoot := d.load(data, &found)
	if cut = int64(len(data) - good); cut > 0 {
		if err := saveTornEnd(d.file.Name(), data[good:]); err != nil {
			return d, found, cut, err
		}
		if err := d.file.Truncate(int64(good)); err != nil {
			return d, found, cut, err
		}
	}
	d.size = int64(good)
	if !sameBoot {
		d.ticks = max(d.ticks, d.reserved)
	}
	found.Ticks, found.Counts = d.ticks, slices.Clone(d.counts)
	if _, err := d.file.Seek(d.size, 0); err != nil {
		return d, found, cut, err
	}
	if d.size > 2*d.live+1<<20 {
		if err := d.compact(found); err != nil {
			return d, found, cut, err
		}
	}
	d.meta(d.ticks, d.counts)
	return d, found, cut, d.commit()
}

// saveTornEnd writes the cut part of a log to its own file beside it, as in disk.log.cut-1. It may be more than a torn
// end if the log was damaged or the file is not a log.
func saveTornEnd(log string, data []byte) error {
	for n := 1; ; n++ {
		f, err := os.OpenFile(fmt.Sprintf("%s.cut-%d", log, n), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Sync(), f.Close())
	}
}

// load applies the log. It returns the size of its valid part, and whether that was last written since the machine
// started.
func (d *disk) load(data []byte, found *runner.Durable) (good int, sameBoot bool) {
	for at := 0; at+8 <= len(data); {
		n := int(binary.LittleEndian.Uint32(data[at:]))
		if n == 0 || n > len(data)-at-8 {
			return at, sameBoot
		}
		body := data[at+8 : at+8+n]
		if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[at+4:]) {
			return at, sameBoot
		}
		if !d.apply(body, found, &sameBoot) {
			return at, sameBoot
		}
		at += 8 + n
		good = at
	}
	return good, sameBoot
}

func (d *disk) apply(body []byte, found *runner.Durable, sameBoot *bool) bool {
	kind, rest := body[0], body[1:]
	number := func() uint64 {
		n, size := binary.Uvarint(rest)
		rest = rest[max(size, 0):]
		return n
	}
	switch kind {
	case putEntry, deleteEntry:
		n := number()
		if n > uint64(len(rest)) {
			return false
		}
		key, value := string(rest[:n]), slices.Clone(rest[n:])
		i, ok := slices.BinarySearchFunc(found.Disk, key, func(e memdisk.Entry, key string) int { return strings.Compare(e.Key, key) })
		if ok {
			d.live -= int64(len(found.Disk[i].Key) + len(found.Disk[i].Value) + 16)
		}
		switch {
		case kind == deleteEntry && ok:
			found.Disk = slices.Delete(found.Disk, i, i+1)
		case kind == deleteEntry:
		case ok:
			found.Disk[i].Value = value
		default:
			found.Disk = slices.Insert(found.Disk, i, memdisk.Entry{Key: key, Value: value})
		}
		if kind == putEntry {
			d.live += int64(len(key) + len(value) + 16)
		}
		d.writes++
	case metaEntry:
		d.writes, d.ticks = number(), number()
		d.counts = d.counts[:0]
		for range min(number(), uint64(len(rest))) {
			d.counts = append(d.counts, int(number()))
		}
		*sameBoot = string(rest) == d.boot && d.boot != ""
	case reserveEntry:
		d.reserved = number()
	default:
		return false
	}
	return true
}

func (d *disk) entry(kind byte, content func([]byte) []byte) {
	at := len(d.buf)
	d.buf = append(d.buf, 0, 0, 0, 0, 0, 0, 0, 0, kind)
	d.buf = content(d.buf)
	body := d.buf[at+8:]
	binary.LittleEndian.PutUint32(d.buf[at:], uint32(len(body)))
	binary.LittleEndian.PutUint32(d.buf[at+4:], crc32.Checksum(body, castagnoli))
}

// write adds a write to the buffer, for commit.
func (d *disk) write(w memdisk.Write) {
	d.writes++
	if d.file == nil {
		return
	}
	kind := putEntry
	if w.Gone {
		kind = deleteEntry
	}
	d.entry(kind, func(b []byte) []byte {
		return append(append(binary.AppendUvarint(b, uint64(len(w.Key))), w.Key...), w.Value...)
	})
}

// meta records the monotone counter, and the counts of actions.
func (d *disk) meta(ticks uint64, counts []int) {
	d.ticks = ticks
	d.counts = append(d.counts[:0], counts...)
	if d.file == nil {
		return
	}
	if ticks > d.reserved {
		d.reserved = ticks + tickBlock
		d.entry(reserveEntry, func(b []byte) []byte { return binary.AppendUvarint(b, d.reserved) })
		d.sync = true
	}
	d.entry(metaEntry, d.appendMeta)
}

func (d *disk) appendMeta(b []byte) []byte {
	b = binary.AppendUvarint(b, d.writes)
	b = binary.AppendUvarint(b, d.ticks)
	b = binary.AppendUvarint(b, uint64(len(d.counts)))
	for _, c := range d.counts {
		b = binary.AppendUvarint(b, uint64(c))
	}
	return append(b, d.boot...)
}

// commit passes the buffer to the operating system, and to the device after a sync.
func (d *disk) commit() error {
	if d.file == nil {
		return nil
	}
	if len(d.buf) > 0 {
		n, err := d.file.Write(d.buf)
		if err != nil {
			if n > 0 {
				err = errors.Join(err, d.file.Truncate(d.size))
			}
			return fmt.Errorf("live: the node's disk: %w", err)
		}
		d.size += int64(n)
		d.buf = d.buf[:0]
	}
	if d.sync {
		d.sync = false
		if err := d.file.Sync(); err != nil {
			return fmt.Errorf("live: the node's disk: %w", err)
		}
	}
	return nil
}

// compact writes a new log without obsolete records.
func (d *disk) compact(now runner.Durable) error {
	name := filepath.Join(d.dir, diskName)
	f, err := os.OpenFile(name+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if err := lockFile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	fresh := &disk{file: f, dir: d.dir, boot: d.boot, reserved: d.reserved, live: d.live}
	fresh.entry(reserveEntry, func(b []byte) []byte { return binary.AppendUvarint(b, d.reserved) })
	for _, e := range now.Disk {
		fresh.write(memdisk.Write{Entry: e})
	}
	fresh.writes = d.writes
	fresh.meta(d.ticks, d.counts)
	fresh.sync = true
	if err := fresh.commit(); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := os.Rename(name+".new", name); err != nil {
		return errors.Join(err, f.Close())
	}
	if folder, err := os.Open(d.dir); err == nil {
		_ = folder.Sync()
		folder.Close()
	}
	d.file.Close()
	*d = *fresh
	return nil
}

func (d *disk) found() recording.Found {
	return recording.Found{Writes: d.writes, Ticks: d.ticks, Counts: slices.Clone(d.counts)}
}

func (d *disk) close() error {
	if d.file == nil {
		return nil
	}
	return d.file.Close()
}
