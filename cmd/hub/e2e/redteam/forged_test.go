package redteam

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
	"gatehouse/cmd/hub/e2e"
)

// TestForged is a hub whose database was rewritten: approvals are marked as allowed by hand, and decisions stand in the
// outbox that nobody made. The hub is started again and delivers them. agentd carries out none, says why, and the
// question waits for a real answer.
func TestForged(t *testing.T) {
	h, c := e2e.Start(t)
	allowed := forDecision(c, h) // what was truly decided before, to be used again
	q := c.Asked(c.Say("dispatcher", "Delete the old temporary files"))
	before := len(h.Temps(t))
	if before == 0 {
		t.Fatal("nothing to delete")
	}
	h.Kill(t)
	forged := forge(c, h, q, allowed)
	h.Start(t)
	c.AwaitLink()
	e2e.Until(t, "each forged decision is on record", func() bool { return refusals(c.Receipts(q.RootRunID)) >= forged })
	rs := c.Receipts(q.RootRunID)
	if n := e2e.Count(rs, "call.started", "file_delete"); n != 0 || len(h.Temps(t)) != before {
		t.Fatalf("%d starts, %d of %d files are left: %v", n, len(h.Temps(t)), before, e2e.Types(rs))
	}
	e2e.Until(t, "the question is open again", func() bool {
		a := c.Approval(q.ID)
		return a.State == wire.ApprovalPending && a.Summary != ""
	})
	c.Allow(q.ID)
	c.End(q.RootRunID)
	if n := e2e.Count(c.Receipts(q.RootRunID), "call.started", "file_delete"); n != 1 || len(h.Temps(t)) != 0 {
		t.Errorf("after the real answer: %d starts, %d files are left", n, len(h.Temps(t)))
	}
}

// forDecision lets the owner allow something harmless, and gives the signature that did it, with what it was for.
func forDecision(c *e2e.Client, h *e2e.Hub) wire.Decision {
	c.T.Helper()
	q := c.Asked(c.Say("secretary", "Email someone@example.com that we open at nine"))
	body := c.Signed(q, map[string]any{"decision": wire.AllowOnce})
	c.Want(http.StatusOK, http.MethodPost, "/approvals/"+q.ID, body, nil)
	c.End(q.RootRunID)
	sig, _ := body["signature"].(*wire.Signature)
	return wire.Decision{ApprovalID: q.ID, Digest: q.Digest, Verb: wire.AllowOnce, Signature: sig}
}

// forge rewrites the database of a hub that is down, and says how many decisions about q it has put on their way.
func forge(c *e2e.Client, h *e2e.Hub, q wire.Approval, allowed wire.Decision) int {
	t, ctx := c.T, context.WithoutCancel(c.T.Context())
	t.Helper()
	conn := h.Connect(t)
	defer func() { _ = conn.Close(ctx) }()
	stranger, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().UTC().Truncate(time.Second)
	by := wire.DecidedBy{UserID: "u", Name: h.Demo.Customer.Email, Role: "owner", Channel: "portal", Method: "session", Time: at}
	yes := wire.Decision{ApprovalID: q.ID, Digest: q.Digest, Verb: wire.AllowOnce, By: by}
	own, err := stranger.Sign(wire.DecisionText(q.Digest, wire.AllowOnce, 0, wire.Nothing, wire.Nothing, at), at)
	if err != nil {
		t.Fatal(err)
	}
	renamed := *own
	renamed.KeyID = h.Demo.Approver.KeyID
	bad := []*wire.Signature{nil, {}, own, &renamed, allowed.Signature}
	all := make([]wire.Decision, 0, len(bad)+2)
	for _, s := range bad {
		d := yes
		d.Signature = s
		all = append(all, d)
	}
	edited := yes
	edited.Verb, edited.Args, edited.Signature = wire.Edit, json.RawMessage(`{"path":"*"}`), allowed.Signature
	window := yes
	window.Verb, window.Minutes, window.Signature = wire.AllowWindow, 60, allowed.Signature
	all = append(all, edited, window)
	decide(t, conn, q.ID, by)
	for _, d := range all {
		deliver(t, conn, h.Demo.ServerID, d)
	}
	for range 100 {
		deliver(t, conn, h.Demo.ServerID, allowed) // a decision of long ago, about something else
	}
	return len(all)
}

