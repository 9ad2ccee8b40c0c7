package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
)

// flagError describes the error in a flag and suggests alternatives.
func flagError(cmd *cobra.Command, err error) error {
	e, unknown := errors.AsType[*pflag.NotExistError](err)
	switch {
	case unknown && (e.GetSpecifiedName() == "run" || e.GetSpecifiedShortnames() == "run") && cmd.Flags().Lookup("test") != nil:
		err = errors.New("unknown flag --run; --test NAME selects the system of a test, and macemc test -run NAME explores the schedules of a test")
	case unknown:
		name := e.GetSpecifiedName()
		if group, _, _ := strings.Cut(e.GetSpecifiedShortnames(), "="); len(group) > 1 {
			name = group // as in -bug, which pflag takes for three flags
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		if near := textfmt.Near("--"+name, names); len(near) > 0 {
			if name != e.GetSpecifiedName() {
				err = fmt.Errorf("unknown flag: -%s", name)
			}
			err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
		}
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		name, value := "--"+e.GetFlag().Name, e.GetValue()
		switch e.GetFlag().Value.Type() {
		case "duration":
			example := "90s"
			if d, err := time.ParseDuration(value + "s"); err == nil && d >= 0 {
				example = value + "s"
			}
			err = fmt.Errorf("%s %q is not a time with a unit, as in %s %s", name, value, name, example)
		case "bool":
			err = fmt.Errorf("%s %q is neither true nor false", name, value)
		case "int", "int64", "uint64":
			err = fmt.Errorf("%s %q is not a whole number in range", name, value)
		}
	}
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

// emptyFlag rejects empty text values, such as those from unset shell variables. Build tags may be empty.
func emptyFlag(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && f.Name != "tags" {
			err = fmt.Errorf("--%s is given without a value; see %s --help", f.Name, cmd.CommandPath())
		}
	})
	return err
}

// only is the name of the only selected thing. It rejects a second name, which would otherwise silently replace the first.
type only string

func (o *only) Set(name string) error {
	if *o != "" && string(*o) != name {
		return fmt.Errorf("only one is allowed, and %q was given before", *o)
	}
	*o = only(name)
	return nil
}

func (o *only) String() string { return string(*o) }

func (o *only) Type() string { return "string" }

// ClusterFlags adds the flags for the server of a cluster and for the keys that it requires. An empty name omits the flag for the URL.
func ClusterFlags(fl *pflag.FlagSet, c *task.Cluster, name, usage string) {
	if name != "" {
		fl.StringVar(&c.URL, name, "", usage)
	}
	fl.StringVar(&c.CA, "tls-ca", "", "read the certificates of the CA from `FILE`")
	fl.StringVar(&c.Cert, "tls-cert", "", "read this process's certificate from `FILE`")
	fl.StringVar(&c.Key, "tls-key", "", "read the key of the certificate from `FILE`")
	fl.StringVar(&c.TokenFile, "token-file", "", "read the shared secret, at least 16 characters, from `FILE`")
}

// noneOf returns the error for an argument that is not a subcommand, or nil without arguments.
func noneOf(what string, of *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range of.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return textfmt.Unknown(what, args[0], names)
}

func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%s takes one %s, got %d: %s", cmd.CommandPath(), what, len(args), strings.Join(args, " "))
		}
		return nil
	}
}

func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs a %s; see %s --help", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return nil
	}
}

func exactlyOne(what string) cobra.PositionalArgs {
	return cobra.MatchAll(atLeastOne(what), atMostOne(what))
}

// given returns the flags that were set.
func given(cmd *cobra.Command) task.Given {
	var g task.Given
	cmd.Flags().Visit(func(f *pflag.Flag) { g = append(g, f.Name) })
	return g
}

// collectedFlags adds a flag for each format that collects the reports of all systems in one file.
func collectedFlags(fl *pflag.FlagSet, c *task.Collected) {
	for _, f := range render.CollectedFormats() {
		fl.Var(collected{c, f.Name}, f.Name, "also write "+f.Doc+" to `FILE`, or - for standard output")
	}
}

// collected is the flag of one format.
type collected struct {
	all  *task.Collected
	name string
}

func (c collected) Set(file string) error {
	if *c.all == nil {
		*c.all = task.Collected{}
	}
	(*c.all)[c.name] = file
	return nil
}

func (c collected) String() string {
	if c.all == nil { // pflag calls it on the zero value
		return ""
	}
	return (*c.all)[c.name]
}

func (c collected) Type() string { return "string" }

// formatHelp is the help of a flag that selects one of the formats listed in the text of the command.
const formatHelp = "format `NAME` (default: by extension of OUT)"
