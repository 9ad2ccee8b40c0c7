// Package dns has tests of a DNS server over UDP and TCP.
package dns

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// start starts a server over UDP and TCP, and returns its address.
func start(t *testing.T, h dns.HandlerFunc) string {
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := p.LocalAddr().String()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*dns.Server{{PacketConn: p, Handler: h}, {Listener: l, Handler: h}} {
		started := make(chan struct{})
		s.NotifyStartedFunc = func() { close(started) }
		go s.ActivateAndServe()
		<-started
		t.Cleanup(func() { s.Shutdown() })
	}
	return address
}

func answer(w dns.ResponseWriter, r *dns.Msg, ip net.IP) {
	m := new(dns.Msg).SetReply(r)
	m.Answer = append(m.Answer, &dns.A{Hdr: dns.RR_Header{Name: r.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: ip})
	w.WriteMsg(m)
}

func ask(t *testing.T, network, address string) net.IP {
	c := &dns.Client{Net: network, Timeout: 5 * time.Second}
	r, _, err := c.Exchange(new(dns.Msg).SetQuestion("a.example.org.", dns.TypeA), address)
	if err != nil {
		t.Error(err)
		return nil
	}
	return r.Answer[0].(*dns.A).A
}

func TestDNS(t *testing.T) {
	address := start(t, func(w dns.ResponseWriter, r *dns.Msg) { answer(w, r, net.IPv4(192, 0, 2, 1)) })
	var wg sync.WaitGroup
	for _, network := range []string{"udp", "tcp", "udp"} {
		wg.Go(func() {
			if ip := ask(t, network, address); !ip.Equal(net.IPv4(192, 0, 2, 1)) {
				t.Errorf("%s: got %v", network, ip)
			}
		})
	}
	wg.Wait()
}

// pool hands out addresses, a different one for each question.
type pool struct {
	mu   sync.Mutex
	last byte
}

func (p *pool) get() byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

func (p *pool) set(n byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = n
}

// balances asks twice. The answers are to be different.
func balances(t *testing.T, next func(p *pool) byte) {
	t.Helper()
	var p pool
	address := start(t, func(w dns.ResponseWriter, r *dns.Msg) { answer(w, r, net.IPv4(192, 0, 2, next(&p))) })
	var ips [2]net.IP
	var wg sync.WaitGroup
	for i := range ips {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 900 * time.Microsecond)
			ips[i] = ask(t, "udp", address)
		})
	}
	wg.Wait()
	if ips[0].Equal(ips[1]) {
		t.Errorf("%v twice", ips[0])
	}
}

func TestDNSDefect(t *testing.T) {
	balances(t, func(p *pool) byte {
		n := p.get() + 1
		p.set(n)
		return n
	})
}

func TestDNSMended(t *testing.T) {
	balances(t, func(p *pool) byte {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.last++
		return p.last
	})
}
