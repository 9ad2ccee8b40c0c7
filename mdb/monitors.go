package mdb

import (
	"bytes"
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/mdb/internal/cmdline"
)

func showMonitors(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	re, err := cmdline.Pattern(args...)
	if err != nil {
		return err
	}
	r, shown := s.run, 0
	for i, name := range s.sys.MonitorNames() {
		if !re.MatchString(name) {
			continue
		}
		shown++
		fields, err := monitorState(r, r.At, i)
		if err != nil {
			return err
		}
		changed := map[string]string{}
		if r.At > 0 {
			before, err := monitorState(r, r.At-1, i)
			if err != nil {
				return err
			}
			for _, c := range diff.Between(before, fields) {
				if changed[c.Path] = c.Old; c.New == "" {
					fields = append(fields, diff.Field{Path: c.Path, Value: "gone"})
				}
			}
		}
		fmt.Fprintln(out, name)
		writeFields(out, "  ", fields, changed)
	}
	switch {
	case shown > 0:
	case len(args) == 0:
		fmt.Fprintln(out, "  the system has no monitors")
	default:
		fmt.Fprintln(out, "  there is no such monitor")
	}
	return nil
}

// monitorState returns the state of a monitor after step n, with its pending obligations.
func monitorState(r *history.Run, n, i int) (fields []diff.Field, err error) {
	w, err := r.World(n)
	if err != nil {
		return nil, err
	}
	fields = kernel.MonitorFields(w, i)
	defer func() {
		if recover() != nil { // Obligations may panic, and that may be the finding
			err = nil
		}
	}()
	for _, o := range kernel.Obligations(w, i) {
		field := diff.Field{Path: "(obligation)", Value: "not hot"}
		if o.Key != "" {
			field.Path = "(obligation " + o.Key + ")"
		}
		if o.Hot {
			field.Value = "hot"
		}
		fields = append(fields, field)
	}
	return fields, nil
}
