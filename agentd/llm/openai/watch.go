package openai

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"gatehouse/agentd/llm"
)

// watcher ends a request on which nothing arrives. It looks at bytes, not at pieces of text: an endpoint that sends
// comments while its model thinks is alive.
type watcher struct {
	limits llm.Limits
	timer  *time.Timer
	cancel context.CancelCauseFunc
	begun  atomic.Bool
	whole  bool // the answer is one JSON value, no stream
}

type watchKey struct{}

func watch(parent context.Context, l llm.Limits) (context.Context, *watcher) {
	ctx, cancel := context.WithCancelCause(parent)
	w := &watcher{limits: l, cancel: cancel}
	w.timer = time.AfterFunc(l.FirstByte, w.expire)
	return context.WithValue(ctx, watchKey{}, w), w
}

func (w *watcher) expire() {
	detail := "no answer within " + w.limits.FirstByte.String()
	if w.begun.Load() {
		detail = "the answer stood still for " + w.limits.Stall.String()
	}
	w.cancel(&llm.Error{Kind: llm.Timeout, Detail: detail})
}

// kind is the media type that the answer must have.
func (w *watcher) kind() string {
	if w.whole {
		return "application/json"
	}
	return "text/event-stream"
}

// alive is called for every piece of the body that arrives.
func (w *watcher) alive() {
	w.begun.Store(true)
	w.timer.Reset(w.limits.Stall)
}

func (w *watcher) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// transport tells the request's watcher about arriving bytes and refuses answers that are not streams.
type transport struct{ next http.RoundTripper }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	w := r.Context().Value(watchKey{}).(*watcher)
	if err := mustBe(res, w.kind()); err != nil {
		_ = res.Body.Close() // the answer is refused as a whole; err says why
		return nil, err
	}
	res.Body = &watched{ReadCloser: res.Body, of: w}
	return res, nil
}

// maxEvent is how much may come until an event ends: all of it is held until then.
const maxEvent = 24 << 20

type watched struct {
	io.ReadCloser
	of   *watcher
	held int  // bytes since an event has ended
	bare bool // nothing stands on the line yet
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.of.alive()
	}
	if b.pass(p[:n]); b.held > maxEvent {
		return 0, &llm.Error{Kind: llm.BadResponse, Detail: "a piece of the answer is larger than any sensible answer"}
	}
	return n, err
}

// pass counts what comes. An event ends with an empty line.
func (b *watched) pass(p []byte) {
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		b.held += len(p) - len(rest)
		b.bare = b.bare && len(bytes.TrimSuffix(line, []byte("\r"))) == 0
		if ended && b.bare {
			b.held = 0
		}
		if ended {
			b.bare = true
		}
		p = rest
	}
}
