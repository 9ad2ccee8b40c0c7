package mdb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// Prompt reads lines from in and executes them, until one says quit, in ends, or ctx is done. Errors of
// commands are shown and do not end it. The error is that of in or out.
func Prompt(ctx context.Context, s *Session, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	last := ""
	for ctx.Err() == nil {
		if _, err := fmt.Fprint(out, "(mdb) "); err != nil {
			return err
		}
		if !lines.Scan() {
			fmt.Fprintln(out)
			return lines.Err()
		}
		line := lines.Text()
		if line == "" {
			line = last // as in other debuggers, an empty line repeats
		}
		last = line
		err := s.Do(ctx, line, out)
		switch {
		case errors.Is(err, ErrQuit):
			return nil
		case err != nil:
			if _, err := fmt.Fprintf(out, "error: %v\n", err); err != nil {
				return err
			}
		}
	}
	return nil
}

// Batch executes lines and shows them before what they say. It stops at the first command that fails,
// with its error, or at quit.
func Batch(ctx context.Context, s *Session, lines []string, out io.Writer) error {
	for _, line := range lines {
		commands, err := split(line)
		if err != nil {
			return err
		}
		for _, words := range commands {
			command := requote(words)
			if _, err := fmt.Fprintf(out, "(mdb) %s\n", command); err != nil {
				return err
			}
			err := s.Do(ctx, command, out)
			if errors.Is(err, ErrQuit) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", command, err)
			}
		}
	}
	return nil
}
