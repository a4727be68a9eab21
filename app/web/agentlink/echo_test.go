package agentlink_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
	"gatehouse/db/dbtest"
)

func TestCall_echo(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.run(h.web.URL)
	a.up(h)
	var got string
	must(t, h.relay.Call(t.Context(), string(c.server), wire.MethodEcho, "hello", &got))
	if got != "hello" {
		t.Fatalf("got %q", got)
	}
}

func TestCall_nobodyLinked(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	err := h.relay.Call(t.Context(), newID(), wire.MethodEcho, "hello", nil)
	wantErr(t, err, relay.ErrAway)
	if errors.Is(err, context.DeadlineExceeded) { // so ends a call that nobody answers
		t.Fatalf("that nobody is there was not known at once: %v", err)
	}
}

// BenchmarkRelayRoundtrip is page → hub → agentd → hub → page over HTTP, NATS and the websocket, 256 bytes.
func BenchmarkRelayRoundtrip(b *testing.B) {
	h := startHub(b, dbtest.New(b))
	c := h.newCustomer(b)
	a := h.newAgent(b, c)
	a.run(h.web.URL)
	a.up(h)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var got json.RawMessage
		if err := h.relay.Call(r.Context(), string(c.server), wire.MethodEcho, strings.Repeat("x", 256), &got); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_, _ = w.Write(got)
	}))
	defer page.Close()
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		res, err := http.Get(page.URL)
		must(b, err)
		if res.StatusCode != http.StatusOK {
			b.Fatal(res.Status)
		}
		_ = res.Body.Close()
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50_ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99_ms")
}
