package agentlink_test

import (
	"net"
	"strings"
	"sync"
	"testing"
)

// proxy stands between agentd and hub and misbehaves when told to.
type proxy struct {
	t      *testing.T
	listen net.Listener
	to     string

	mu     sync.Mutex
	conns  []net.Conn
	frozen chan struct{} // closed while traffic flows
}

func newProxy(t *testing.T, hubURL string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{t: t, listen: l, to: strings.TrimPrefix(hubURL, "http://"), frozen: make(chan struct{})}
	close(p.frozen)
	t.Cleanup(func() {
		_ = l.Close()
		p.thaw()
		p.cut()
	})
	go p.accept()
	return p
}

func (p *proxy) url() string { return "http://" + p.listen.Addr().String() }

func (p *proxy) accept() {
	for {
		in, err := p.listen.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", p.to)
		if err != nil {
			_ = in.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, in, out)
		p.mu.Unlock()
		go p.pass(in, out)
		go p.pass(out, in)
	}
}

// pass hands bytes on; while frozen it keeps the connection and says nothing.
func (p *proxy) pass(from, to net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		flowing := p.frozen
		p.mu.Unlock()
		<-flowing
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	_ = from.Close()
	_ = to.Close()
}

// freeze makes all connections half-open: nothing passes and nothing is closed.
func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = make(chan struct{})
}

// thaw lets traffic flow again, but not on the connections of before.
func (p *proxy) thaw() {
	p.cut()
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.frozen:
	default:
		close(p.frozen)
	}
}

// cut breaks all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}
