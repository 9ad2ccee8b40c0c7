package crashtest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/crashtest/internal/plaintest"
	"github.com/macemc/macemc/sim"
)

// What the program announces.
type (
	booted  struct{}                // a life begins: the store is opened
	opened  struct{}                // it has opened
	calling struct{ Method string } // an operation that has no event of its own begins; Close opens the store again
	writing struct {                // an operation begins; records have no key
		Key, Value string
		Deletes    bool
	}
	written writing  // it was acknowledged
	read    struct { // Get has returned
		Key, Value string
		OK         bool
	}
	taking struct{} // Take begins
	taken  struct { // it has returned
		Record string
		OK     bool
	}
	trimming struct{ Records []string } // Trim begins to remove them
	content  struct{ Records []string } // of a log; that of a queue has been taken
)

// call returns the operation as a call of its function.
func (w writing) call() string {
	switch {
	case w.Key == "":
		return "Append(" + shown(w.Value) + ")"
	case w.Deletes:
		return "Delete(" + w.Key + ")"
	}
	return "Put(" + w.Key + ", " + shown(w.Value) + ")"
}

// rules describe announcements by calls, with the first bytes of long values.
var rules = append(bubble.Rules[:len(bubble.Rules):len(bubble.Rules)],
	sim.ShowBy(writing.call),
	sim.ShowBy(func(w written) string { return writing(w).call() + " returned" }),
	sim.ShowBy(func(r read) string { return "Get(" + r.Key + ") returned " + result(r.Value, r.OK) }),
	sim.ShowBy(func(t taken) string { return "Take() returned " + result(t.Record, t.OK) }),
	sim.ShowBy(func(t trimming) string { return "Trim of " + list(t.Records) }),
	sim.ShowBy(func(c content) string { return "records: " + list(c.Records) }),
)

// result returns what an operation has returned.
func result(value string, ok bool) string {
	if !ok {
		return "nothing"
	}
	return shown(value)
}

// durability is a monitor of what the store has acknowledged.
type durability struct {
	Keys    map[string]*values
	Records map[string]status
	Order   []string // of acknowledged records, as each was acknowledged
	Takes   int      // calls of Take that have not returned

	Opened bool             // the last Open has succeeded
	Calls  []plaintest.Call // since the last boot

	store plaintest.Store `macemc:"-"`
}

// values are the possible values of a key. An empty one means absent.
type values struct {
	Acknowledged string
	Pending      []string // of later operations without acknowledgment
}

// status is the state of a record.
type status uint8

const (
	pending      status = iota // its Append has not returned
	acknowledged               // it must be there
	removed                    // Trim or Take may have removed it
)

func newDurability(store plaintest.Store) *durability {
	return &durability{Keys: map[string]*values{}, Records: map[string]status{}, store: store}
}

// Observe implements [sim.Monitor].
func (d *durability) Observe(_ sim.NodeID, event any) error {
	switch e := event.(type) {
	case booted:
		d.Opened, d.Calls = false, nil
	case opened:
		d.Opened = true
	case calling:
		d.Opened = d.Opened && e.Method != "Close"
		d.call(plaintest.Call{Method: e.Method})
	case writing:
		d.begin(e)
	case written:
		d.acknowledge(writing(e))
	case read:
		return d.check(e)
	case taking:
		d.Takes++
		d.call(plaintest.Call{Method: "Take"})
	case taken:
		return d.remove(e)
	case trimming:
		d.call(plaintest.Call{Method: "Trim", N: len(e.Records)})
		for _, r := range e.Records {
			d.Records[r] = removed
		}
	case content:
		return d.compare(e.Records)
	}
	return nil
}

func (d *durability) call(c plaintest.Call) { d.Calls = append(d.Calls, c) }

