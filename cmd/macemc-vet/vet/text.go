package vet

import (
	"fmt"
	"io"
	"strings"
)

// Text writes the findings for people.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	for i := range r.Findings {
		r.Findings[i].text(&b)
	}
	switch {
	case len(r.Findings) > 0:
		fmt.Fprintf(&b, "%s in %s\n", count(len(r.Findings), "hazard"), count(len(r.Packages), "package"))
	case r.Handlers == 0:
		fmt.Fprintf(&b, "no handlers in %s: no type implements sim.Service, and nothing takes a sim.Env or a *machine.Ctx; "+
			"macemc test checks other code\n",
			count(len(r.Packages), "package"))
	default:
		fmt.Fprintf(&b, "no hazards found in %s of %s\n", count(r.Handlers, "handler"), count(len(r.Packages), "package"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f *Finding) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s:%d:%d: %s: %s\n", f.File, f.Line, f.Column, infoOf(f.Kind).Title, f.Message)
	if f.Handler != "" {
		fmt.Fprintf(b, "    in       %s", f.Handler)
		if n := len(f.Handlers) - 1; n > 0 {
			fmt.Fprintf(b, ", and %s", count(n, "more handler"))
		}
		b.WriteString("\n")
	}
	if len(f.Chain) > 1 {
		fmt.Fprintf(b, "    by way of %s\n", f.way())
	}
	fmt.Fprintf(b, "    instead  %s\n", f.Instead)
}

// way formats the chain with the positions of the calls.
func (f *Finding) way() string {
	parts := make([]string, len(f.Chain))
	for i, frame := range f.Chain {
		parts[i] = frame.Func
		if i < len(f.Chain)-1 {
			parts[i] = fmt.Sprintf("%s (%s:%d)", frame.Func, base(frame.File), frame.Line)
		}
	}
	return strings.Join(parts, " > ")
}

func base(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
