package web

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
)

// serve runs the edge behind a real server, as the hub does.
func (e *edge) serve(t *testing.T, change ...func(*http.Server)) (*http.Server, string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(e.echo)
	for _, f := range change {
		f(srv.Server)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(ln) }() // ends with ErrServerClosed
	t.Cleanup(func() { _ = srv.Close(); <-done })
	return srv.Server, "http://" + ln.Addr().String()
}

// open reads a stream line by line.
func open(t *testing.T, url string, lastID string) (*http.Response, *bufio.Scanner) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", lastID)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res, bufio.NewScanner(res.Body)
}

func TestStream_outlivesTheServersDeadlines(t *testing.T) {
	t.Parallel()
	in := make(chan string)
	e := newEdge(t, Config{}, Route{Method: "GET", Path: "/s", For: Open, Stream: true, Do: pumping(in, time.Millisecond)})
	_, url := e.serve(t, func(s *http.Server) { s.ReadTimeout, s.WriteTimeout = time.Second, time.Second })
	res, lines := open(t, url+"/s", "7")
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	start := time.Now()
	for lines.Scan() && time.Since(start) < 1500*time.Millisecond { // comments keep coming past both deadlines
		continue
	}
	in <- "still here"
	for lines.Scan() {
		if lines.Text() == "data: still here after 7" {
			return
		}
	}
	t.Fatalf("stream ended: %v", lines.Err())
}

func pumping(in <-chan string, every time.Duration) echo.HandlerFunc {
	return func(c echo.Context) error {
		s, err := SSE(c)
		if err != nil {
			return err
		}
		defer s.Close()
		s.every = every
		return Pump(s, in, func(v string) error { return s.Send("8", "note", []byte(v+" after "+s.LastID())) })
	}
}

func TestStream_endsWhenTheServerStops(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{}, Route{Method: "GET", Path: "/s", For: Open, Stream: true, Do: pumping(make(chan string), time.Hour)})
	srv, url := e.serve(t)
	_, lines := open(t, url+"/s", "")
	lines.Scan()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		t.Fatalf("a stream held the server back: %v", err)
	}
	for lines.Scan() {
		if strings.Contains(lines.Text(), EventSignedOut) {
			t.Error("a stopping server is no sign-out")
		}
	}
}

// TestPump_together lets several events wait: they go out without being waited for, even when the last says nothing.
func TestPump_together(t *testing.T) {
	t.Parallel()
	in := make(chan string, 4)
	for _, v := range []string{"one", "two", "", ""} {
		in <- v
	}
	e := newEdge(t, Config{}, Route{Method: "GET", Path: "/s", For: Open, Stream: true, Do: func(c echo.Context) error {
		s, err := SSE(c)
		if err != nil {
			return err
		}
		defer s.Close()
		s.every = time.Hour
		return Pump(s, in, func(v string) error {
			if v == "" {
				return nil
			}
			return s.Send("", "", []byte(v))
		})
	}})
	_, url := e.serve(t)
	_, lines := open(t, url+"/s", "")
	for _, want := range []string{": open", "data: one", "data: two"} {
		for lines.Scan() && lines.Text() == "" {
			continue
		}
		if lines.Text() != want {
			t.Errorf("%q, want %q", lines.Text(), want)
		}
	}
	in <- "three" // the stream has not ended
	for lines.Scan() && lines.Text() == "" {
		continue
	}
	if lines.Text() != "data: three" {
		t.Errorf("%q", lines.Text())
	}
}

func TestStream_Send(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ id, event, data, want string }{
		"whole":           {"4", "delta", "a", "id: 4\nevent: delta\ndata: a\n\n"},
		"nameless":        {"", "", "a", "data: a\n\n"},
		"lines":           {"", "", "a\nb\r\nc", "data: a\ndata: b\ndata: c\n\n"},
		"lone returns":    {"", "", "a\rid: 9\r\rb", "data: a\ndata: id: 9\ndata: \ndata: b\n\n"},
		"no data":         {"", "signed-out", "", "event: signed-out\ndata:\n\n"},
		"id breaks lines": {"1\nevent: x", "e", "a", "id: 1event: x\nevent: e\ndata: a\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
			s, err := SSE(echo.New().NewContext(httptest.NewRequest("GET", "/", nil), w))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			w.Body.Reset()
			if err := s.Send(c.id, c.event, []byte(c.data)); err != nil {
				t.Fatal(err)
			}
			if got := w.Body.String(); got != c.want {
				t.Errorf("sent %q, want %q", got, c.want)
			}
		})
	}
}

// deadlined is a recorder that takes deadlines, as connections do.
type deadlined struct{ *httptest.ResponseRecorder }

func (*deadlined) SetReadDeadline(time.Time) error  { return nil }
func (*deadlined) SetWriteDeadline(time.Time) error { return nil }
