// Command macemc-mcp is macemc with the command mcp, a server of the Model Context Protocol. "macemc mcp" executes it.
package main

import (
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/task"
)

func main() { os.Exit(program.Main(config(), os.Args[1:])) }

func config() program.Config {
	return program.Config{Commands: func(p *task.Process) []*cobra.Command { return []*cobra.Command{mcpCommand(p)} }}
}

// mcpCommand is "macemc mcp".
func mcpCommand(p *task.Process) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve tools of macemc to an assistant",
		Long: `Serves the Model Context Protocol on standard input and output, with these tools:

` + toolDoc() + `

Results are short. A finding has an id, the name of its path file, which the other tools take.
The tools accept packages and runs of the current module, and bundled systems. Each call
executes macemc in a new process.`,
		Example: `  macemc mcp < requests.jsonl`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			server, err := newServer(dir, program.Systems(), func(args ...string) *exec.Cmd {
				c := p.Respawn()
				c.Args = append(c.Args[:1:1], args...)
				return c
			})
			if err != nil {
				return err
			}
			return server.Run(cmd.Context(), &mcp.StdioTransport{})
		},
	}
}
