package ui_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/a-h/templ"

	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// stream is a live stream that a test writes to.
type stream struct {
	t     *testing.T
	mu    sync.Mutex
	opens []string // Last-Event-ID of each time it was opened
	out   chan string
	drop  chan struct{}
	deny  int // status to refuse with; 0 lets readers in
}

func newStream(t *testing.T) *stream {
	return &stream{t: t, out: make(chan string, 100), drop: make(chan struct{}, 1)}
}

func (s *stream) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.opens = append(s.opens, r.Header.Get("Last-Event-ID"))
	deny := s.deny
	s.mu.Unlock()
	if deny != 0 {
		w.WriteHeader(deny)
		return
	}
	startStream(w)
	for {
		select {
		case m := <-s.out:
			_, _ = w.Write([]byte(m))
			_ = http.NewResponseController(w).Flush()
		case <-s.drop:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// push sends parts of a page as one message, as the hub does.
func (s *stream) push(id string, parts ...templ.Component) {
	s.t.Helper()
	s.out <- fmt.Sprintf("id: %s\n%s\n", id, data(html(s.t, parts...)))
}

func (s *stream) opened() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.opens...)
}

func (s *stream) refuse(status int) {
	s.mu.Lock()
	s.deny = status
	s.mu.Unlock()
}

func data(text string) string {
	var b bytes.Buffer
	for line := range bytes.Lines([]byte(text)) {
		b.WriteString("data: " + string(bytes.TrimRight(line, "\n")) + "\n")
	}
	return b.String()
}

// html renders parts for the reader of the gallery.
func html(t *testing.T, parts ...templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	ctx := ui.With(context.Background(), ui.Request{CSRF: "token", Path: "/app/approvals", Now: now})
	for _, p := range parts {
		if err := p.Render(ctx, &b); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// site serves one page at / with a stream of its own, and more.
func site(t *testing.T, s *stream, content []templ.Component, more map[string]http.HandlerFunc, change ...func(*layout.Frame)) string {
	t.Helper()
	c := in(layout.Shell(portal("Page", append(change, func(f *layout.Frame) { f.Stream = "/stream/own" })...)), content...)
	routes := map[string]http.HandlerFunc{
		"/{$}":        func(w http.ResponseWriter, r *http.Request) { page(w, r, c) },
		"/stream/own": s.serve,
	}
	for path, h := range more {
		routes[path] = h
	}
	return hub(t, routes)
}
