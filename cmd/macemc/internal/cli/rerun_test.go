package cli

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

// A shell parses the command that repeats a search into the same arguments.
func TestAgain(t *testing.T) {
	var got string
	var f task.Search
	var test string
	cmd := &cobra.Command{Use: "search", RunE: func(cmd *cobra.Command, args []string) error {
		got = rerunArgs(cmd, args)
		return nil
	}}
	subjectFlags(cmd.Flags(), &f.Subject, &test, "check only")
	cmd.Flags().Var((*only)(&f.Property), "property", "")
	cmd.Flags().Uint64Var(&f.Config.Seed, "seed", 1, "")
	cmd.Flags().BoolVar(&f.Config.Alone, "alone", false, "")
	cmd.Flags().BoolVar(&f.KeepGoing, "keep-going", true, "")
	cmd.Flags().BoolVar(&f.JSON, "json", false, "")
	cmd.SetArgs([]string{"./my svc", "--property", "it's done", "--set", "a=1", "--set", "b=2", "--alone", "--keep-going=false", "--json"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	if want := `search './my svc' --alone --keep-going=false --property 'it'\''s done' --seed 1 --set a=1 --set b=2`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
