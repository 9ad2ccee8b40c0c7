// Package option has the rules of options. An option is one row of a table: commands make their flags from it, and
// searches validate and complete their fields by it.
package option

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/search/strategy"
)

// Row is an option: a field of T and the rules for its value. The option is in use if its value is neither zero nor
// in Idle.
type Row[T any] struct {
	Flag  string // its name in commands; empty means that it has no flag
	Field string // its name for callers of packages; empty means that only commands have it
	Help  string // of the flag
	At    func(*T) any

	Default     any // of the flag; nil means zero
	Zero        any // what zero stands for, or a function that returns it; nil means zero
	Least, Most int // of a given number; 0 for Most means any
	Kinds       []string
	Idle        []string

	Needs strategy.Capability // of the strategy, for an option in use
	With  string              // another flag that it needs
	Not   []string            // other flags that it contradicts
	Is    Mark
}

// Mark is a set of properties of an option.
type Mark uint8

const (
	Usual   Mark = 1 << iota // short help shows it
	Single                   // it is for searches of one system
	Fixed                    // a resumed search must have the same value
	Omits                    // in use, it leaves out states, which a log and a cluster need
	Lenient                  // callers of packages may set it for strategies that ignore it
)

// Caller is whose options are checked.
type Caller struct {
	Strategy string
	Given    func(flag string) bool // whether a flag was given; nil means that errors name fields instead of flags
}

// name returns the name of an option in an error.
func (c *Caller) name(flag, field string) string {
	if c.Given == nil {
		return field
	}
	return "--" + flag
}

// InUse reports whether the option is in use.
func (r *Row[T]) InUse(t *T) bool {
	v := r.value(t)
	return !v.IsZero() && (v.Kind() != reflect.String || !slices.Contains(r.Idle, v.String()))
}

func (r *Row[T]) value(t *T) reflect.Value { return reflect.ValueOf(r.At(t)).Elem() }

// use returns the name of an option in use, with its value if that is one of several kinds.
func (r *Row[T]) use(t *T, c *Caller) string {
	name := c.name(r.Flag, r.Field)
	if v := r.value(t); r.Field != "" && v.Kind() == reflect.String {
		name += " " + v.String()
	}
	return name
}

// Check returns an error for the first invalid option of t. has reports whether another flag is in use; it may be nil if no row has Not or
// With.
func Check[T any](rows []Row[T], t *T, c Caller, has func(flag string) bool) error {
	for i := range rows {
		r := &rows[i]
		if err := r.check(t, &c); err != nil {
			return err
		}
		if !r.InUse(t) {
			continue
		}
		for _, other := range r.Not {
			if has(other) {
				return fmt.Errorf("--%s and --%s contradict each other; give one of them", r.Flag, other)
			}
		}
		if r.With != "" && !has(r.With) {
			return fmt.Errorf("--%s needs --%s; give both", r.Flag, r.With)
		}
	}
	for i := range rows {
		r := &rows[i]
		if c.Given == nil && r.Is&Lenient != 0 {
			continue
		}
		if have := strategy.Named(c.Strategy); r.InUse(t) && !have.Can(r.Needs) {
			return fmt.Errorf("%s needs a strategy that %v (%s), not %s", r.use(t, &c), r.Needs, strings.Join(strategy.Names(r.Needs), ", "),
				have.Name)
		}
	}
	return nil
}

// check returns an error for a value that no search accepts.
func (r *Row[T]) check(t *T, c *Caller) error {
	v, name := r.value(t), c.name(r.Flag, r.Field)
	given := c.Given != nil && c.Given(r.Flag)
	if v.Kind() == reflect.String {
		if len(r.Kinds) > 0 && (v.String() != "" || given) && !slices.Contains(r.Kinds, v.String()) {
			return fmt.Errorf("%s %q is not available; accepted are %s", name, v, strings.Join(r.Kinds, ", "))
		}
		return nil
	}
	if !v.CanInt() && !v.CanUint() {
		return nil
	}
	n := 0
	if v.CanInt() {
		n = int(v.Int())
	} else {
		n = int(min(v.Uint(), 1<<62))
	}
	least := 0
	if given {
		least = r.Least
	}
	_, time := v.Interface().(time.Duration)
	switch {
	case n < least && time && least > 0:
		return fmt.Errorf("%s is %v, must be positive", name, v)
	case n < least && least == 0:
		return fmt.Errorf("%s is %v, must not be negative", name, v)
	case n < least:
		return fmt.Errorf("%s is %v, must be at least %d", name, v, least)
	case r.Most > 0 && n > r.Most:
		return fmt.Errorf("%s is %v, must be at most %d", name, v, r.Most)
	}
	return nil
}

// Complete replaces zero values by what they stand for.
func Complete[T any](rows []Row[T], t *T) {
	for i := range rows {
		v, zero := rows[i].value(t), reflect.ValueOf(rows[i].Zero)
		if !zero.IsValid() || !v.IsZero() {
			continue
		}
		if zero.Kind() == reflect.Func {
			zero = zero.Call(nil)[0]
		}
		v.Set(zero.Convert(v.Type()))
	}
}

// Complain returns an error about the first option of t that leaves out states. what needs all states.
func Complain[T any](rows []Row[T], t *T, c Caller, what string) error {
	for i := range rows {
		if r := &rows[i]; r.Is&Omits != 0 && r.InUse(t) {
			return errors.New(what + " cannot be combined with " + r.use(t, &c) + ", which omits states")
		}
	}
	return nil
}

// Flags returns the flags of the options with a mark.
func Flags[T any](rows []Row[T], m Mark) (flags []string) {
	for i := range rows {
		if rows[i].Is&m != 0 {
			flags = append(flags, rows[i].Flag)
		}
	}
	return flags
}

// Settings returns the options in use that resumed searches must have in common, by their flags.
func Settings[T any](rows []Row[T], t *T) map[string]string {
	all := map[string]string{}
	for i := range rows {
		if r := &rows[i]; r.Is&Fixed != 0 && r.InUse(t) {
			all[r.Flag] = strings.Trim(fmt.Sprint(r.value(t)), "[]")
		}
	}
	return all
}
