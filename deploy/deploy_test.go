// Package deploy tests the files that run a cluster in containers. It is a module of its own, so that no other module requires the
// parsers of these files.
package deploy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// commands are those of a cluster: stores, one worker, and a search.
type commands struct {
	stores         [][]string
	worker, search []string
}

// Docker's own loader takes the compose file, and its commands search.
func TestCompose(t *testing.T) {
	project, err := loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir: ".", ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml"}},
	}, func(o *loader.Options) { o.Profiles = []string{"search"} })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(project.Services)), []string{"search", "store-1", "store-2", "store-3", "worker"}; !slices.Equal(got, want) {
		t.Fatalf("services %q, want %q", got, want)
	}
	var c commands
	for _, name := range []string{"store-1", "store-2", "store-3"} {
		s := project.Services[name]
		keeps := slices.ContainsFunc(s.Volumes, func(v types.ServiceVolumeConfig) bool { return v.Target == "/store" && v.Source == name })
		if !keeps || !slices.Contains(s.Command, "--listen="+name+":4222") {
			t.Errorf("%s keeps what it has in a volume of its own: %v; %q", name, keeps, s.Command)
		}
		c.stores = append(c.stores, s.Command)
	}
	c.worker, c.search = project.Services["worker"].Command, project.Services["search"].Command
	try(t, c)
}

// Kubernetes' own types take all manifests, every field of them, and their commands search.
func TestKubernetes(t *testing.T) {
	var store appsv1.StatefulSet
	var service corev1.Service
	var budget policyv1.PodDisruptionBudget
	var worker appsv1.Deployment
	var search batchv1.Job
	documents(t, "kubernetes.yaml", &service, &budget, &store, &worker)
	documents(t, "search.yaml", &search)

	if store.Spec.ServiceName != service.Name || *store.Spec.Replicas != 3 {
		t.Errorf("%d stores by the service %q, want 3 by %q", *store.Spec.Replicas, store.Spec.ServiceName, service.Name)
	}
	for what, selector := range map[string]map[string]string{
		"the service": service.Spec.Selector, "the budget": budget.Spec.Selector.MatchLabels, "the set": store.Spec.Selector.MatchLabels,
	} {
		if !maps.Equal(selector, store.Spec.Template.Labels) {
			t.Errorf("%s is for %v, stores are %v", what, selector, store.Spec.Template.Labels)
		}
	}
	if !maps.Equal(worker.Spec.Selector.MatchLabels, worker.Spec.Template.Labels) {
		t.Errorf("the deployment is for %v, workers are %v", worker.Spec.Selector.MatchLabels, worker.Spec.Template.Labels)
	}
	for _, pod := range []*corev1.PodSpec{&store.Spec.Template.Spec, &worker.Spec.Template.Spec, &search.Spec.Template.Spec} {
		mounted(t, pod, store.Spec.VolumeClaimTemplates)
	}
	c := commands{worker: worker.Spec.Template.Spec.Containers[0].Args, search: search.Spec.Template.Spec.Containers[0].Args}
	for i := range *store.Spec.Replicas {
		var args []string
		for _, arg := range store.Spec.Template.Spec.Containers[0].Args {
			args = append(args, strings.ReplaceAll(arg, "$(POD)", fmt.Sprintf("%s-%d", store.Name, i)))
		}
		c.stores = append(c.stores, args)
	}
	try(t, c)
}

// documents reads a file that has these, in this order. A field that there is not is an error.
func documents(t *testing.T, file string, into ...any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "\n---\n")
	if len(parts) != len(into) {
		t.Fatalf("%s has %d documents, want %d", file, len(parts), len(into))
	}
	for i, part := range parts {
		if err := yaml.UnmarshalStrict([]byte(part), into[i]); err != nil {
			t.Fatalf("%s, document %d: %v", file, i+1, err)
		}
	}
}

