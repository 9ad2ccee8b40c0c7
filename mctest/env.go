package mctest

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/macemc/macemc/check"
)

const (
	timeVar    = "MACEMC_TIME"
	seedVar    = "MACEMC_SEED"
	workersVar = "MACEMC_WORKERS"
	replayVar  = "MACEMC_REPLAY"
	systemVar  = "MACEMC_SYSTEM" // which system a fresh process is to execute
)

// environment is what the environment asks for.
type environment struct {
	time    time.Duration
	seed    uint64
	workers int
	replay  string
	role    check.Role
	system  string
}

func readEnv(short bool) (environment, error) {
	e := environment{
		time:    5 * time.Second,
		seed:    1,
		workers: runtime.GOMAXPROCS(0),
		replay:  os.Getenv(replayVar),
		system:  os.Getenv(systemVar),
	}
	if short {
		e.time = time.Second
	}
	var err error
	if s := os.Getenv(timeVar); s != "" {
		if e.time, err = time.ParseDuration(s); err != nil || e.time <= 0 {
			return e, fmt.Errorf("%s is %q, must be a positive duration such as 30s", timeVar, s)
		}
	}
	if s := os.Getenv(seedVar); s != "" {
		if e.seed, err = strconv.ParseUint(s, 10, 64); err != nil || e.seed == 0 {
			return e, fmt.Errorf("%s is %q, must be a number from 1 on", seedVar, s)
		}
	}
	if s := os.Getenv(workersVar); s != "" {
		if e.workers, err = strconv.Atoi(s); err != nil || e.workers < 1 {
			return e, fmt.Errorf("%s is %q, must be a number from 1 on", workersVar, s)
		}
	}
	e.role, err = check.CurrentRole()
	return e, err
}
