package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Row describes lines of a file of type F: a name, a blank and a value. A file may come from a stranger, so Read returns
// an error unless the value has the grammar.
type Row[F any] struct {
	Name, Grammar string
	Write         func(f *F) []string // the values of all lines of that name; nil means that another row writes them
	Read          func(f *F, value string) error
	Repeats       bool // a file may have several
}

// Field returns the row of a field.
func Field[F any, T comparable](name, grammar string, field func(*F) *T, format func(T) string, parse func(string) (T, error)) Row[F] {
	return Row[F]{Name: name, Grammar: grammar,
		Write: func(f *F) []string { return []string{format(*field(f))} },
		Read: func(f *F, text string) (err error) {
			*field(f), err = parse(text)
			return err
		}}
}

// Flag returns the row of a field that is true or false.
func Flag[F any](name string, field func(*F) *bool) Row[F] {
	return Field(name, "true or false", field, strconv.FormatBool, strconv.ParseBool)
}

// Number returns the row of a number.
func Number[F any](name string, field func(*F) *uint64) Row[F] {
	return Field(name, "NUMBER", field, func(n uint64) string { return strconv.FormatUint(n, 10) },
		func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
}

// Text returns the row of a text that passes a check; nil means that the text is only shown or compared.
func Text[F any](name, grammar string, field func(*F) *string, check func(string) error) Row[F] {
	return Field(name, grammar, field, func(text string) string { return text }, func(text string) (string, error) {
		if check == nil {
			return Printable(text), nil
		}
		return text, check(text)
	})
}

// Texts returns the row of a list of texts that are only shown or compared.
func Texts[F any](name, grammar string, field func(*F) *[]string) Row[F] {
	return Row[F]{Name: name, Grammar: grammar, Repeats: true,
		Write: func(f *F) []string { return *field(f) },
		Read: func(f *F, text string) error {
			*field(f) = append(*field(f), Printable(text))
			return nil
		}}
}

// Optional returns a row without a line if the field has its zero value.
func (l Row[F]) Optional() Row[F] {
	write, zero := l.Write, l.Write(new(F))
	l.Write = func(f *F) []string {
		if values := write(f); !slices.Equal(values, zero) {
			return values
		}
		return nil
	}
	return l
}

// AppendRows appends the lines of a file.
func AppendRows[F any](text []byte, table []Row[F], f *F) []byte {
	for _, l := range table {
		if l.Write == nil {
			continue
		}
		for _, value := range l.Write(f) {
			text = append(text, l.Name+" "+value+"\n"...)
		}
	}
	return text
}

// ReadRow reads a line. seen has the names of the earlier ones.
func ReadRow[F any](line string, table []Row[F], f *F, seen map[string]bool) error {
	name, value, _ := strings.Cut(line, " ")
	at := slices.IndexFunc(table, func(l Row[F]) bool { return l.Name == name })
	if at < 0 {
		return fmt.Errorf("unknown line %q", Printable(name))
	}
	l := &table[at]
	if seen[name] && !l.Repeats {
		return fmt.Errorf("a second line %q", name)
	}
	seen[name] = true
	if err := l.Read(f, value); err != nil {
		return fmt.Errorf("%w (%s %s)", err, name, l.Grammar)
	}
	return nil
}
