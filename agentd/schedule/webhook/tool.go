package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// ToolName is the tool by which results are sent. No model sees it.
const ToolName = "webhook_send"

// SendArgs are what the tool takes: one delivery as it stands in the table. The address itself is not among them: what stands behind
// the host may be a secret of the receiver's.
type SendArgs struct {
	ID       string `json:"id"`
	Schedule string `json:"schedule"`
	To       string `json:"to"` // up to the host
	Text     string `json:"text"`
}

func (d delivery) args(g target) SendArgs {
	return SendArgs{ID: d.id, Schedule: d.schedule, To: shown(g.url), Text: d.text}
}

// Tool sends results. The gate is its only caller.
func (w *Webhooks) Tool() gate.Tool { return sender{w} }

type sender struct{ w *Webhooks }

// Definition implements gate.Tool. It is idempotent: a receiver knows a repeat by its key.
func (s sender) Definition() tool.Definition {
	return tool.Definition{
		Name: ToolName, Doc: "Send the result of a schedule to the address that the owner has signed for.", Args: tool.SchemaOf[SendArgs](),
		Outward: true, Idempotent: true, Timeout: answerWithin + 5*time.Second,
	}
}

// Classify lets pass what goes to the address that the owner has signed for, and nothing else.
func (s sender) Classify(args json.RawMessage) policy.Class {
	const action = "schedule.result.send"
	in, err := tool.Parse[SendArgs](args)
	if err != nil {
		return policy.Refuse(action, "The arguments do not fit.")
	}
	address := s.w.signed.get(in.Schedule)
	if address == "" || in.To != shown(address) {
		return policy.Refuse(action, "The owner has signed for no such address.")
	}
	return policy.Class{
		Tier: policy.Green, Action: action, Says: "Send the result of a schedule to " + policy.Visible(in.To),
		Outside: []string{hostOf(address)},
	}
}

// frozen is what an attempt is bound to.
type frozen struct {
	ID      string `json:"id"`
	Address string `json:"address"` // hash
}

// Measure refuses everything that is not a delivery as it stands in the table.
func (s sender) Measure(ctx context.Context, args json.RawMessage) (gate.Measured, error) {
	d, g, err := s.find(ctx, args)
	if err != nil {
		return gate.Measured{}, err
	}
	raw, err := json.Marshal(frozen{d.id, canonical.Sum([]byte(g.url))})
	if err != nil {
		return gate.Measured{}, fmt.Errorf("send result: %w", err)
	}
	return gate.Measured{Frozen: raw, Facts: []tool.Fact{
		{Name: "recipients", Value: 1, Text: "1 recipient: " + hostOf(g.url)},
		{Name: "bytes", Value: int64(len(d.text)), Text: tool.Count(int64(len(d.text)), "byte", "bytes")},
	}}, nil
}

var errNotWaiting = tool.Refuse("This is no result that waits to be sent.")

// find gives the delivery that a call is about, and where it goes.
func (s sender) find(ctx context.Context, args json.RawMessage) (delivery, target, error) {
	in, err := tool.Parse[SendArgs](args)
	if err != nil {
		return delivery{}, target{}, err
	}
	d, err := s.w.delivery(ctx, in.ID)
	if err != nil || d.state != wire.DeliveryWaiting {
		return d, target{}, errNotWaiting
	}
	g, err := s.w.target(ctx, d.schedule)
	if err != nil || d.args(g) != in || g.basis != d.basis {
		return d, g, errNotWaiting
	}
	return d, g, nil
}

// Run implements gate.Tool.
func (s sender) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	d, g, err := s.find(ctx, args)
	if err == nil && d.callID != p.CallID() {
		err = errNotWaiting
	}
	if err != nil {
		return tool.Result{}, err
	}
	key, err := s.w.d.Keys.Key(ctx, wire.WebhookSecretName(d.schedule))
	if err != nil {
		return tool.Result{}, err
	}
	if !isSecret(key, g.secretHash) {
		return tool.Result{}, tool.Refuse("%s Nothing was sent.", heldSecret)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, err
	}
	is, why := s.w.post(ctx, d, g, key)
	failpoint.Hit("webhook sent")
	s.w.fates.put(p.CallID(), is)
	if why != "" {
		return tool.Result{}, tool.Refuse("%s", why)
	}
	to := hostOf(g.url)
	return tool.Result{
		Text: "Sent to " + to + ".", Summary: "Sent the result of a schedule to " + to,
		Effects: []tool.Effect{{Kind: "sent", Target: to, Count: 1}}, Meta: map[string]any{"status": int64(is.status)},
	}, nil
}
