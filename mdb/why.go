package mdb

import (
	"bytes"
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/textfmt"
)

// why follows the chain of causes.
func why(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	n, err := s.stepIn(args)
	if err != nil {
		return err
	}
	const most = 200
	library := 0 // skipped steps in the standard library
	for length := 0; ; length++ {
		if library > 0 && !r.Step(n).Library {
			fmt.Fprintf(out, "       ... %s in the standard library\n", textfmt.Plural(library, "step"))
			library = 0
		}
		if n == 0 {
			fmt.Fprintln(out, "    0  "+r.Step(0).Key)
			return nil
		}
		info := r.Step(n)
		if length > 0 && info.Library {
			library++
			n = int(info.Cause)
			continue
		}
		t, err := r.Trace(n)
		if err != nil {
			return err
		}
		source := ""
		if t.Source != "" {
			source = "  [" + t.Source + "]"
		}
		fmt.Fprintf(out, "%5d  %s%s\n", n, r.Sentence(t), source)
		if err := history.WriteViolated(out, r, n); err != nil {
			return err
		}
		if length == 0 {
			if err := r.WriteHeld(out, "       ", n, t.Node); err != nil {
				return err
			}
		}
		if info.Cause == history.Root {
			fmt.Fprintln(out, "       a fault: nothing caused it")
			return nil
		}
		if length == most {
			fmt.Fprintf(out, "       and so on, see \"why %d\"\n", info.Cause)
			return nil
		}
		fmt.Fprintf(out, "       %s\n", r.Because(n))
		n = int(info.Cause)
	}
}