func (d *durability) begin(w writing) {
	if w.Key == "" {
		d.call(plaintest.Call{Method: "Append", Value: w.Value})
		d.Records[w.Value] = pending
		return
	}
	method := "Put"
	if w.Deletes {
		method = "Delete"
	}
	d.call(plaintest.Call{Method: method, Key: w.Key, Value: w.Value})
	v := d.Keys[w.Key]
	if v == nil {
		v = &values{}
		d.Keys[w.Key] = v
	}
	v.Pending = append(v.Pending, w.Value)
}

func (d *durability) acknowledge(w writing) {
	if w.Key == "" {
		d.Records[w.Value] = acknowledged
		d.Order = append(d.Order, w.Value)
		return
	}
	*d.Keys[w.Key] = values{Acknowledged: w.Value}
}

// check judges a value. Only one client writes a key, so a value that was read is one of the possible ones.
func (d *durability) check(r read) error {
	v := d.Keys[r.Key]
	if v == nil {
		v = &values{}
	}
	value := r.Value
	if !r.OK {
		value = ""
	}
	if value == v.Acknowledged || slices.Contains(v.Pending, value) {
		return nil
	}
	return fmt.Errorf("%s is %s; acknowledged: %s; not acknowledged: %s", r.Key, shown(value), shown(v.Acknowledged), list(v.Pending))
}

// remove judges a record that was taken, and forgets it.
func (d *durability) remove(t taken) error {
	d.Takes = max(d.Takes-1, 0)
	if !t.OK {
		return nil
	}
	if _, known := d.Records[t.Record]; !known {
		return fmt.Errorf("the queue returned %s, which nobody has appended", shown(t.Record))
	}
	d.Records[t.Record] = removed
	return nil
}

// compare judges the records of a log, or those that are left of a queue: none.
func (d *durability) compare(records []string) error {
	found := map[string]bool{}
	for _, r := range records {
		switch _, known := d.Records[r]; {
		case !known:
			return fmt.Errorf("the log has the record %s, which nobody has appended", shown(r))
		case found[r]:
			return fmt.Errorf("the log has the record %s twice", shown(r))
		}
		found[r] = true
	}
	var lost []string
	for _, r := range slices.Sorted(maps.Keys(d.Records)) {
		if d.Records[r] == acknowledged && !found[r] {
			lost = append(lost, r)
		}
	}
	if len(lost) > d.Takes { // each of these may have removed one
		return fmt.Errorf("%d acknowledged records are lost: %s", len(lost), list(lost))
	}
	d.Takes = 0
	for _, r := range lost {
		d.Records[r] = removed
	}
	return nil
}

// PlainTest implements [simext.Reproducer].
func (d *durability) PlainTest(finding, lost string, files map[string][]byte, stopped bool) ([]byte, error) {
	if stopped { // Open or the reader may have ended the process
		d.Opened, d.Calls = true, nil
	}
	t := plaintest.Test{Finding: finding, Lost: lost, Files: files, Store: d.store, Calls: d.Calls, Opened: d.Opened,
		Missing: d.Takes, Values: map[string][]string{}}
	for _, key := range d.store.Keys {
		t.Values[key] = []string{""}
	}
	for key, v := range d.Keys {
		t.Values[key] = append([]string{v.Acknowledged}, v.Pending...)
	}
	for _, r := range slices.Sorted(maps.Keys(d.Records)) {
		if d.Records[r] == acknowledged {
			t.Records = append(t.Records, r)
		} else {
			t.Others = append(t.Others, r)
		}
	}
	return t.Write()
}

// shown returns a value for messages: its first bytes and its size.
func shown(value string) string {
	const most = 40
	switch {
	case value == "":
		return "absent"
	case len(value) > most:
		return fmt.Sprintf("%q... (%d bytes)", value[:most], len(value))
	}
	return fmt.Sprintf("%q", value)
}

func list(values []string) string {
	if len(values) == 0 {
		return "none"
	}
	text := ""
	for i, v := range values {
		if i > 0 {
			text += ", "
		}
		text += shown(v)
	}
	return text
}