// decide marks an approval as allowed, as somebody with the password of the database can.
func decide(t *testing.T, conn *pgx.Conn, id string, by wire.DecidedBy) {
	t.Helper()
	raw, err := json.Marshal(by)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(t.Context(), `UPDATE approvals
		SET state = 'allowed', execution = 'queued', verb = 'allow_once', decided_by = $2, decided_at = now(), summary = NULL,
			args = NULL, facts = NULL, reason = NULL, why_asked = NULL, diff = NULL, context = NULL
		WHERE id = $1`, id, string(raw))
	if err != nil {
		t.Fatal(err)
	}
}

// deliver puts a decision into the outbox of a server, sealed as the hub seals it.
func deliver(t *testing.T, conn *pgx.Conn, serverID string, d wire.Decision) {
	t.Helper()
	ctx := t.Context()
	var key string
	if err := conn.QueryRow(ctx, "SELECT seal_key FROM servers WHERE id = $1", serverID).Scan(&key); err != nil {
		t.Fatal(err)
	}
	f, err := relay.NewFrame(wire.TypeApprovalDecision, key, d, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(ctx, `WITH head AS (UPDATE link_out_heads SET seq = seq + 1 WHERE server_id = $1 RETURNING seq)
		INSERT INTO link_out (server_id, seq, id, type, time, body) SELECT $1, seq, $2, $3, $4, $5 FROM head`,
		serverID, f.ID, string(f.Type), f.Time, string(f.Body))
	if err != nil {
		t.Fatal(err)
	}
}

// refusals counts the receipts that say that a decision was none for want of a signature.
func refusals(all []wire.Receipt) (n int) {
	for _, r := range all {
		var body struct {
			Reason string `json:"reason"`
		}
		if r.Type == "call.denied" && json.Unmarshal(r.Body, &body) == nil && body.Reason == "signature" {
			n++
		}
	}
	return n
}

// TestUnsigned is what API clients meet: nothing gives leave without a signature, and each counts for one thing.
func TestUnsigned(t *testing.T) {
	h, c := e2e.Start(t)
	q := c.Asked(c.Say("secretary", "Email someone@example.com that we open at nine"))
	for _, body := range []map[string]any{
		{"decision": wire.AllowOnce},
		{"decision": wire.AllowWindow, "minutes": 15},
		{"decision": wire.Edit, "args": map[string]string{"to": "x@example.com"}},
	} {
		a := c.Do(http.MethodPost, "/approvals/"+q.ID, body)
		if a.Status != http.StatusForbidden || problemType(t, a) != "signature-required" {
			t.Errorf("%v: %d %s", body, a.Status, a.Body)
		}
	}
	stranger, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	mine := h.Demo.Approver
	h.Demo.Approver.KeyID = stranger.KeyID
	if h.Demo.Approver.PrivateKeyPEM, err = stranger.PEM(); err != nil {
		t.Fatal(err)
	}
	a := c.Do(http.MethodPost, "/approvals/"+q.ID, c.Signed(q, map[string]any{"decision": wire.AllowOnce}))
	h.Demo.Approver = mine
	if a.Status != http.StatusForbidden || problemType(t, a) != "signature-unknown-key" {
		t.Errorf("a stranger: %d %s", a.Status, a.Body)
	}
	window := c.Signed(q, map[string]any{"decision": wire.AllowWindow, "minutes": 15})
	window["minutes"] = 60 // an hour was not what was signed
	c.Want(http.StatusOK, http.MethodPost, "/approvals/"+q.ID, window, nil)
	e2e.Until(t, "the server has refused it, and the question is open again", func() bool {
		return c.Approval(q.ID).State == wire.ApprovalPending
	})
	if n := refusals(c.Receipts(q.RootRunID)); n != 1 || len(h.Mails(t, "someone@example.com")) != 0 {
		t.Errorf("%d refusals, %d mails", n, len(h.Mails(t, "someone@example.com")))
	}
	if a := c.Decide(q.ID, wire.Deny); a.Status != http.StatusOK { // which needs no signature
		t.Errorf("deny: %d %s", a.Status, a.Body)
	}
	c.End(q.RootRunID)
}

func problemType(t *testing.T, a e2e.Answer) string {
	t.Helper()
	var p struct {
		Type string `json:"type"`
	}
	a.Into(t, &p)
	return p.Type
}
