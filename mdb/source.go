package mdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/macemc/macemc/mdb/internal/cmdline"
)

// mostSource is the default number of lines that "list" shows before and after a place.
const mostSource = 6

// listSource shows the source around the code that handled a step.
func listSource(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	around := mostSource
	switch {
	case len(args) > 1:
		return cmdline.Usagef("one number at most")
	case len(args) == 1:
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 0 || n > 1000 {
			return cmdline.Usagef("%q is not a number of lines", args[0])
		}
		around = n
	}
	lines, err := s.Source(around)
	if err != nil {
		return err
	}
	for _, l := range lines {
		fmt.Fprintln(out, l)
	}
	return nil
}

// Source returns the source around the code that handled the current step: its position, then around lines before and
// after it, with the place marked. The error describes why the source is missing.
func (s *Session) Source(around int) ([]string, error) {
	r := s.run
	if r.At == 0 {
		return nil, errors.New(`step 0 has no code; "critical", "end" or a number goes to a step that has`)
	}
	t, err := r.Trace(r.At)
	if err != nil {
		return nil, err
	}
	first, code, err := t.Code(around)
	if err != nil {
		return nil, err
	}
	lines := []string{t.Source}
	_, at := t.Place()
	for i, text := range code {
		mark := "  "
		if first+i == at {
			mark = "=>"
		}
		lines = append(lines, fmt.Sprintf("%s %*d  %s", mark, len(strconv.Itoa(first+len(code))), first+i, text))
	}
	return lines, nil
}
