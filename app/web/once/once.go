package once

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/replay"
	"gatehouse/app/web/jsonbody"
)

const (
	keyHeader = "Idempotency-Key"
	maxKey    = 200
)

// Replays keeps first answers; db.Idempotency has it.
type Replays interface {
	// Claim takes a key: nil for the first request, whose caller then calls Save or Release, the first answer for a
	// repeat.
	Claim(ctx context.Context, principal, key string, hash []byte, now time.Time) (*replay.Answer, error)
	Save(ctx context.Context, principal, key string, a replay.Answer) error
	Release(ctx context.Context, principal, key string) error
}

// Guard is what lets requests happen once.
type Guard struct {
	Replays Replays
	Now     func() time.Time
	Who     func(c echo.Context, body []byte) string // whose keys they are; "" lets a request pass as one without a key
	Keep    func(status int) bool                    // whether an answer is kept; the key of one that is not may be used again
}

// Answered keeps every answer but those of faults of ours, so that such a request can be tried again.
func Answered(status int) bool { return status < http.StatusInternalServerError }

// Wrap is do, once for each key: a repeat within 24 hours gets the first answer.
func (g Guard) Wrap(do echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		key, given := keyOf(c.Request())
		switch {
		case !given:
			return do(c)
		case !plain(key):
			return jsonbody.Bad("Idempotency-Key may have 1 to 200 printable ASCII characters, and may be given once.")
		}
		hash, who, err := g.fingerprint(c)
		if err != nil {
			return err
		}
		if who == "" {
			return do(c)
		}
		return g.claim(c, claim{g, who, key, hash}, do)
	}
}

// claim is a key in the hands of one request.
type claim struct {
	Guard
	who, key string
	hash     []byte
}

func (g Guard) claim(c echo.Context, k claim, do echo.HandlerFunc) error {
	first, err := g.Replays.Claim(c.Request().Context(), k.who, k.key, k.hash, g.Now().UTC())
	if err != nil {
		return err
	}
	if first != nil {
		c.Response().Header().Set("Idempotency-Replayed", "true")
		return c.Blob(first.Status, first.ContentType, first.Body)
	}
	return k.record(c, do)
}

// record runs the request and keeps its answer, also when nobody waits for it any more.
func (k claim) record(c echo.Context, do echo.HandlerFunc) error {
	ctx := context.WithoutCancel(c.Request().Context())
	kept := &recorder{ResponseWriter: c.Response().Writer}
	c.Response().Writer = kept
	if err := do(c); err != nil {
		c.Error(err) // the error page is an answer too
	}
	if !k.Keep(c.Response().Status) {
		return k.Replays.Release(ctx, k.who, k.key)
	}
	return k.Replays.Save(ctx, k.who, k.key, replay.Answer{
		Status: c.Response().Status, ContentType: c.Response().Header().Get(echo.HeaderContentType), Body: kept.body.Bytes(),
	})
}

// recorder passes an answer on and keeps a copy.
type recorder struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (r *recorder) Write(b []byte) (int, error) {
	r.body.Write(b)
	return r.ResponseWriter.Write(b)
}

// Unwrap lets response controllers reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Key is the Idempotency-Key of a request that Wrap let through; "" when it has none. What a request does outside of the
// hub happens once only if it is done under this key: the answer to the first may never have been kept.
func Key(r *http.Request) string { return r.Header.Get(keyHeader) }

func keyOf(r *http.Request) (key string, given bool) {
	switch v := r.Header.Values(keyHeader); len(v) {
	case 0:
		return "", false
	case 1:
		return v[0], true
	}
	return "", true
}

func plain(key string) bool {
	for _, c := range []byte(key) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return key != "" && len(key) <= maxKey
}

// fingerprint tells requests apart and says whose this one is; the body can be read again after it.
func (g Guard) fingerprint(c echo.Context) (hash []byte, who string, err error) {
	raw, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return nil, "", err
	}
	c.Request().Body = io.NopCloser(bytes.NewReader(raw))
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(c.Request().Method), []byte(c.Request().URL.Path), raw} {
		sum.Write(part)
		sum.Write([]byte{0})
	}
	return sum.Sum(nil), g.Who(c, raw), nil
}
