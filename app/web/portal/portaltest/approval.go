package portaltest

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/relay"
)

// Propose is an approval as the server sends it, kept at the hub; open pages are told.
func (p *Peer) Propose(t testing.TB, change ...func(*wire.Approval)) wire.Approval {
	t.Helper()
	a := wire.Approval{
		ID: NewID(), Code: "K7Q2MX", ServerID: string(p.Of.Server), SessionID: NewID(), RootRunID: NewID(), RunID: NewID(), CallID: NewID(),
		Agent: "secretary", Tool: "message", Action: "mail.message.send", Tier: "yellow_external", PolicyVersion: 1, StagedHash: "-",
		Args:    json.RawMessage(`{"subject":"Opening hours","text":"We open at nine.\nSee you","to":"someone@example.com"}`),
		Summary: "E-mail someone@example.com: Opening hours", Reason: "You asked for it.", WhyAsked: "it reaches someone outside the business",
		Facts:   []wire.Fact{{Name: "recipients", Value: 1, Text: "1 recipient: someone@example.com"}},
		Windows: []int{15, 60}, State: wire.ApprovalPending, Execution: wire.ExecNone,
		CreatedAt: time.Now().UTC(), ExpiresAt: time.Now().UTC().Add(24 * time.Hour).Truncate(time.Second),
	}
	for _, f := range change {
		f(&a)
	}
	args, err := canonical.JSON(a.Args)
	Must(t, err)
	if a.ArgsHash == "" {
		a.ArgsHash = canonical.Sum(args)
	}
	a.Digest = wire.DigestOf(a)
	Must(t, p.Hub.Approvals.Receive(t.Context(), approval.Sender{ID: p.Of.Server, CustomerID: p.Of.ID}, a))
	p.Lock()
	p.Asked[a.ID] = a
	p.Unlock()
	Must(t, p.Hub.Relay.Notify(relay.Notice{Kind: relay.KindApproval, CustomerID: string(p.Of.ID), ID: a.ID}))
	return a
}

// AnswerTo is the form that answers an approval, signed by the owner's key.
func AnswerTo(a wire.Approval, verb string) url.Values {
	return url.Values{"decision": {verb}, "digest": {a.Digest}, "signature": {Signature()}}
}

// ApprovalPath is the page of an approval.
func ApprovalPath(a wire.Approval) string { return "/app/approvals/" + a.ID }

// FindCard is the last pushed markup of a card.
func FindCard(got []Message, id string) string {
	card := ""
	for _, m := range got {
		if _, from, ok := strings.Cut(m.Data, `id="approval-`+id+`"`); ok {
			card, _, _ = strings.Cut(from, "</article>")
		}
	}
	return card
}
