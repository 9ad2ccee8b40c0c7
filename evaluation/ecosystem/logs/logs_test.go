// Package logs has tests of services that write logs.
package logs

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/rs/zerolog"
	"github.com/sirupsen/logrus"
	logrustest "github.com/sirupsen/logrus/hooks/test"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	"gopkg.in/natefinch/lumberjack.v2"
)

// together executes a function twice at the same time, the second one a little later.
func together(f func(i int)) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			f(i)
		})
	}
	wg.Wait()
}

// audited lets a goroutine write the last line of a request, and reads the log then.
func audited(t *testing.T, write func(line string), lines func() int, settle func(done <-chan struct{})) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		write("done")
	}()
	settle(done)
	if n := lines(); n != 1 {
		t.Errorf("%d lines", n)
	}
	<-done
}

func sleep(<-chan struct{})     { time.Sleep(900 * time.Microsecond) }
func wait(done <-chan struct{}) { <-done }

func TestZap(t *testing.T) {
	core, logs := observer.New(zapcore.InfoLevel)
	l := zap.New(core)
	together(func(i int) { l.With(zap.Int("request", i)).Info("served"); l.Debug("not seen") })
	if n := logs.FilterMessage("served").Len(); n != 2 || logs.Len() != 2 {
		t.Errorf("%d of %d entries", n, logs.Len())
	}
}

func zapAudited(t *testing.T, settle func(done <-chan struct{})) {
	t.Helper()
	core, logs := observer.New(zapcore.InfoLevel)
	l := zap.New(core)
	audited(t, func(line string) { l.Info(line) }, logs.Len, settle)
}

func TestZapDefect(t *testing.T) { zapAudited(t, sleep) }

func TestZapMended(t *testing.T) { zapAudited(t, wait) }

func TestZerolog(t *testing.T) {
	var out bytes.Buffer
	l := zerolog.New(zerolog.SyncWriter(&out)).With().Timestamp().Logger()
	together(func(i int) { l.Info().Int("request", i).Msg("served") })
	if n := strings.Count(out.String(), `"message":"served"`); n != 2 {
		t.Errorf("%d lines in %s", n, out.String())
	}
}

// pages is a hook that pages someone for the first error.
type pages struct {
	once func(first *sync.Map) bool
	sent *sync.Map
	n    *counter
}

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
	return c.n
}

func (p pages) Run(_ *zerolog.Event, level zerolog.Level, _ string) {
	if level == zerolog.ErrorLevel && p.once(p.sent) {
		p.n.add(1)
	}
}

func paged(t *testing.T, once func(sent *sync.Map) bool) {
	t.Helper()
	p := pages{once, new(sync.Map), new(counter)}
	l := zerolog.New(io.Discard).Hook(p)
	together(func(int) { l.Error().Msg("failed") })
	if n := p.n.add(0); n != 1 {
		t.Errorf("paged %d times", n)
	}
}

func TestZerologDefect(t *testing.T) {
	paged(t, func(sent *sync.Map) bool {
		if _, ok := sent.Load("page"); ok {
			return false
		}
		sent.Store("page", true)
		return true
	})
}

func TestZerologMended(t *testing.T) {
	paged(t, func(sent *sync.Map) bool {
		_, ok := sent.LoadOrStore("page", true)
		return !ok
	})
}

func TestLogrus(t *testing.T) {
	l, hook := logrustest.NewNullLogger()
	together(func(i int) { l.WithField("request", i).Warn("slow") })
	if n := len(hook.AllEntries()); n != 2 {
		t.Errorf("%d entries", n)
	}
}

// forward is a hook that hands entries to a collector.
type forward struct {
	entries chan *logrus.Entry
	stopped chan struct{}
	send    func(f *forward, e *logrus.Entry)
}

func (f *forward) Levels() []logrus.Level { return logrus.AllLevels }

func (f *forward) Fire(e *logrus.Entry) error {
	f.send(f, e)
	return nil
}

// forwards logs while the collector stops after a while.
func forwards(send func(f *forward, e *logrus.Entry)) {
	l, _ := logrustest.NewNullLogger()
	f := &forward{make(chan *logrus.Entry), make(chan struct{}), send}
	l.AddHook(f)
	go func() {
		defer close(f.stopped)
		select {
		case <-f.entries:
		case <-time.After(900 * time.Microsecond):
		}
	}()
	l.Info("started")
}

func TestLogrusDefect(t *testing.T) { forwards(func(f *forward, e *logrus.Entry) { f.entries <- e }) }

func TestLogrusMended(t *testing.T) {
	forwards(func(f *forward, e *logrus.Entry) {
		select {
		case f.entries <- e:
		case <-f.stopped:
		}
	})
}

func TestHclog(t *testing.T) {
	var out bytes.Buffer
	l := hclog.New(&hclog.LoggerOptions{Name: "service", Output: &out, JSONFormat: true, Mutex: new(sync.Mutex)})
	together(func(i int) { l.Named("db").Info("query", "n", i) })
	if n := strings.Count(out.String(), `"@module":"service.db"`); n != 2 {
		t.Errorf("%d lines in %s", n, out.String())
	}
}

// sink passes what is logged to a function.
type sink struct{ accept func(line string) }

func (s *sink) Accept(_ string, _ hclog.Level, line string, _ ...any) { s.accept(line) }

// sinks logs while the reader of a sink stops after a while.
func sinks(accept func(lines chan<- string, stopped <-chan struct{}, line string)) {
	l := hclog.NewInterceptLogger(&hclog.LoggerOptions{Output: io.Discard})
	lines, stopped := make(chan string), make(chan struct{})
	l.RegisterSink(&sink{func(line string) { accept(lines, stopped, line) }})
	go func() {
		defer close(stopped)
		select {
		case <-lines:
		case <-time.After(900 * time.Microsecond):
		}
	}()
	l.Info("served")
}

func TestHclogDefect(t *testing.T) {
	sinks(func(lines chan<- string, _ <-chan struct{}, line string) { lines <- line })
}

func TestHclogMended(t *testing.T) {
	sinks(func(lines chan<- string, stopped <-chan struct{}, line string) {
		select {
		case lines <- line:
		case <-stopped:
		}
	})
}

// file is the log of the service. A logger that nothing refers to leaves a goroutine.
var file lumberjack.Logger

func openFile(t *testing.T) *lumberjack.Logger {
	file.Filename = filepath.Join(t.TempDir(), "service.log")
	t.Cleanup(func() { file.Close() })
	return &file
}

func TestLumberjack(t *testing.T) {
	l := openFile(t)
	together(func(int) { io.WriteString(l, "served\n") })
	if err := l.Rotate(); err != nil {
		t.Error(err)
	}
	io.WriteString(l, "after\n")
	if text, err := os.ReadFile(l.Filename); err != nil || string(text) != "after\n" {
		t.Errorf("got %q, %v", text, err)
	}
	files, err := os.ReadDir(filepath.Dir(l.Filename))
	if err != nil || len(files) != 2 {
		t.Errorf("files %v, %v", files, err)
	}
}

func lumberjackAudited(t *testing.T, settle func(done <-chan struct{})) {
	t.Helper()
	l := openFile(t)
	io.WriteString(l, "") // opens the file
	audited(t, func(line string) { io.WriteString(l, line+"\n") }, func() int {
		text, _ := os.ReadFile(l.Filename)
		return strings.Count(string(text), "\n")
	}, settle)
}

func TestLumberjackDefect(t *testing.T) { lumberjackAudited(t, sleep) }

func TestLumberjackMended(t *testing.T) { lumberjackAudited(t, wait) }
