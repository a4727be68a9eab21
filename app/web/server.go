package web

import (
	"context"
	"net"
	"net/http"
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

// NewServer makes the HTTP server for handler with every timeout set. Streams lift the deadline of
// the whole answer for themselves, and end when the server starts to shut down: other requests are waited for.
func NewServer(handler http.Handler) *http.Server {
	stop, stopAll := context.WithCancel(context.Background())
	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), stopKey{}, stop)
		},
	}
	srv.RegisterOnShutdown(stopAll)
	return srv
}

type stopKey struct{}

// stopping is a context that ends when the server of the request starts to shut down.
func stopping(ctx context.Context) context.Context {
	if stop, ok := ctx.Value(stopKey{}).(context.Context); ok {
		return stop
	}
	return context.Background()
}
