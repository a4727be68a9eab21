package redteam

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// decisions tries to use one person's leave for something else: again, edited, for another call, without a signature.
func (r *ground) decisions(t *testing.T) {
	c := r.h.API(t)
	ask := func() wire.Approval {
		deletion := e2e.Tool("file_delete", map[string]any{"path": "books/ledger.csv"})
		return c.Asked(c.Say("it-admin", e2e.ToolScript(t, "I tried.", deletion)))
	}
	first := ask()
	leave := c.Signed(first, map[string]any{"decision": wire.AllowOnce})
	refused(c, "without a signature", first, map[string]any{"decision": wire.AllowOnce})
	refused(c, "edited after it was signed", first, with(leave, "decision", wire.Edit, "args", map[string]any{"path": "*"}))
	refused(c, "a window in the place of once", first, with(leave, "decision", wire.AllowWindow, "minutes", 60))
	c.Want(http.StatusOK, http.MethodPost, "/approvals/"+first.ID, map[string]any{"decision": wire.Deny}, nil)
	c.End(first.RootRunID)
	second := ask()
	refused(c, "the leave of another call", second, leave)
	c.Want(http.StatusOK, http.MethodPost, "/approvals/"+second.ID, map[string]any{"decision": wire.Deny}, nil)
	c.End(second.RootRunID)
	late(c, "leave after the denial", second, c.Signed(second, map[string]any{"decision": wire.AllowOnce}))
	r.wantWhole(t)
}

// replays tries to use leave that was truly given and used up: again, for the same call made anew, and by a hub that
// delivers it once more. The letter that it was for goes out once.
func (r *ground) replays(t *testing.T) {
	c, to := r.h.API(t), "once@example.net"
	ask := func() wire.Approval {
		message := e2e.Tool("message", map[string]any{"to": to, "subject": "hours", "text": "We open at nine."})
		return c.Asked(c.Say("secretary", e2e.ToolScript(t, "I tried.", message)))
	}
	used := ask()
	leave := c.Signed(used, map[string]any{"decision": wire.AllowOnce})
	c.Want(http.StatusOK, http.MethodPost, "/approvals/"+used.ID, leave, nil)
	c.End(used.RootRunID)
	late(c, "leave that was used", used, leave)
	again := ask()
	refused(c, "leave for the same call before", again, leave)
	r.redeliver(c, used, leave, again)
	c.Want(http.StatusOK, http.MethodPost, "/approvals/"+again.ID, map[string]any{"decision": wire.Deny}, nil)
	c.End(again.RootRunID)
	if n := e2e.Count(c.Receipts(used.RootRunID), "call.started", ""); n != 1 || len(r.h.Mails(t, to)) != 1 {
		t.Errorf("%d starts, %d letters", n, len(r.h.Mails(t, to)))
	}
}

// redeliver lets the hub send a used decision anew, as it was and with other words, and for another question.
func (r *ground) redeliver(c *e2e.Client, used wire.Approval, leave map[string]any, again wire.Approval) {
	t := c.T
	t.Helper()
	conn := r.h.Connect(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	sig, _ := leave["signature"].(*wire.Signature)
	by := wire.DecidedBy{
		UserID: "u", Name: r.h.Demo.Customer.Email, Role: "owner", Channel: "portal", Method: "session", Time: time.Now().UTC(),
	}
	once := wire.Decision{ApprovalID: used.ID, Digest: used.Digest, Verb: wire.AllowOnce, By: by, Signature: sig}
	window, other := once, once
	window.Verb, window.Minutes = wire.AllowWindow, 60
	other.ApprovalID, other.Digest = again.ID, again.Digest
	before := traces(c, used) + traces(c, again)
	for _, d := range []wire.Decision{once, once, window, other} {
		deliver(t, conn, r.h.Demo.ServerID, d)
	}
	r.h.KillAgentd(t) // the next one takes what lies there for it
	c.AwaitLink()
	e2e.Until(t, "each decision is on record", func() bool { return traces(c, used)+traces(c, again) == before+4 })
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
func refused(c *e2e.Client, name string, q wire.Approval, body map[string]any) {
	c.T.Helper()
	before := traces(c, q)
	a := c.Do(http.MethodPost, "/approvals/"+q.ID, body)
	e2e.Until(c.T, name+" is on record", func() bool { return traces(c, q) == before+1 })
	e2e.Until(c.T, name+" is undone", func() bool { return c.Approval(q.ID).State == wire.ApprovalPending })
	if rs := c.Receipts(q.RootRunID); e2e.Count(rs, "call.started", "") > 0 {
		c.T.Errorf("%s: answered %d %s, receipts %v", name, a.Status, a.Body, e2e.Types(rs))
	}
}

// late sends a decision about what is decided. The hub refuses it and puts that on record.
func late(c *e2e.Client, name string, q wire.Approval, body map[string]any) {
	c.T.Helper()
	before := traces(c, q)
	if a := c.Do(http.MethodPost, "/approvals/"+q.ID, body); a.Status != http.StatusConflict || traces(c, q) != before+1 {
		c.T.Errorf("%s: %d %s, %d records more", name, a.Status, a.Body, traces(c, q)-before)
	}
}

// traces counts what is on record of decisions about a question that were refused: receipts of the server, and records of
// the hub where that did not even pass it on.
func traces(c *e2e.Client, q wire.Approval) int {
	c.T.Helper()
	conn := c.Hub.Connect(c.T)
	defer func() { _ = conn.Close(context.WithoutCancel(c.T.Context())) }()
	var atHub int
	const refused = "SELECT count(*) FROM audit_log WHERE action = 'approval.refuse' AND target = $1"
	if err := conn.QueryRow(c.T.Context(), refused, q.ID).Scan(&atHub); err != nil {
		c.T.Fatal(err)
	}
	rs := c.Receipts(q.RootRunID)
	return atHub + refusals(rs) + e2e.Count(rs, "approval.refused", "")
}
