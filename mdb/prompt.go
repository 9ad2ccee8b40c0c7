package mdb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// Prompt reads lines from in and executes them, until one says quit, in ends, or ctx is done. Errors of
// commands are shown and do not end it. The error is that of in or out. When ctx is done in may still be read
// from once more.
func Prompt(ctx context.Context, s *Session, in io.Reader, out io.Writer) error {
	lines, failed, over := make(chan string), make(chan error, 1), make(chan struct{})
	defer close(over)
	go func() {
		defer close(lines)
		reader := bufio.NewScanner(in)
		reader.Buffer(nil, 1<<20)
		for reader.Scan() {
			select {
			case lines <- reader.Text():
			case <-over:
				return
			}
		}
		failed <- reader.Err()
	}()
	last := ""
	for ctx.Err() == nil {
		if _, err := fmt.Fprint(out, "(mdb) "); err != nil {
			return err
		}
		var line string
		var more bool
		select {
		case line, more = <-lines:
		case <-ctx.Done():
		}
		if !more {
			fmt.Fprintln(out)
			if ctx.Err() != nil {
				return nil
			}
			return <-failed
		}
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

// Batch executes lines and shows their commands before what they say. It stops at the first that fails, with
// its error, at quit, and, with an error, when ctx is done.
func Batch(ctx context.Context, s *Session, lines []string, out io.Writer) error {
	for _, line := range lines {
		commands, err := split(line)
		if err != nil {
			return err
		}
		for _, words := range commands {
			command := join(words)
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted before %q: %w", command, ctx.Err())
			}
			if _, err := fmt.Fprintf(out, "(mdb) %s\n", command); err != nil {
				return err
			}
			err := s.write(ctx, words, out)
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
