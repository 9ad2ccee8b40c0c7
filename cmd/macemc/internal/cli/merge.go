package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/check"
)

func (a *app) shardsMergeCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "merge PATH...",
		Short: "Merge the reports of the shards of a search",
		Long: `Reads what "macemc search --shard K/N --json" printed in each of N processes, and says what
all of them found and covered: findings that are alike are told once, walks are added up,
and what happened in none of the shards never happened. A PATH is such a report, or a
folder; all reports of shards below it are read. Shards that are not there are named,
and without them nothing is said to be in order.

The exit status is that of the worst shard:

` + strings.TrimRight(check.StatusTable(), "\n"),
		Example: `  macemc search paxos --strategy walk --shard 1/2 --time 1m --json > shards/1.json
  macemc search paxos --strategy walk --shard 2/2 --time 1m --json > shards/2.json
  macemc merge shards`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s needs a PATH; see %s --help", cmd.CommandPath(), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.Merge(cmd.Context(), args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
