package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/web/session"
)

const (
	keepAlive  = 15 * time.Second // a comment this often tells proxies and browsers that the stream lives
	writeLimit = 10 * time.Second // a reader who takes longer for one event is gone
)

// EventSignedOut is the last event of a stream whose sign-in ended; the page says so and stops reconnecting.
const EventSignedOut = "signed-out"

// Stream is one open answer of server-sent events. Use it from one goroutine.
type Stream struct {
	c      echo.Context
	rc     *http.ResponseController
	ctx    context.Context // ends with the request, the sign-in, or the server
	stop   func()
	signin *session.Watcher
	closed sync.Once
	every  time.Duration
	holds  bool // more follows at once: what is written may go out together with it
	held   bool // something written is not out yet
}

// SSE starts a stream of server-sent events as the answer to c: no deadline for the whole, one for each write. Close it
// when done. The route must state Stream.
func SSE(c echo.Context) (*Stream, error) {
	rc := http.NewResponseController(c.Response())
	if err := errors.Join(rc.SetReadDeadline(time.Time{}), rc.SetWriteDeadline(time.Now().Add(writeLimit))); err != nil {
		return nil, fmt.Errorf("stream deadlines: %w", err)
	}
	head := c.Response().Header()
	head.Set(echo.HeaderContentType, "text/event-stream")
	head.Set(echo.HeaderCacheControl, "no-store")
	head.Set("X-Accel-Buffering", "no")
	s := &Stream{c: c, rc: rc, every: keepAlive}
	s.tie()
	c.Response().WriteHeader(http.StatusOK)
	if err := s.comment("open"); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// tie lets the stream end with the request, its sign-in, or the server.
func (s *Stream) tie() {
	ctx, cancel := context.WithCancel(s.c.Request().Context())
	s.ctx, s.signin = ctx, session.Watch(s.c, cancel)
	off := context.AfterFunc(stopping(ctx), cancel)
	m, _ := s.c.Get(metersKey).(*meters)
	if m != nil {
		m.streams.Inc()
	}
	s.stop = func() {
		off()
		s.signin.Stop()
		cancel()
		if m != nil {
			m.streams.Dec()
		}
	}
}

// Context ends when nothing more can or may be sent.
func (s *Stream) Context() context.Context { return s.ctx }

// LastID is the id of the last event that the reader has, "" for a new reader.
func (s *Stream) LastID() string { return s.c.Request().Header.Get("Last-Event-ID") }

// Send writes one event. id and event may be empty: without an event name browsers call it "message".
func (s *Stream) Send(id, event string, data []byte) error {
	var b bytes.Buffer
	field(&b, "id", id)
	field(&b, "event", event)
	if bytes.IndexByte(data, '\r') >= 0 { // alone it ends a line too, and the next would be read as a field
		data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	for line := range bytes.Lines(data) {
		b.WriteString("data: ")
		b.Write(bytes.TrimRight(line, "\n"))
		b.WriteByte('\n')
	}
	if len(data) == 0 {
		b.WriteString("data:\n")
	}
	b.WriteByte('\n')
	return s.write(b.Bytes())
}

// Swap renders parts into one nameless event, which htmx swaps into the page. Each part says where it goes (hx.Partial).
func (s *Stream) Swap(id string, parts ...templ.Component) error {
	buf := templ.GetBuffer()
	defer templ.ReleaseBuffer(buf)
	ctx := viewContext(s.c)
	for _, p := range parts {
		if err := p.Render(ctx, buf); err != nil {
			return fmt.Errorf("render event: %w", err)
		}
	}
	return s.Send(id, "", buf.Bytes())
}

// Close ends the stream. It may be called more than once.
func (s *Stream) Close() { s.closed.Do(s.stop) }

// Pump writes what comes from in until in is closed or the stream's context ends, with a comment while nothing comes. A
// reader whose sign-in ended is told so.
func Pump[T any](s *Stream, in <-chan T, write func(T) error) error {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return s.farewell()
		case <-tick.C:
			if err := s.comment("alive"); err != nil {
				return err
			}
		case v, ok := <-in:
			if !ok {
				return s.farewell()
			}
			s.holds = len(in) > 0
			if err := write(v); err != nil {
				return err
			}
			if s.held && !s.holds { // write had nothing to say of v, but of what came before
				if err := s.flush(); err != nil {
					return err
				}
			}
		}
	}
}

// farewell tells a reader who is still there why nothing more comes.
func (s *Stream) farewell() error {
	if s.c.Request().Context().Err() != nil || !s.signin.Ended() {
		return nil
	}
	return s.Send("", EventSignedOut, nil)
}

func (s *Stream) comment(text string) error { return s.write([]byte(": " + text + "\n\n")) }

// write sends b within writeLimit: at once, or together with what follows at once.
func (s *Stream) write(b []byte) error {
	if err := s.rc.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return fmt.Errorf("stream deadline: %w", err)
	}
	if _, err := s.c.Response().Write(b); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	if s.held = s.holds; s.held {
		return nil
	}
	return s.flush()
}

func (s *Stream) flush() error {
	s.held = false
	if err := s.rc.Flush(); err != nil {
		return fmt.Errorf("flush event: %w", err)
	}
	return nil
}

// oneLine takes out of a value what would end its line: another field would begin there.
var oneLine = strings.NewReplacer("\r", "", "\n", "", "\x00", "")

// field writes one line of an event.
func field(b *bytes.Buffer, name, value string) {
	if value == "" {
		return
	}
	b.WriteString(name + ": " + oneLine.Replace(value) + "\n")
}

// Allow gives what is written next so long to get to the browser. The route must state Stream.
func Allow(c echo.Context, long time.Duration) error {
	if err := http.NewResponseController(c.Response()).SetWriteDeadline(time.Now().Add(long)); err != nil {
		return fmt.Errorf("deadline of an answer: %w", err)
	}
	return nil
}
