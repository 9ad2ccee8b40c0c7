package observe

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"

	"github.com/macemc/macemc/sim"
)

// knower is a monitor for events in logs. Events returns samples of the types of events that it observes. Monitors
// that are machines implement it; others need the method. Events in a log must survive JSON encoding: no unexported
// fields, no fields of interface types, no functions, and strings in UTF-8.
type knower interface {
	sim.Monitor
	Events() []any
}

// envelope is an event with a name of its own and with content of several possible types.
type envelope interface {
	EventName() string
	Inside() any
	With(inside any) any
}

// packages matches the package paths in names of types.
var packages = regexp.MustCompile(`([\w.-]+/)+`)

// Name returns the name of an event's type in logs, with the last element of its package's path, as in
// commit.Prepared.
func Name(event any) string {
	if e, ok := event.(envelope); ok {
		return e.EventName()
	}
	return packages.ReplaceAllString(fmt.Sprintf("%T", event), "")
}

// typed is an event in a log.
type typed struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// write converts an event for a log.
func write(event any) (typed, error) {
	out := typed{Type: Name(event)}
	if e, ok := event.(envelope); ok {
		event = e.Inside()
	}
	value, err := json.Marshal(event)
	out.Value = value
	return out, err
}

// reader reads the events that a monitor observes.
type reader map[string]any // samples by name

func newReader(m sim.Monitor) (reader, error) {
	k, ok := m.(knower)
	if !ok {
		return nil, fmt.Errorf("%s does not declare the events that it observes: it needs a method Events() []any, see observe.Knower",
			sim.MonitorName(m))
	}
	r := reader{}
	for _, sample := range k.Events() {
		name := Name(sample)
		if other, twice := r[name]; twice && reflect.TypeOf(other) != reflect.TypeOf(sample) {
			return nil, fmt.Errorf("%s observes two types of events that are named %s in logs", sim.MonitorName(m), name)
		}
		inside := sample
		if e, ok := sample.(envelope); ok {
			inside = e.Inside()
		}
		if inside != nil {
			if err := faithful(reflect.TypeOf(inside), nil); err != nil {
				return nil, fmt.Errorf("%s: a %s does not survive JSON encoding: %w", sim.MonitorName(m), name, err)
			}
		}
		r[name] = sample
	}
	return r, nil
}

// read decodes an event. It returns nil if the monitor does not observe its type.
func (r reader) read(t typed) (any, error) {
	sample, ok := r[t.Type]
	if !ok {
		return nil, nil
	}
	e, wrapped := sample.(envelope)
	inside := sample
	if wrapped {
		inside = e.Inside()
	}
	if inside == nil {
		return e.With(nil), nil
	}
	v := reflect.New(reflect.TypeOf(inside))
	dec := json.NewDecoder(bytes.NewReader(t.Value))
	dec.DisallowUnknownFields()
	err := dec.Decode(v.Interface())
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more data after it")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the value of an event is not a %s: %w", t.Type, err)
	}
	if wrapped {
		return e.With(v.Elem().Interface()), nil
	}
	return v.Elem().Interface(), nil
}

var (
	fromJSON = reflect.TypeFor[json.Unmarshaler]()
	fromText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// faithful reports why values of a type may not survive JSON encoding, or nil.
func faithful(t reflect.Type, above []reflect.Type) error {
	for _, a := range above {
		if a == t {
			return nil
		}
	}
	above = append(above, t)
	if p := reflect.PointerTo(t); p.Implements(fromJSON) || p.Implements(fromText) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			switch {
			case f.Anonymous && f.Type.Kind() == reflect.Struct: // its exported fields are among those of t
			case !f.IsExported():
				return fmt.Errorf("field %s of %v is not exported", f.Name, t)
			case f.Tag.Get("json") == "-":
				return fmt.Errorf("field %s of %v is left out", f.Name, t)
			}
			if err := faithful(f.Type, above); err != nil {
				return err
			}
		}
		return nil
	case reflect.Slice, reflect.Array, reflect.Pointer:
		return faithful(t.Elem(), above)
	case reflect.Map:
		if err := faithful(t.Key(), above); err != nil {
			return err
		}
		return faithful(t.Elem(), above)
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return fmt.Errorf("it holds a %v", t)
	}
	return nil
}
