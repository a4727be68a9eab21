package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/replay"
	"gatehouse/app/web/session"
)

const (
	keyHeader = "Idempotency-Key"
	maxKey    = 200
)

// once lets a POST with an Idempotency-Key happen once: a repeat within 24 hours gets the first answer. An answer of
// 5xx is not kept, so that the request can be tried again.
func (h *handler) once(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		key := c.Request().Header.Get(keyHeader)
		if key == "" {
			return next(c)
		}
		if len(key) > maxKey {
			return errBody("Idempotency-Key may have up to 200 characters.")
		}
		hash, err := fingerprint(c)
		if err != nil {
			return err
		}
		who := principal(session.Of(c))
		first, err := h.Replays.Claim(c.Request().Context(), who, key, hash, h.Now().UTC())
		if err != nil {
			return err
		}
		if first != nil {
			c.Response().Header().Set("Idempotency-Replayed", "true")
			return c.Blob(first.Status, first.ContentType, first.Body)
		}
		return h.record(c, who, key, next)
	}
}

// record runs the request and keeps its answer.
func (h *handler) record(c echo.Context, who, key string, next echo.HandlerFunc) error {
	ctx := context.WithoutCancel(c.Request().Context()) // the answer is kept also when nobody waits for it
	kept := &recorder{ResponseWriter: c.Response().Writer}
	c.Response().Writer = kept
	if err := next(c); err != nil {
		c.Error(err) // the error page is an answer too
	}
	if c.Response().Status >= http.StatusInternalServerError {
		return h.Replays.Release(ctx, who, key)
	}
	return h.Replays.Save(ctx, who, key, replay.Answer{
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

// fingerprint tells requests apart; the body can be read again after it.
func fingerprint(c echo.Context) ([]byte, error) {
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return nil, err
	}
	c.Request().Body = io.NopCloser(bytes.NewReader(body))
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(c.Request().Method), []byte(c.Request().URL.Path), body} {
		sum.Write(part)
		sum.Write([]byte{0})
	}
	return sum.Sum(nil), nil
}

func principal(who session.Who) string {
	if who.IsStaff() {
		return "staff:" + who.StaffID
	}
	return "user:" + who.UserID
}
