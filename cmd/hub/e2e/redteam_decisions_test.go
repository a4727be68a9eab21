package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// decisions tries to use one person's leave for something else: again, edited, for another call, without a signature.
func (r *ground) decisions(t *testing.T) {
	c := r.h.api(t)
	ask := func() wire.Approval {
		return c.asked(c.say("it-admin", script(t, call(tool("file_delete", map[string]any{"path": "books/ledger.csv"})), step{Say: "I tried."})))
	}
	first := ask()
	leave := c.signed(first, map[string]any{"decision": wire.AllowOnce})
	c.refused("without a signature", first, map[string]any{"decision": wire.AllowOnce})
	c.refused("edited after it was signed", first, with(leave, "decision", wire.Edit, "args", map[string]any{"path": "*"}))
	c.refused("a window in the place of once", first, with(leave, "decision", wire.AllowWindow, "minutes", 60))
	c.want(http.StatusOK, http.MethodPost, "/approvals/"+first.ID, map[string]any{"decision": wire.Deny}, nil)
	c.end(first.RootRunID)
	second := ask()
	c.refused("the leave of another call", second, leave)
	c.want(http.StatusOK, http.MethodPost, "/approvals/"+second.ID, map[string]any{"decision": wire.Deny}, nil)
	c.end(second.RootRunID)
	c.late("leave after the denial", second, c.signed(second, map[string]any{"decision": wire.AllowOnce}))
	r.wantWhole(t)
}

// replays tries to use leave that was truly given and used up: again, for the same call made anew, and by a hub that
// delivers it once more. The letter that it was for goes out once.
func (r *ground) replays(t *testing.T) {
	c, to := r.h.api(t), "once@example.net"
	ask := func() wire.Approval {
		return c.asked(c.say("secretary", script(t, call(tool("message", map[string]any{"to": to, "subject": "hours", "text": "We open at nine."})), step{Say: "I tried."})))
	}
	used := ask()
	leave := c.signed(used, map[string]any{"decision": wire.AllowOnce})
	c.want(http.StatusOK, http.MethodPost, "/approvals/"+used.ID, leave, nil)
	c.end(used.RootRunID)
	c.late("leave that was used", used, leave)
	again := ask()
	c.refused("leave for the same call before", again, leave)
	r.redeliver(c, used, leave, again)
	c.want(http.StatusOK, http.MethodPost, "/approvals/"+again.ID, map[string]any{"decision": wire.Deny}, nil)
	c.end(again.RootRunID)
	if n := count(c.receipts(used.RootRunID), "call.started", ""); n != 1 || len(r.h.mails(t, to)) != 1 {
		t.Errorf("%d starts, %d letters", n, len(r.h.mails(t, to)))
	}
}

// redeliver lets the hub send a used decision anew, as it was and with other words, and for another question.
func (r *ground) redeliver(c *client, used wire.Approval, leave map[string]any, again wire.Approval) {
	t := c.t
	t.Helper()
	conn := r.h.connect(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	sig, _ := leave["signature"].(*wire.Signature)
	by := wire.DecidedBy{UserID: "u", Name: r.h.Demo.Customer.Email, Role: "owner", Channel: "portal", Method: "session", Time: time.Now().UTC()}
	once := wire.Decision{ApprovalID: used.ID, Digest: used.Digest, Verb: wire.AllowOnce, By: by, Signature: sig}
	window, other := once, once
	window.Verb, window.Minutes = wire.AllowWindow, 60
	other.ApprovalID, other.Digest = again.ID, again.Digest
	before := c.traces(used) + c.traces(again)
	for _, d := range []wire.Decision{once, once, window, other} {
		deliver(t, conn, r.h.Demo.ServerID, d)
	}
	r.h.killAgentd(t) // the next one takes what lies there for it
	c.awaitLink()
	until(t, "each decision is on record", func() bool { return c.traces(used)+c.traces(again) == before+4 })
}

// with is a body with other fields.
func with(body map[string]any, pairs ...any) map[string]any {
	out := map[string]any{}
	for k, v := range body {
		out[k] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		out[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return out
}

// refused sends a decision whose signature is for something else. Whoever refuses it, hub or server, puts that on record,
// the question stays open and the call does not run.
func (c *client) refused(name string, q wire.Approval, body map[string]any) {
	c.t.Helper()
	before := c.traces(q)
	a := c.do(http.MethodPost, "/approvals/"+q.ID, body)
	until(c.t, name+" is on record", func() bool { return c.traces(q) == before+1 })
	until(c.t, name+" is undone", func() bool { return c.approval(q.ID).State == wire.ApprovalPending })
	if rs := c.receipts(q.RootRunID); count(rs, "call.started", "") > 0 {
		c.t.Errorf("%s: answered %d %s, receipts %v", name, a.status, a.body, types(rs))
	}
}

// late sends a decision about what is decided. The hub refuses it and puts that on record.
func (c *client) late(name string, q wire.Approval, body map[string]any) {
	c.t.Helper()
	before := c.traces(q)
	if a := c.do(http.MethodPost, "/approvals/"+q.ID, body); a.status != http.StatusConflict || c.traces(q) != before+1 {
		c.t.Errorf("%s: %d %s, %d records more", name, a.status, a.body, c.traces(q)-before)
	}
}

// traces counts what is on record of decisions about a question that were refused: receipts of the server, and records of
// the hub where that did not even pass it on.
func (c *client) traces(q wire.Approval) int {
	c.t.Helper()
	conn := c.hub.connect(c.t)
	defer func() { _ = conn.Close(context.WithoutCancel(c.t.Context())) }()
	var atHub int
	if err := conn.QueryRow(c.t.Context(), "SELECT count(*) FROM audit_log WHERE action = 'approval.refuse' AND target = $1", q.ID).Scan(&atHub); err != nil {
		c.t.Fatal(err)
	}
	rs := c.receipts(q.RootRunID)
	return atHub + refusals(rs) + count(rs, "approval.refused", "")
}
