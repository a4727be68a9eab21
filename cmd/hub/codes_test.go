package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"gatehouse/app/staff"
	"gatehouse/app/work"
	"gatehouse/jobs"
)

// mailedCode is the code of the newest mail that is queued, which says what it is for and stands in no row.
func (w *apiWorld) mailedCode(says string) string {
	w.t.Helper()
	var args string
	ok(w.t, w.db.Pool.QueryRow(w.t.Context(), `SELECT args::text FROM river_job WHERE kind = 'send_mail'
		AND args->>'template' = 'staff_code' ORDER BY id DESC LIMIT 1`).Scan(&args))
	var a jobs.SendMailArgs
	ok(w.t, json.Unmarshal([]byte(args), &a))
	l, err := w.post().Letter(w.t.Context(), work.SendMail{Template: a.Template, UserID: a.UserID, Ref: a.Ref})
	ok(w.t, err)
	subject, html, text, err := letters(w.url)(context.Background(), l)
	ok(w.t, err)
	spaced := l.Token[:4] + " " + l.Token[4:]
	if !strings.Contains(html, says) || !strings.Contains(text, says) || !strings.Contains(text, "\n\n"+spaced+"\n\n") {
		w.t.Errorf("the mail says %s", text)
	}
	if strings.Contains(subject+args, l.Token) || strings.Contains(subject, spaced) {
		w.t.Errorf("the code stands where phones and queues show it: %s, %s", subject, args)
	}
	return l.Token
}

// TestAPI_mailedCode: a program asks for a code and ends an order with it, under the idempotency key that it was refused with.
func TestAPI_mailedCode(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	manager := w.clerk(staff.Manager)
	var id string
	ok(t, w.db.Pool.QueryRow(t.Context(), "SELECT id FROM orders WHERE customer_id = $1", w.mine.id).Scan(&id))
	manager.key = "cancel-it"
	if m := manager.asks("POST", "/orders/"+id+"/transition", `{"action":"cancel"}`, 403); m["type"] != "code-needed" {
		t.Errorf("without a code: %v", m)
	}
	manager.key = ""
	manager.asks("POST", "/codes", `{"action":"order.cancel","object":"`+id+`"}`, 202)
	manager.code, manager.key = w.mailedCode("zzmine"), "cancel-it"
	if m := manager.asks("POST", "/orders/"+id+"/transition", `{"action":"cancel"}`, 200); m["state"] != "CANCELLED" {
		t.Errorf("with the code: %v", m)
	}
	manager.key = ""
	manager.asks("POST", "/orders/"+id+"/transition", `{"action":"cancel"}`, 409)
}
