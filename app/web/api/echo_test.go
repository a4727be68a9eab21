package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/replay"
)

// mirror is a conversation that sends back what came.
type mirror struct{ Chat }

func (mirror) Echo(_ context.Context, _ account.CustomerID, body []byte) ([]byte, error) {
	return body, nil
}

// tape counts what is asked of it to keep.
type tape struct{ claimed, saved int }

func (r *tape) Claim(context.Context, string, string, []byte, time.Time) (*replay.Answer, error) {
	r.claimed++
	return nil, nil
}
func (r *tape) Save(context.Context, string, string, replay.Answer) error { r.saved++; return nil }
func (r *tape) Release(context.Context, string, string) error             { return nil }

// TestEcho_keepsNothing: a key that makes every other POST happen once keeps nothing of an echo.
func TestEcho_keepsNothing(t *testing.T) {
	t.Parallel()
	kept := &tape{}
	e := echo.New()
	for _, r := range Routes(Deps{Chat: mirror{}, Replays: kept, Now: time.Now}) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.Path, "/echo") {
			continue
		}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, r.Path, strings.NewReader(`{"a":"b"}`))
		req.Header.Set("Idempotency-Key", "one")
		rec := httptest.NewRecorder()
		c := e.NewContext(req, rec)
		if err := r.Do(c); err != nil || rec.Body.String() != `{"a":"b"}` {
			t.Fatalf("%v %s", err, rec.Body)
		}
		if kept.claimed+kept.saved != 0 {
			t.Errorf("an echo was kept: %+v", *kept)
		}
		return
	}
	t.Fatal("there is no echo")
}
