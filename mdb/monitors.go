package mdb

import (
	"bytes"
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/encoding/diff"
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
		fields, err := r.Monitor(r.At, i)
		if err != nil {
			return err
		}
		changed := map[string]string{}
		if r.At > 0 {
			before, err := r.Monitor(r.At-1, i)
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
