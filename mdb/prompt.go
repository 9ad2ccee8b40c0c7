package mdb

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb/internal/cmdline"
)

// Prompt reads lines from in and executes them, until a line quits the session, in ends, or ctx is done. Errors of commands are shown and
// do not end it. A value from interrupts stops the current command, never the session; nil means that nothing does. The error is that of in
// or out. After ctx is done, one more read from in may be pending.
func Prompt(ctx context.Context, s *Session, in io.Reader, out io.Writer, interrupts <-chan struct{}) error {
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
		case <-interrupts:
			if _, err := fmt.Fprintln(out, "\n\"quit\" ends the session"); err != nil {
				return err
			}
			continue
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
			line = last // as in other debuggers, an empty line repeats the last one
		}
		last = line
		err := interruptible(ctx, interrupts, func(ctx context.Context) error { return s.Do(ctx, line, out) })
		switch {
		case errors.Is(err, ErrQuit):
			return nil
		case errors.Is(err, context.Canceled) && ctx.Err() == nil:
			_, err = fmt.Fprintf(out, "%s was stopped\n", line)
		case err != nil:
			_, err = fmt.Fprintf(textfmt.Printer(out), "error: %v\n", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// interruptible executes a command and cancels its context at the first interrupt.
func interruptible(ctx context.Context, interrupts <-chan struct{}, command func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-interrupts:
			cancel()
		case <-over:
		}
	}()
	err := command(ctx)
	close(over)
	<-done
	cancel()
	return err
}

// Batch executes lines and shows each command before its output. Errors of commands are shown and do not end it, as in [Prompt], except
// errors of commands that continue another run, as later ones then have another run than was meant. It ends at quit, too, and when ctx is
// done. The error is that of the first command that failed.
func Batch(ctx context.Context, s *Session, lines []string, out io.Writer) error {
	s.batch = true
	defer func() { s.batch = false }()
	var first error
	fails := func(err error) error {
		first = cmp.Or(first, err)
		_, err = fmt.Fprintf(textfmt.Printer(out), "error: %v\n", err)
		return err
	}
	for _, line := range lines {
		commands, err := cmdline.Split(line)
		if err != nil {
			if err := fails(err); err != nil {
				return err
			}
		}
		for _, words := range commands {
			command := cmdline.Join(words)
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted before %q: %w", command, ctx.Err())
			}
			if _, err := fmt.Fprintf(out, "(mdb) %s\n", command); err != nil {
				return err
			}
			err := s.write(ctx, words, out)
			switch {
			case errors.Is(err, ErrQuit):
				return first
			case err == nil:
				continue
			}
			err = fmt.Errorf("%s: %w", command, err)
			if ctx.Err() != nil {
				return err
			}
			tried := false
			if c, unknown := s.command(words[0]); unknown == nil && c.branches {
				tried, err = true, fmt.Errorf("%w; no command after it is executed", err)
			}
			if err := fails(err); err != nil || tried {
				return cmp.Or(err, first)
			}
		}
	}
	return first
}
