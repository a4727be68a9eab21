package fault

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// proxy stands between a hub and everybody else, browsers and servers, and cuts the connections it is told to.
type proxy struct {
	t      *testing.T
	front  net.Listener
	target string

	mu       sync.Mutex
	conns    map[*relayed]bool
	requests []string // "GET /path" of everything that passed
	held     string   // requests that begin so are cut off
}

// relayed is one connection.
type relayed struct {
	client, hub net.Conn
	last        atomic.Pointer[string] // the newest request on it
}

// startProxy makes a proxy for a hub that is not started yet; env makes that hub known under the proxy's address alone.
func startProxy(t *testing.T) (p *proxy, env []string) {
	t.Helper()
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p = &proxy{t: t, front: front, target: e2e.FreeAddress(t), conns: map[*relayed]bool{}}
	var all sync.WaitGroup
	all.Go(func() { p.accept(&all) })
	t.Cleanup(func() {
		_ = front.Close() // it was good
		p.cut("")
		all.Wait()
	})
	_, port, _ := net.SplitHostPort(front.Addr().String()) // it has one
	return p, []string{"HUB_ADDR=" + p.target, "HUB_PUBLIC_URL=http://localhost:" + port}
}

func (p *proxy) accept(all *sync.WaitGroup) {
	for {
		client, err := p.front.Accept()
		if err != nil {
			return
		}
		hub, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close() // nobody is there yet
			continue
		}
		c := &relayed{client: client, hub: hub}
		p.mu.Lock()
		p.conns[c] = true
		p.mu.Unlock()
		all.Go(func() { p.pass(c) })
	}
}

// pass carries both directions until one of them ends.
func (p *proxy) pass(c *relayed) {
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(c.client, c.hub); c.close() })
	both.Go(func() { _, _ = io.Copy(c.hub, io.TeeReader(c.client, sniffer{p, c})); c.close() })
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

func (c *relayed) close() {
	_ = c.client.Close() // either may be closed already
	_ = c.hub.Close()
}

// sniffer notes each request line. Browsers send one request at a time on a connection, each in a write of its own.
type sniffer struct {
	p *proxy
	c *relayed
}

func (s sniffer) Write(b []byte) (int, error) {
	line, _, _ := bytes.Cut(b, []byte(" HTTP/1.1\r\n"))
	if len(line) == len(b) || !bytes.HasPrefix(line, []byte("GET /")) && !bytes.HasPrefix(line, []byte("POST /")) {
		return len(b), nil
	}
	request := string(line)
	s.c.last.Store(&request)
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.requests = append(s.p.requests, request)
	if s.p.held != "" && strings.HasPrefix(request, s.p.held) {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

// cut breaks every connection whose newest request begins with request, and says how many.
func (p *proxy) cut(request string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if last := c.last.Load(); request == "" || last != nil && strings.HasPrefix(*last, request) {
			c.close()
			n++
		}
	}
	return n
}

// hold cuts what begins so, and keeps it from coming back until release.
func (p *proxy) hold(request string) {
	p.mu.Lock()
	p.held = request
	p.mu.Unlock()
	p.cut(request)
}

func (p *proxy) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = ""
}

// since are the requests that passed after the first n.
func (p *proxy) since(n int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.requests[n:]...)
}

func (p *proxy) passed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.requests)
}