// mounted checks that each mount has a volume or claim, and that a mount contains each file in the arguments.
func mounted(t *testing.T, pod *corev1.PodSpec, claims []corev1.PersistentVolumeClaim) {
	t.Helper()
	c := &pod.Containers[0]
	var paths []string
	for _, m := range c.VolumeMounts {
		paths = append(paths, m.MountPath)
		if !slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) &&
			!slices.ContainsFunc(claims, func(v corev1.PersistentVolumeClaim) bool { return v.Name == m.Name }) {
			t.Errorf("%s mounts %s, which there is not", c.Name, m.Name)
		}
	}
	for _, arg := range c.Args {
		if _, file, ok := strings.Cut(arg, "=/"); ok && !slices.Contains(paths, "/"+strings.Split(file, "/")[0]) {
			t.Errorf("%s: nothing is mounted for %s", c.Name, arg)
		}
	}
}

// Docker's own parser takes the Dockerfile, and the program is what the manifests give arguments to.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	stages, _, err := instructions.Parse(file.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := stages[len(stages)-1]
	entry, ok := last.Commands[len(last.Commands)-1].(*instructions.EntrypointCommand)
	if !ok || !slices.Equal(entry.CmdLine, []string{"/macemc"}) {
		t.Errorf("the last command is %v", last.Commands[len(last.Commands)-1])
	}
}

var address = regexp.MustCompile(`\b[a-z0-9.-]+:[0-9]{4}\b`)

// try runs the commands on this machine, with its addresses, folders and keys in the place of those of containers, and wants all states counted.
func try(t *testing.T, c commands) {
	t.Helper()
	dir := t.TempDir()
	program, keys := filepath.Join(dir, "macemc"), filepath.Join(dir, "keys")
	for _, cmd := range []*exec.Cmd{exec.Command("go", "build", "-ldflags=-w", "-o", program, "../cmd/macemc-cluster"),
		exec.Command("./keys.sh", keys, "127.0.0.1")} {
		cmd.Env = append(os.Environ(), "GOWORK=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
	}
	local, ports := map[string]string{}, free(t, 20)
	here := func(store string, args []string) []string {
		args = slices.Clone(args)
		for i, arg := range args {
			arg = address.ReplaceAllStringFunc(arg, func(name string) string {
				if local[name] == "" {
					local[name] = ports[len(local)]
				}
				return local[name]
			})
			arg = strings.Replace(arg, "=/keys/", "="+keys+"/", 1)
			args[i] = strings.Replace(arg, "=/store", "="+filepath.Join(dir, store), 1)
		}
		return args
	}
	for i, args := range c.stores {
		start(t, program, here(fmt.Sprint("store", i), args), "nats://")
	}
	if len(local) != 2*len(c.stores) {
		t.Fatalf("%d stores, with the addresses %v", len(c.stores), local)
	}
	for range 2 {
		start(t, program, here("", c.worker), "")
	}
	out, err := exec.Command(program, here("", c.search)...).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("complete: 98,160 states, 506,256 transitions")) {
		t.Errorf("%v\n%s", err, out)
	}
	if len(local) != 2*len(c.stores) {
		t.Errorf("workers or searches go elsewhere: %v", local)
	}
}

// start starts a process that ends with the test, and waits until it prints a line that begins so.
func start(t *testing.T, program string, args []string, prints string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		last := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		defer last.Stop()
		_ = cmd.Wait()
	})
	if lines := bufio.NewScanner(out); prints != "" && (!lines.Scan() || !strings.HasPrefix(lines.Text(), prints)) {
		t.Fatalf("%q printed %q", args, lines.Text())
	}
}

// free returns different addresses at which no process listens. They are below the ports that the system assigns.
func free(t *testing.T, n int) (addrs []string) {
	t.Helper()
	for tries := 0; len(addrs) < n; tries++ {
		addr := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		l, err := net.Listen("tcp", addr)
		if err == nil {
			defer l.Close()
			addrs = append(addrs, addr)
		} else if tries > 1000 {
			t.Fatal(err)
		}
	}
	return addrs
}
