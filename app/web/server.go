package web

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of one request, whoever sends it.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = 120 * time.Second
	maxHeader     = 16 << 10
	maxHeaders    = 64
	maxBody       = 1 << 20
	maxStreams    = 100 // HTTP/2 streams of one connection
)

// StopGrace is how long a stopping server waits for requests under way.
const StopGrace = 20 * time.Second

// HTTPServer is an HTTP server that can end without cutting anybody off.
type HTTPServer struct {
	*http.Server
	endStreams context.CancelFunc

	mu   sync.Mutex
	busy map[net.Conn]struct{} // connections whose request comes, or is answered
	idle chan struct{}         // closed when busy is empty and somebody waits for that; nil while nobody does
}

// NewServer makes the HTTP server for handler with every timeout set. Streams lift the deadline of
// the whole answer for themselves, and end when the server starts to shut down: other requests are waited for.
func NewServer(handler http.Handler) *HTTPServer {
	stop, stopAll := context.WithCancel(context.Background())
	s := &HTTPServer{endStreams: stopAll, busy: map[net.Conn]struct{}{}}
	s.Server = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ConnState:         s.note,
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), stopKey{}, stop)
		},
	}
	s.RegisterOnShutdown(stopAll)
	return s
}

// note counts the connections that are busy.
func (s *HTTPServer) note(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew || state == http.StateActive {
		s.busy[c] = struct{}{}
	} else {
		delete(s.busy, c)
	}
	if s.idle != nil && len(s.busy) == 0 {
		close(s.idle)
		s.idle = nil
	}
}

// Finish answers every request that has come, on connections that nobody uses again, ends the streams, and returns when all is
// answered, or when ctx ends. Nobody new may come any more: the listeners have to be closed. Shutdown then finds nothing to do;
// by itself it would drop whoever is connected and has not been read yet.
func (s *HTTPServer) Finish(ctx context.Context) {
	s.SetKeepAlivesEnabled(false)
	s.endStreams()
	s.mu.Lock()
	idle := make(chan struct{})
	if len(s.busy) == 0 {
		close(idle)
	} else {
		s.idle = idle
	}
	s.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

type stopKey struct{}

// stopping is a context that ends when the server of the request starts to shut down.
func stopping(ctx context.Context) context.Context {
	if stop, ok := ctx.Value(stopKey{}).(context.Context); ok {
		return stop
	}
	return context.Background()
}
