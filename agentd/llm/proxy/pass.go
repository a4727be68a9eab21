package proxy

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"gatehouse/agentd/llm/meter"
)

// told are the headers of an answer that the caller sees, besides limits of rate.
var told = []string{"Content-Type", "Retry-After", "X-Request-Id", "Request-Id"}

// answer hands an answer on, and adds what it used, however that ends. An answer that breaks off breaks off for the caller, too: half
// of one must never look whole.
func (p *Proxy) answer(w http.ResponseWriter, c *call, a *answered) {
	tap := meter.NewTap(strings.HasPrefix(a.head.Header.Get("Content-Type"), "text/event-stream"))
	defer p.settle(c, a, tap)
	defer func() { _ = a.head.Body.Close() }() // it was read to its end, or given up
	p.worked(a.from)
	if p.pass(w, a, tap) != nil {
		panic(http.ErrAbortHandler)
	}
}

// pass hands an answer on as it comes, piece by piece, and reads what it used.
func (p *Proxy) pass(w http.ResponseWriter, a *answered, tap *meter.Tap) error {
	for name, v := range a.head.Header {
		if strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Anthropic-Ratelimit-") {
			w.Header()[name] = v
		}
	}
	w.Header()["Content-Type"] = nil // an answer without one gets none from us
	for _, name := range told {
		if v := a.head.Header.Get(name); v != "" {
			w.Header().Set(name, v)
		}
	}
	w.Header().Set(ProfileHeader, a.from.Profile.Name)
	w.Header().Set(ModelHeader, a.from.Model)
	w.Header().Set(ProviderHeader, a.from.Profile.Host())
	w.WriteHeader(a.head.StatusCode)
	body := io.TeeReader(a.body, tap)
	if a.hide {
		body = &hiding{from: body}
	}
	return copyOut(w, body, p.noting(a, tap))
}

// piece is a buffer of what passes through; pieces are those not in use: one is large, and requests are many.
type piece [32 << 10]byte

var pieces = sync.Pool{New: func() any { return new(piece) }}

// copyOut writes each piece as soon as it is there, and calls comes before each: what the caller has seen is noted already.
func copyOut(w http.ResponseWriter, r io.Reader, comes func()) error {
	flush := http.NewResponseController(w)
	_ = flush.Flush() // every connection here can
	p := pieces.Get().(*piece)
	defer pieces.Put(p)
	buf := p[:]
	for {
		n, err := r.Read(buf)
		if n > 0 {
			comes()
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
			_ = flush.Flush()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
