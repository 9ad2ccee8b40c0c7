// Package config has tests of services that read and watch their configuration.
package config

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/viper"
)

// settings are what the service uses, behind a lock.
type settings struct {
	mu   sync.RWMutex
	host string
	port int
}

func (s *settings) set(host string, port int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host, s.port = host, port
}

func (s *settings) getHost() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.host
}

func (s *settings) getPort() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.port
}

func (s *settings) both() (string, int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.host, s.port
}

func TestViper(t *testing.T) {
	v := viper.New()
	v.SetConfigType("yaml")
	v.SetDefault("port", 80)
	t.Setenv("SERVICE_HOST", "b.example.org")
	v.SetEnvPrefix("service")
	v.AutomaticEnv()
	if err := v.ReadConfig(strings.NewReader("host: a.example.org\nlog: {level: info}\n")); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if v.GetString("host") != "b.example.org" || v.GetInt("port") != 80 || v.GetString("log.level") != "info" {
				t.Errorf("got %v", v.AllSettings())
			}
		})
	}
	wg.Wait()
}

// reloads sets a new configuration while a request reads host and port.
func reloads(t *testing.T, read func(s *settings) (string, int)) {
	t.Helper()
	var s settings
	load := func(text string) {
		v := viper.New()
		v.SetConfigType("yaml")
		if err := v.ReadConfig(strings.NewReader(text)); err != nil {
			t.Error(err)
		}
		s.set(v.GetString("host"), v.GetInt("port"))
	}
	load("host: old\nport: 1")
	var wg sync.WaitGroup
	wg.Go(func() {
		if host, port := read(&s); (host == "old") != (port == 1) {
			t.Errorf("got %s:%d", host, port)
		}
	})
	time.Sleep(500 * time.Microsecond)
	load("host: new\nport: 2")
	wg.Wait()
}

func TestViperDefect(t *testing.T) {
	reloads(t, func(s *settings) (string, int) { return s.getHost(), s.getPort() })
}

func TestViperMended(t *testing.T) { reloads(t, (*settings).both) }

func TestFsnotify(t *testing.T) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := w.Add(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e := <-w.Events; e.Name != path || !e.Has(fsnotify.Create) {
		t.Errorf("got %v", e)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// stops closes a watcher while a goroutine hands over its events.
func stops(t *testing.T, hand func(w *fsnotify.Watcher, changes chan<- string, stop <-chan struct{})) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := w.Add(dir); err != nil {
		t.Fatal(err)
	}
	changes, stop := make(chan string), make(chan struct{})
	go hand(w, changes, stop)
	os.WriteFile(filepath.Join(dir, "config"), []byte("a"), 0o600)
	go func() { time.Sleep(900 * time.Microsecond); close(stop) }()
	select {
	case <-changes:
		<-stop
	case <-stop:
	}
	w.Close()
}

func TestFsnotifyDefect(t *testing.T) {
	stops(t, func(w *fsnotify.Watcher, changes chan<- string, _ <-chan struct{}) { changes <- (<-w.Events).Name })
}

func TestFsnotifyMended(t *testing.T) {
	stops(t, func(w *fsnotify.Watcher, changes chan<- string, stop <-chan struct{}) {
		select {
		case changes <- (<-w.Events).Name:
		case <-stop:
		}
	})
}

func TestKoanf(t *testing.T) {
	k := koanf.New(".")
	var wg sync.WaitGroup
	for _, key := range []string{"db.host", "db.port"} {
		wg.Go(func() {
			if err := k.Set(key, key); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if k.String("db.host") != "db.host" || !k.Exists("db.port") {
		t.Errorf("got %s", k.Sprint())
	}
}

// adds adds a name to the list of peers, by each of two requests.
func adds(t *testing.T, add func(k *koanf.Koanf, mu *sync.Mutex, name string)) {
	t.Helper()
	k := koanf.New(".")
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, name := range []string{"a", "b"} {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			add(k, &mu, name)
		})
	}
	wg.Wait()
	if peers := k.Strings("peers"); len(peers) != 2 {
		t.Errorf("peers %v", peers)
	}
}

func appendPeer(k *koanf.Koanf, name string) { k.Set("peers", append(k.Strings("peers"), name)) }

func TestKoanfDefect(t *testing.T) {
	adds(t, func(k *koanf.Koanf, _ *sync.Mutex, name string) { appendPeer(k, name) })
}

func TestKoanfMended(t *testing.T) {
	adds(t, func(k *koanf.Koanf, mu *sync.Mutex, name string) {
		mu.Lock()
		defer mu.Unlock()
		appendPeer(k, name)
	})
}
