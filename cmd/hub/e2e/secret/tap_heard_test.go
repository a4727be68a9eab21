package secret

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"gatehouse/agentd/leakscan"
	"gatehouse/cmd/hub/e2e"
)

// TestTap sends a value by each way past a tap: in an address, a header, a body, and in a websocket whose ends would pack
// what they say. It hears every one.
func TestTap(t *testing.T) {
	t.Parallel()
	const packs = websocket.CompressionNoContextTakeover
	heard := make(chan string, 1)
	hub := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			return
		}
		ws, err := websocket.Accept(rw, r, &websocket.AcceptOptions{CompressionMode: packs, CompressionThreshold: 1})
		if err != nil {
			return // Accept has answered
		}
		ws.SetReadLimit(1 << 20)
		_, b, err := ws.Read(context.WithoutCancel(r.Context()))
		if err == nil {
			heard <- string(b)
		}
		_ = ws.CloseNow() // it has said all
	}))
	t.Cleanup(hub.Close)
	w := &tap{said: map[string]bool{}}
	front := "http://" + w.front(t, strings.TrimPrefix(hub.URL, "http://"))
	values := []string{e2e.Random(), e2e.Random(), e2e.Random(), e2e.Random()}
	hidden := func(i int) string { return base64.RawURLEncoding.EncodeToString([]byte("x" + values[i])) }
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front+"/?q="+hidden(0), strings.NewReader("box="+hidden(1)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Note", hidden(2))
	if a, err := e2e.Send(req); err != nil || a.Status != http.StatusOK {
		t.Fatalf("%d, %v", a.Status, err)
	}
	ws, _, err := websocket.Dial(t.Context(), front, &websocket.DialOptions{CompressionMode: packs, CompressionThreshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat(". ", 40_000) + hidden(3)
	if err := ws.Write(t.Context(), websocket.MessageText, []byte(long)); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != long {
		t.Errorf("the hub was told %d bytes", len(got))
	}
	_ = ws.CloseNow() // it has said all
	requests, messages := w.everything(t)
	if len(messages) != 1 || string(messages[0]) != long {
		t.Fatalf("%d messages were heard", len(messages))
	}
	for i, value := range values {
		s, n := leakscan.New(leakscan.Canary{Name: "value", Value: value}), 0
		for _, sent := range append(requests, messages...) {
			n += len(s.Bytes("sent", sent))
		}
		if n == 0 {
			t.Errorf("the value of way %d was not found", i)
		}
	}
}
