package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/check/exitcode"
)

func (a *app) shardsMergeCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "merge PATH...",
		Short: "Merge the reports of the shards of a search",
		Long: `Merges the reports that "macemc search --shard K/N --json" printed in N processes: similar
findings are reported once, walks are added up, and an event counts as never having happened
if it happened in no shard. A PATH is a report or a folder, which is read with its subfolders.
Missing shards are named, and without them the result is at best inconclusive.

The exit status is that of the worst shard:

` + strings.TrimRight(exitcode.Table(), "\n"),
		Example: `  macemc search paxos --strategy walk --shard 1/2 --time 1m --json > shards/1.json
  macemc search paxos --strategy walk --shard 2/2 --time 1m --json > shards/2.json
  macemc merge shards`,
		Args: atLeastOne("PATH"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.Merge(cmd.Context(), args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
