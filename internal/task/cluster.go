package task

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/durable"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/sim"
)

// Cluster specifies the server of the workers and the credentials for it. Its fields are flags.
type Cluster struct {
	URL       string // an empty string means none
	CA        string // files
	Cert      string
	Key       string
	TokenFile string
	Replicas  int // servers that store the results; 0 means three, or one if there are fewer
}

// ClusterJob is the job of the workers.
type ClusterJob struct {
	Build   string
	Title   string
	Job     json.RawMessage // see [Process.JobSystem]
	Visited string
	Depth   int
}

// job is the input from which a worker builds a system.
type job struct {
	Subject      Subject
	HandlerLimit time.Duration
}

// ClusterBuild identifies the build of this program. All processes of a cluster must have the same.
func ClusterBuild() string {
	b := durable.NewBuild(version.Current().String(), nil, 0)
	return fmt.Sprintf("%s %.16s", b.Program, b.Binary)
}

// validateCluster returns an error for options that workers do not support.
func (f *Search) validateCluster() error {
	switch n := f.Cluster.Replicas; {
	case f.Cluster.URL == "":
	case f.Given.Has("replicas") && n != 1 && n != 3:
		return fmt.Errorf("--replicas is %d, must be 1 or 3: two replicas have no majority when one is lost", n)
	case f.Given.Has("memory"):
		return fmt.Errorf("--memory limits this process, which stores no states; set it for each macemc worker")
	case f.Config.Reduce == options.ReduceAuto:
		return fmt.Errorf("--cluster cannot be combined with --reduce %s, which omits states", f.Config.Reduce)
	case f.Config.Shortest:
		return fmt.Errorf("--cluster searches breadth first and finds a shortest run anyway; omit --shortest")
	case f.Config.Visited == stateset.Exact:
		return fmt.Errorf("--visited %s stores whole states, but a cluster stores fingerprints: use 64 or 128 (default 128)", f.Config.Visited)
	}
	return nil
}

// clusterJob returns the job sent to the workers.
func (f *Search) clusterJob(p *Process, s *check.Subject) (ClusterJob, error) {
	if s.Entry.Package != "" || p.Cluster == nil {
		return ClusterJob{}, fmt.Errorf("--cluster supports only bundled systems: workers cannot build the tests of a package")
	}
	subject := f.Subject
	subject.Given = nil // except for the system's own flags: the same search may be requested with other limits
	names := []string{"nodes", "timing", "interleave", "crash-cut"}
	for f := range sim.FaultCount {
		names = append(names, f.String())
	}
	for _, name := range names {
		if f.Given.Has(name) {
			subject.Given = append(subject.Given, name)
		}
	}
	text, err := json.Marshal(job{subject, f.Config.HandlerLimit})
	return ClusterJob{
		Build: ClusterBuild(), Title: f.System, Job: text, Visited: string(cmp.Or(f.Config.Visited, stateset.Fingerprints128)),
		Depth: f.Config.MaxDepth,
	}, err
}

// JobSystem returns the system of a job, and a function that reports when its code has exceeded the handler limit.
func (p *Process) JobSystem(text json.RawMessage) (sys *sim.System, overdue func(ticks int) bool, err error) {
	var j job
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, nil, err
	}
	subject, err := j.Subject.build(p)
	if err != nil {
		return nil, nil, err
	}
	sys = &subject.System
	if j.Subject.Property != "" {
		only, err := sys.Only(j.Subject.Property)
		if err != nil {
			return nil, nil, err
		}
		sys = &only
	}
	return sys, runloop.Overdue(j.HandlerLimit), nil
}
