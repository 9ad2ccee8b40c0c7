// Package outside reads what is not part of the system.
package outside

import (
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/macemc/macemc/sim"
)

type node struct{ sim.Nop }

func (n *node) Boot(env sim.Env) {
	_ = os.Getenv("HOME")          // want "input from outside: uses os.Getenv"
	_, err := os.ReadFile("state") // want "uses os.ReadFile"
	if errors.Is(err, os.ErrNotExist) || os.IsNotExist(err) {
		log.Println("new")
		fmt.Fprintln(os.Stderr, "new")
	}
	_, _ = net.Dial("tcp", "a:1") // want "uses net.Dial"
	_ = net.ParseIP("10.0.0.1").String()
	_, _ = http.Get("http://a")        // want "uses http.Get"
	_, _ = http.DefaultClient.Get("a") // want "uses .*http.Client..Get"
	_, _ = env.Disk().Get("state")
}
