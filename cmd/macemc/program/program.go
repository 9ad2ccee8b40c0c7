// Package program runs the command line of macemc, with additional systems and commands.
package program

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/macemc/macemc/cmd/macemc/internal/bundled"
	"github.com/macemc/macemc/cmd/macemc/internal/cli"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/systems/spec"
)

// Config contains the additions of a program to the bundled systems and to the commands that check systems.
type Config struct {
	// Name is the name of the program in help texts. An empty string means macemc.
	Name string
	// Systems are additional systems.
	Systems []spec.Entry
	// Commands returns additional commands; nil means none. Its argument has all systems, and starts processes of the program.
	Commands func(*task.Process) []*cobra.Command
}

// Systems returns the descriptions of the bundled systems. The slice belongs to the caller.
func Systems() []spec.Entry { return bundled.Systems() }

// Main executes a command line and returns the exit status.
func Main(c Config, args []string) int { return cli.Main(c.cli(), args) }

// Reference returns the help of all commands as pages of Markdown, by file name. The page of a command that another program executes is
// empty.
func Reference(c Config) (map[string]string, error) { return cli.Reference(c.cli()) }

// ClusterFlags adds the flags for the keys that the server of a cluster requires.
func ClusterFlags(fl *pflag.FlagSet, c *task.Cluster) { cli.ClusterFlags(fl, c, "", "") }

func (c Config) cli() cli.Config {
	return cli.Config{Name: c.Name, Systems: append(Systems(), c.Systems...), Commands: c.Commands}
}
