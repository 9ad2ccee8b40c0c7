// Package mocks has tests of services whose dependencies are mocks.
package mocks

import (
	"io"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/mock"
	"go.uber.org/mock/gomock"
)

// sender sends mails.
type sender interface{ Send(to string) error }

// mockSender is what mockgen writes.
type mockSender struct {
	ctrl     *gomock.Controller
	recorder *mockRecorder
}

type mockRecorder struct{ mock *mockSender }

func newMockSender(ctrl *gomock.Controller) *mockSender {
	m := &mockSender{ctrl: ctrl}
	m.recorder = &mockRecorder{m}
	return m
}

func (m *mockSender) EXPECT() *mockRecorder { return m.recorder }

func (m *mockSender) Send(to string) error {
	m.ctrl.T.Helper()
	err, _ := m.ctrl.Call(m, "Send", to)[0].(error)
	return err
}

func (r *mockRecorder) Send(to any) *gomock.Call {
	r.mock.ctrl.T.Helper()
	return r.mock.ctrl.RecordCallWithMethodType(r.mock, "Send", reflect.TypeOf((*mockSender)(nil).Send), to)
}

func TestGomock(t *testing.T) {
	m := newMockSender(gomock.NewController(t))
	m.EXPECT().Send("ann").Return(nil)
	m.EXPECT().Send(gomock.Any()).Return(io.EOF)
	var wg sync.WaitGroup
	for _, to := range []string{"ann", "bob"} {
		wg.Go(func() {
			if err := m.Send(to); (err == nil) != (to == "ann") {
				t.Errorf("%s: %v", to, err)
			}
		})
	}
	wg.Wait()
}

// signUp sends a mail in the background. The controller reports calls that are missing at the end of the test.
func signUp(s sender) (sent <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Send("ann")
	}()
	return done
}

func TestGomockDefect(t *testing.T) {
	m := newMockSender(gomock.NewController(t))
	m.EXPECT().Send("ann").Return(nil)
	signUp(m)
	time.Sleep(900 * time.Microsecond)
}

func TestGomockMended(t *testing.T) {
	m := newMockSender(gomock.NewController(t))
	m.EXPECT().Send("ann").Return(nil)
	<-signUp(m)
}

// testifySender is what mockery writes.
type testifySender struct{ mock.Mock }

func (s *testifySender) Send(to string) error { return s.Called(to).Error(0) }

func TestTestifyMock(t *testing.T) {
	s := new(testifySender)
	s.On("Send", mock.AnythingOfType("string")).Return(nil).Twice()
	a, b := signUp(s), signUp(s)
	<-a
	<-b
	s.AssertExpectations(t)
	s.AssertNumberOfCalls(t, "Send", 2)
}

// remind starts two jobs for a user. Only one of them may send a mail.
func remind(t *testing.T, once func(sent *sync.Map) bool) {
	t.Helper()
	s := new(testifySender)
	s.On("Send", "ann").Return(nil)
	var sent sync.Map
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			if once(&sent) {
				s.Send("ann")
			}
		})
	}
	wg.Wait()
	s.AssertNumberOfCalls(t, "Send", 1)
}

func TestTestifyMockDefect(t *testing.T) {
	remind(t, func(sent *sync.Map) bool {
		if _, ok := sent.Load("ann"); ok {
			return false
		}
		sent.Store("ann", true)
		return true
	})
}

func TestTestifyMockMended(t *testing.T) {
	remind(t, func(sent *sync.Map) bool {
		_, ok := sent.LoadOrStore("ann", true)
		return !ok
	})
}

func newClient(reply string) (*http.Client, *httpmock.MockTransport) {
	m := httpmock.NewMockTransport()
	m.RegisterResponder("GET", "https://example.org/rate", httpmock.NewStringResponder(200, reply))
	return &http.Client{Transport: m}, m
}

func rate(c *http.Client) (string, error) {
	r, err := c.Get("https://example.org/rate")
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return string(text), err
}

func TestHTTPMock(t *testing.T) {
	c, m := newClient("1.08")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if text, err := rate(c); err != nil || text != "1.08" {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
	wg.Wait()
	if n := m.GetTotalCallCount(); n != 2 {
		t.Errorf("%d calls", n)
	}
}

// quotes asks two services for a rate. The caller waits for the first one for a while.
func quotes(t *testing.T, quote func(rates chan<- string, rate string)) {
	c, _ := newClient("1.08")
	rates := make(chan string)
	go func() {
		if text, err := rate(c); err == nil {
			quote(rates, text)
		}
	}()
	select {
	case <-rates:
	case <-time.After(900 * time.Microsecond):
	}
}

func TestHTTPMockDefect(t *testing.T) {
	quotes(t, func(rates chan<- string, rate string) { rates <- rate })
}

func TestHTTPMockMended(t *testing.T) {
	quotes(t, func(rates chan<- string, rate string) {
		select {
		case rates <- rate:
		case <-time.After(time.Second):
		}
	})
}
