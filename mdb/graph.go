package mdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/mdb/internal/cmdline"
)

// mostGraphSteps is the maximum number of steps in a graph.
const mostGraphSteps = 5000

func graph(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	var (
		bounds []int
		format = eventgraph.Formats()[0]
		chosen bool
		file   string
	)
	for _, a := range args {
		n, err := s.place(a)
		f, isFormat := eventgraph.Formats().Find(a)
		switch {
		case err == nil && !chosen:
			bounds = append(bounds, n)
		case !chosen && isFormat:
			format, chosen = f, true
		case chosen && file == "":
			file = a
		case !cmdline.IsUsage(err):
			return err
		default:
			return cmdline.Usagef("%q is neither a step nor a format", a)
		}
	}
	from, to := max(1, s.run.At-8), min(s.run.Len(), s.run.At+8)
	switch {
	case len(bounds) == 1:
		from, to = max(1, bounds[0]), s.run.Len()
	case len(bounds) == 2:
		from, to = max(1, bounds[0]), bounds[1]
	case len(bounds) > 2:
		return cmdline.Usagef("more than two steps")
	}
	if to < from {
		return cmdline.Usagef("there is nothing from step %d to step %d", from, to)
	}
	if to-from >= mostGraphSteps {
		return fmt.Errorf("a graph of %d steps cannot be read; at most %d are drawn", to-from+1, mostGraphSteps)
	}
	if file == "" && format.Name != eventgraph.Formats()[0].Name {
		return cmdline.Usagef("the name of a file is missing")
	}
	first := 1
	if to > history.ExactGraphSteps {
		first = max(1, from-graphMargin)
	}
	g, o, err := s.run.Graph(first, from, to, graphMargin)
	if err != nil {
		return err
	}
	if file == "" {
		return g.Text(out, o)
	}
	var b bytes.Buffer
	if err := format.Render(&b, eventgraph.Drawing{Graph: g, Options: o}); err != nil {
		return err
	}
	if err := writeNew(file, b.Bytes()); err != nil {
		return err
	}
	if format.Name == "json" { // contains the whole graph, including steps around the range
		from, to = first, min(s.run.Len(), to+graphMargin)
	}
	fmt.Fprintf(out, "steps %d to %d are in %s\n", from, to, file)
	return nil
}

// writeNew writes a new file. It fails if the file exists.
func writeNew(file string, content []byte) error {
	err := outfile.Create(file, content)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already and is not overwritten; say another name", file)
	}
	return err
}

const (
	// graphMargin is the number of steps around a range that are executed for its graph, so that the ends of arrows are visible.
	// lanesMargin is the same for the screen, which draws a graph at every step.
	graphMargin = 400
	lanesMargin = 64
)
