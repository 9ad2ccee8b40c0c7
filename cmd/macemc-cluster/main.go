// Command macemc-cluster is macemc with the commands of a cluster, and an embedded NATS server. It is executed by
// "macemc cluster", "macemc worker" and "macemc search --cluster".
package main

import (
	"os"

	"github.com/macemc/macemc/cmd/macemc-cluster/clustercmd"
	"github.com/macemc/macemc/cmd/macemc/program"
)

func main() { os.Exit(program.Main(config(), os.Args[1:])) }

func config() program.Config { return program.Config{Commands: clustercmd.Commands} }
