package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/chat"
	"gatehouse/app/fault"
)

// deaf is a conversation of which no answer comes.
type deaf struct {
	Chat
	sent []chat.Message
}

func (d *deaf) Send(_ context.Context, _ account.CustomerID, _ wire.Origin, m chat.Message) (chat.Sent, error) {
	d.sent = append(d.sent, m)
	return chat.Sent{}, fault.New(fault.Internal, "lost", "the answer was lost", "We lost the answer.")
}

// TestPostChat_again: the key of a request whose answer was lost is free again, and yet the message that comes with it is
// the same one: it says so to whoever sends it.
func TestPostChat_again(t *testing.T) {
	t.Parallel()
	d := &deaf{}
	h := &handler{Deps{Chat: d, Replays: &tape{}, Now: time.Now}}
	e := echo.New()
	for _, key := range []string{"one", "one", ""} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/chat", strings.NewReader(`{"text":"order flour"}`))
		req.Header.Set("Content-Type", "application/json")
		if key != "" {
			req.Header.Set("Idempotency-Key", key)
		}
		_ = h.once().Wrap(h.postChat)(e.NewContext(req, httptest.NewRecorder())) // with a key the answer is the error
	}
	if len(d.sent) != 3 || d.sent[0].Once != "one" || !reflect.DeepEqual(d.sent[1], d.sent[0]) || d.sent[2].Once != "" {
		t.Errorf("sent %+v", d.sent)
	}
}
