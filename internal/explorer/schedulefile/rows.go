package schedulefile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// row describes lines of a file: a name, a blank and a value. A file may come from a stranger, so read returns an error unless the value has
// the grammar.
type row struct {
	name, grammar string
	write         func(f *Stored) []string // the values of all lines of that name; nil means that another row writes them
	read          func(f *Stored, value string) error
	repeats       bool // a file may have several
}

// field returns the row of a field.
func field[T any](name, grammar string, at func(*Stored) *T, format func(T) string, parse func(string) (T, error)) row {
	return row{name: name, grammar: grammar,
		write: func(f *Stored) []string { return []string{format(*at(f))} },
		read: func(f *Stored, text string) (err error) {
			*at(f), err = parse(text)
			return err
		}}
}

// flag returns the row of a field that is true or false.
func flag(name string, at func(*Stored) *bool) row {
	return field(name, "true or false", at, strconv.FormatBool, strconv.ParseBool)
}

// number returns the row of a number.
func number(name string, at func(*Stored) *uint64) row {
	return field(name, "NUMBER", at, func(n uint64) string { return strconv.FormatUint(n, 10) },
		func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
}

// text returns the row of a text that passes a check; nil means that the text is only shown or compared.
func text(name, grammar string, at func(*Stored) *string, check func(string) error) row {
	return field(name, grammar, at, func(text string) string { return text }, func(text string) (string, error) {
		if check == nil {
			return program.Printable(text), nil
		}
		return text, check(text)
	})
}

// texts returns the row of a list of texts that are only shown or compared.
func texts(name, grammar string, at func(*Stored) *[]string) row {
	return row{name: name, grammar: grammar, repeats: true,
		write: func(f *Stored) []string { return *at(f) },
		read: func(f *Stored, text string) error {
			*at(f) = append(*at(f), program.Printable(text))
			return nil
		}}
}

// optional returns a row without a line if the field has its zero value.
func (l row) optional() row {
	write, zero := l.write, l.write(new(Stored))
	l.write = func(f *Stored) []string {
		if values := write(f); !slices.Equal(values, zero) {
			return values
		}
		return nil
	}
	return l
}

// appendRows appends the lines of a file.
func appendRows(text []byte, f *Stored) []byte {
	for _, l := range storedLines {
		if l.write == nil {
			continue
		}
		for _, value := range l.write(f) {
			text = append(text, l.name+" "+value+"\n"...)
		}
	}
	return text
}

// readRow reads a line. seen has the names of the earlier ones.
func readRow(line string, f *Stored, seen map[string]bool) error {
	name, value, _ := strings.Cut(line, " ")
	at := slices.IndexFunc(storedLines, func(l row) bool { return l.name == name })
	if at < 0 {
		return fmt.Errorf("unknown line %q", program.Printable(name))
	}
	l := &storedLines[at]
	if seen[name] && !l.repeats {
		return fmt.Errorf("a second line %q", name)
	}
	seen[name] = true
	if err := l.read(f, value); err != nil {
		return fmt.Errorf("%w (%s %s)", err, name, l.grammar)
	}
	return nil
}
