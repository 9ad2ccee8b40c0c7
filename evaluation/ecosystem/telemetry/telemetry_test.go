// Package telemetry has tests of services with traces and metrics.
package telemetry

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	api "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func newTracer(t *testing.T) (*tracetest.InMemoryExporter, *trace.TracerProvider) {
	e := tracetest.NewInMemoryExporter()
	p := trace.NewTracerProvider(trace.WithBatcher(e))
	t.Cleanup(func() { p.Shutdown(context.Background()) })
	return e, p
}

func TestTraces(t *testing.T) {
	e, p := newTracer(t)
	ctx, parent := p.Tracer("service").Start(t.Context(), "request")
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Go(func() {
			_, s := p.Tracer("service").Start(ctx, name)
			s.End()
		})
	}
	wg.Wait()
	parent.End()
	if err := p.ForceFlush(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(e.GetSpans()); n != 3 {
		t.Errorf("%d spans", n)
	}
}

// traced lets a goroutine do some of the work of a request, and counts the spans.
func traced(t *testing.T, settle func(done <-chan struct{})) {
	t.Helper()
	e, p := newTracer(t)
	ctx, parent := p.Tracer("service").Start(t.Context(), "request")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, s := p.Tracer("service").Start(ctx, "audit")
		defer s.End()
	}()
	parent.End()
	settle(done)
	p.ForceFlush(t.Context())
	if n := len(e.GetSpans()); n != 2 {
		t.Errorf("%d spans", n)
	}
}

func TestTracesDefect(t *testing.T) {
	traced(t, func(<-chan struct{}) { time.Sleep(900 * time.Microsecond) })
}

func TestTracesMended(t *testing.T) { traced(t, func(done <-chan struct{}) { <-done }) }

// collect returns the value of the only counter.
func collect(t *testing.T, r *metric.ManualReader) int64 {
	var all metricdata.ResourceMetrics
	if err := r.Collect(t.Context(), &all); err != nil {
		t.Error(err)
		return 0
	}
	return all.ScopeMetrics[0].Metrics[0].Data.(metricdata.Sum[int64]).DataPoints[0].Value
}

func TestMetrics(t *testing.T) {
	r := metric.NewManualReader()
	p := metric.NewMeterProvider(metric.WithReader(r))
	c, err := p.Meter("service").Int64Counter("requests")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { c.Add(t.Context(), 2) })
	}
	wg.Wait()
	if n := collect(t, r); n != 4 {
		t.Errorf("counted %d", n)
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// observes collects the number of open connections by a callback, while the first request of a tenant adds a callback.
func observes(t *testing.T, request func(mu *sync.Mutex, open *int64, register func())) {
	var mu sync.Mutex
	open := int64(1)
	r := metric.NewManualReader()
	p := metric.NewMeterProvider(metric.WithReader(r))
	defer p.Shutdown(context.Background())
	m := p.Meter("service")
	callback := func(_ context.Context, o api.Int64Observer) error {
		mu.Lock()
		defer mu.Unlock()
		o.Observe(open)
		return nil
	}
	register := func(name string) {
		if _, err := m.Int64ObservableUpDownCounter(name, api.WithInt64Callback(callback)); err != nil {
			t.Error(err)
		}
	}
	register("open")
	var wg sync.WaitGroup
	wg.Go(func() { collect(t, r) })
	time.Sleep(500 * time.Microsecond)
	request(&mu, &open, func() { register("tenant") })
	wg.Wait()
}

// The callback takes the lock of the service while the collection has that of the provider, which adding a callback takes.
func TestMetricsDefect(t *testing.T) {
	observes(t, func(mu *sync.Mutex, open *int64, register func()) {
		mu.Lock()
		defer mu.Unlock()
		*open++
		register()
	})
}

func TestMetricsMended(t *testing.T) {
	observes(t, func(mu *sync.Mutex, open *int64, register func()) {
		mu.Lock()
		*open++
		mu.Unlock()
		register()
	})
}

func TestPrometheus(t *testing.T) {
	r := prometheus.NewRegistry()
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests_total", Help: "Requests."}, []string{"method"})
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "seconds", Help: "Durations.", Buckets: []float64{1, 2}})
	r.MustRegister(c, h)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			c.WithLabelValues("GET").Inc()
			h.Observe(1.5)
		})
	}
	wg.Wait()
	s := httptest.NewServer(promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	defer s.Close()
	response, err := s.Client().Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); !strings.Contains(string(text), `requests_total{method="GET"} 2`) {
		t.Errorf("got %s", text)
	}
}

// inFlight counts requests in flight, which are two at most.
func inFlight(t *testing.T, enter func(g prometheus.Gauge, mu *sync.Mutex) bool) {
	t.Helper()
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "in_flight"})
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			enter(g, &mu)
		})
	}
	wg.Wait()
	if n := testutil.ToFloat64(g); n > 1 {
		t.Errorf("%v in flight", n)
	}
}

func TestPrometheusDefect(t *testing.T) {
	inFlight(t, func(g prometheus.Gauge, _ *sync.Mutex) bool {
		if testutil.ToFloat64(g) >= 1 {
			return false
		}
		g.Inc()
		return true
	})
}

func TestPrometheusMended(t *testing.T) {
	inFlight(t, func(g prometheus.Gauge, mu *sync.Mutex) bool {
		mu.Lock()
		defer mu.Unlock()
		if testutil.ToFloat64(g) >= 1 {
			return false
		}
		g.Inc()
		return true
	})
}
