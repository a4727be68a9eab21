package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
)

// TestForged is a hub whose database was rewritten: approvals are marked as allowed by hand, and decisions stand in the
// outbox that nobody made. The hub is started again and delivers them. agentd carries out none, says why, and the
// question waits for a real answer.
func TestForged(t *testing.T) {
	h, c := parallelHub(t)
	allowed := c.forDecision(h) // what was truly decided before, to be used again
	q := c.asked(c.say("dispatcher", "Delete the old temporary files"))
	before := len(h.temps(t))
	if before == 0 {
		t.Fatal("nothing to delete")
	}
	h.kill(t)
	forged := c.forge(h, q, allowed)
	h.start(t)
	c.awaitLink()
	until(t, "each forged decision is on record", func() bool { return refusals(c.receipts(q.RootRunID)) >= forged })
	rs := c.receipts(q.RootRunID)
	if n := count(rs, "call.started", "file_delete"); n != 0 || len(h.temps(t)) != before {
		t.Fatalf("%d starts, %d of %d files are left: %v", n, len(h.temps(t)), before, types(rs))
	}
	until(t, "the question is open again", func() bool { a := c.approval(q.ID); return a.State == wire.ApprovalPending && a.Summary != "" })
	c.allow(q.ID)
	c.end(q.RootRunID)
	if n := count(c.receipts(q.RootRunID), "call.started", "file_delete"); n != 1 || len(h.temps(t)) != 0 {
		t.Errorf("after the real answer: %d starts, %d files are left", n, len(h.temps(t)))
	}
}

// forDecision lets the owner allow something harmless, and gives the signature that did it, with what it was for.
func (c *client) forDecision(h *hub) wire.Decision {
	c.t.Helper()
	q := c.asked(c.say("secretary", "Email someone@example.com that we open at nine"))
	body := c.signed(q, map[string]any{"decision": wire.AllowOnce})
	c.want(http.StatusOK, http.MethodPost, "/approvals/"+q.ID, body, nil)
	c.end(q.RootRunID)
	sig, _ := body["signature"].(*wire.Signature)
	return wire.Decision{ApprovalID: q.ID, Digest: q.Digest, Verb: wire.AllowOnce, Signature: sig}
}

// forge rewrites the database of a hub that is down, and says how many decisions about q it has put on their way.
func (c *client) forge(h *hub, q wire.Approval, allowed wire.Decision) int {
	t, ctx := c.t, context.WithoutCancel(c.t.Context())
	t.Helper()
	conn := h.connect(t)
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
	_, err = conn.Exec(t.Context(), `UPDATE approvals SET state = 'allowed', execution = 'queued', verb = 'allow_once', decided_by = $2, decided_at = now(),
		summary = NULL, args = NULL, facts = NULL, reason = NULL, why_asked = NULL, diff = NULL, context = NULL WHERE id = $1`, id, string(raw))
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
	h, c := parallelHub(t)
	q := c.asked(c.say("secretary", "Email someone@example.com that we open at nine"))
	for _, body := range []map[string]any{
		{"decision": wire.AllowOnce}, {"decision": wire.AllowWindow, "minutes": 15}, {"decision": wire.Edit, "args": map[string]string{"to": "x@example.com"}},
	} {
		if a := c.do(http.MethodPost, "/approvals/"+q.ID, body); a.status != http.StatusForbidden || problemType(t, a) != "signature-required" {
			t.Errorf("%v: %d %s", body, a.status, a.body)
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
	a := c.do(http.MethodPost, "/approvals/"+q.ID, c.signed(q, map[string]any{"decision": wire.AllowOnce}))
	h.Demo.Approver = mine
	if a.status != http.StatusForbidden || problemType(t, a) != "signature-unknown-key" {
		t.Errorf("a stranger: %d %s", a.status, a.body)
	}
	window := c.signed(q, map[string]any{"decision": wire.AllowWindow, "minutes": 15})
	window["minutes"] = 60 // an hour was not what was signed
	c.want(http.StatusOK, http.MethodPost, "/approvals/"+q.ID, window, nil)
	until(t, "the server has refused it, and the question is open again", func() bool { return c.approval(q.ID).State == wire.ApprovalPending })
	if n := refusals(c.receipts(q.RootRunID)); n != 1 || len(h.mails(t, "someone@example.com")) != 0 {
		t.Errorf("%d refusals, %d mails", n, len(h.mails(t, "someone@example.com")))
	}
	if a := c.decide(q.ID, wire.Deny); a.status != http.StatusOK { // which needs no signature
		t.Errorf("deny: %d %s", a.status, a.body)
	}
	c.end(q.RootRunID)
}

func problemType(t *testing.T, a answer) string {
	t.Helper()
	var p struct {
		Type string `json:"type"`
	}
	a.into(t, &p)
	return p.Type
}
