// Command plain prints the facts that a program in plain Go sees.
package main

import (
	"encoding/json"
	"os"

	"github.com/macemc/macemc/internal/test/programs/facts"
)

func main() {
	if err := json.NewEncoder(os.Stderr).Encode(facts.All()); err != nil {
		os.Exit(1)
	}
}
