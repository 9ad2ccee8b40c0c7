package replaytest

import (
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// Bench measures the steps of random runs without faults, of that many steps each, in processor time, which depends
// little on other processes.
func Bench(b *testing.B, sys sim.System, steps int) {
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		b.Fatal(err)
	}
	run, src := replay.NewRun(w), choose.NewRandom(1, 1)
	b.ReportAllocs()
	began := processor()
	for k := 0; b.Loop(); k++ {
		if k%steps == 0 {
			if err := run.Start(src); err != nil {
				b.Fatal(err)
			}
		}
		if err := run.Step(src.IntN(len(w.Enabled())), src); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/(processor()-began).Seconds(), "steps/cpu-s")
}

// processor returns the processor time used by this process.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
