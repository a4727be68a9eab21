package db_test

import (
	"testing"

	"gatehouse/app/server"
	"gatehouse/db"
)

// TestChannelHooks: an address leads to the server that made it up, until its channel has another one or none; no server gets that of
// another.
func TestChannelHooks(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	var ids []server.ID
	for range 2 {
		_, srv := withServer(t, d)
		ids = append(ids, srv.ID)
	}
	s := &db.ChannelHooks{DB: d}
	at := func(hook string, want server.ID) {
		t.Helper()
		if got, err := s.ServerAt(t.Context(), hook); err != nil || got != want {
			t.Errorf("%s leads to %q (%v), not %q", hook, got, err, want)
		}
	}
	at("first", "")
	must(t, s.Learn(t.Context(), ids[0], "whatsapp", "first"))
	must(t, s.Learn(t.Context(), ids[0], "whatsapp", "first"))
	must(t, s.Learn(t.Context(), ids[0], "googlechat", "rooms"))
	must(t, s.Learn(t.Context(), ids[1], "whatsapp", "first"))
	at("first", ids[0])
	must(t, s.Learn(t.Context(), ids[0], "whatsapp", "second"))
	at("first", "")
	at("second", ids[0])
	must(t, s.Learn(t.Context(), ids[0], "whatsapp", ""))
	at("second", "")
	at("rooms", ids[0])
}
