package cli

import (
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// again returns the arguments that ask for the same search, with its seed.
func again(cmd *cobra.Command, args []string) string {
	words := []string{cmd.Name()}
	for _, arg := range args {
		words = append(words, shellWord(arg))
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Changed && f.Name != "seed" || f.Name == "json" || f.Name == "junit" || f.Name == "out" || f.Name == "write-test" {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if f.Value.Type() == "bool" {
				words = append(words, "--"+f.Name+"="+v)
			} else {
				words = append(words, "--"+f.Name, shellWord(v))
			}
		}
	})
	return strings.Join(words, " ")
}

// shellWord quotes a word where a shell would not leave it as it is.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("-_=.,:/+@%", r) || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
