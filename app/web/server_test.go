package web

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// TestServer_slowHeadersAreCutOff: who sends a request's headers drop by drop is cut off, so that such connections
// cannot pile up.
func TestServer_slowHeadersAreCutOff(t *testing.T) {
	t.Parallel()
	_, url := newEdge(t, Config{}).serve(t, func(srv *http.Server) {
		if d := srv.ReadHeaderTimeout; d <= 0 || d > 10*time.Second {
			t.Errorf("headers have %s", d)
		}
		srv.ReadHeaderTimeout = 50 * time.Millisecond
	})
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: "); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("still open after a minute")
	}
}

// TestServer_hugeHeaders: a header block past the limit is refused before anything reads it.
func TestServer_hugeHeaders(t *testing.T) {
	t.Parallel()
	_, url := newEdge(t, Config{}).serve(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	big := "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Big: " + strings.Repeat("a", 4*maxHeader) + "\r\n\r\n"
	_, _ = io.WriteString(conn, big) // the server may close while we write
	head := make([]byte, 12)
	if n, err := io.ReadFull(conn, head); err == nil && string(head[:n]) != "HTTP/1.1 431" {
		t.Errorf("answer %q, want 431", head)
	}
}
