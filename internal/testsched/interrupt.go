package testsched

import (
	"os"
	"os/signal"
	"sync/atomic"
)

// interrupted is whether somebody has pressed Ctrl-C.
type interrupted struct{ atomic.Bool }

// watch lets the first SIGINT end the exploration, with a report. The second one ends the process.
func (i *interrupted) watch() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() {
		<-signals
		i.Store(true)
		signal.Stop(signals)
	}()
}
