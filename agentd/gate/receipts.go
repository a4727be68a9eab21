package gate

import (
	"encoding/json"
	"unicode/utf8"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
)

// maxReceiptText is how much of a text or of arguments a receipt keeps; hashes stand for the rest.
const maxReceiptText = 4096

// newReceipt is a receipt about this call.
func (p *pipeline) newReceipt(kind string, body any) receipt.Entry {
	return receipt.Entry{Type: kind, RunID: p.call.RunID, CallID: p.call.ID, Tool: p.toolName(), Tier: string(p.class.Tier), Body: body}
}

// toolName is the name of the tool, cut and redacted for receipts and chips when there is no such tool: then a model may have
// written anything, even a secret, and receipts are kept for ever.
func (p *pipeline) toolName() string {
	if p.Gate != nil {
		if _, known := p.findTool(p.call.Tool); known {
			return p.call.Tool
		}
	}
	return redact.Clip(p.call.Tool, 64)
}

// receiptOf is a receipt about a call that is on record.
func receiptOf(r *callRecord, kind string, body any) receipt.Entry {
	p := pipeline{call: r.Call, class: r.Class}
	return p.newReceipt(kind, body)
}

func (p *pipeline) addRequestedReceipt() {
	p.receipts = append(p.receipts, p.newReceipt("call.requested", map[string]any{
		"agent": p.call.Agent, "reason": clip(p.call.Reason, maxReceiptText), "args": p.keptArgs(), "args_bytes": len(p.call.Args),
		"origin": p.call.Origin, "root_run_id": p.call.RootRunID,
	}))
}

func (p *pipeline) addInvalidReceipt(err error) {
	p.receipts = append(p.receipts, p.newReceipt("call.invalid", map[string]any{"why": clip(err.Error(), maxReceiptText)}))
}

func (p *pipeline) addClassifiedReceipt() {
	body := map[string]any{
		"tier": p.class.Tier, "action": p.class.Action, "summary": clip(p.class.Says, maxReceiptText),
		"args_hash": p.argsHash, "facts": p.wireFacts(),
	}
	if p.class.Why != "" {
		body["why"] = clip(p.class.Why, maxReceiptText)
	}
	if len(p.call.Taint) > 0 {
		body["taint"] = p.call.Taint
	}
	if len(p.scanKinds) > 0 {
		body["outgoing"], body["found"] = p.scanEffect, p.scanKinds
	}
	if p.staged != nil {
		body["staged_hash"], body["before_hash"] = p.staged.Hash, p.staged.Before
	}
	p.receipts = append(p.receipts, p.newReceipt("call.classified", body))
}

func (p *pipeline) askedReceipt(a *approval) receipt.Entry {
	return p.newReceipt("call.asked", map[string]any{
		"approval_id": a.ID, "code": a.Code, "digest": a.Digest, "args_hash": a.ArgsHash, "why": a.WhyAsked,
		"policy_version": a.PolicyVersion, "rules_version": a.RulesVersion, "expires_at": a.ExpiresAt,
	})
}

func (p *pipeline) startedReceipt(d decision, a *approval) receipt.Entry {
	body := map[string]any{"args_hash": p.argsHash, "policy_version": d.version, "rules_version": d.rules, "why": d.Why}
	if a != nil {
		body["approval_id"], body["why"] = a.ID, "a person allowed it"
		if p.argsHash != a.ArgsHash {
			body["args"] = p.keptArgs() // an edit: what runs is not what was requested
		}
	}
	return p.newReceipt("call.started", body)
}

// keptArgs is the arguments of this call as a receipt keeps them.
func (p *pipeline) keptArgs() any {
	if p.Gate != nil {
		if e, known := p.findTool(p.call.Tool); known {
			if d, is := e.tool.(Discreet); is {
				return receiptArgs(d.Receipt(p.call.Args))
			}
		}
	}
	return receiptArgs(p.call.Args)
}

// receiptArgs is arguments as a receipt keeps them: as JSON when they are short and well formed, otherwise their start as
// text.
func receiptArgs(args json.RawMessage) any {
	if len(args) <= maxReceiptText && json.Valid(args) && receipt.Fits(args) {
		return args
	}
	return clip(string(args), maxReceiptText)
}

// clipClass cuts the sentences of a class to the length that is shown.
func clipClass(c policy.Class) policy.Class {
	c.Says, c.Why = clip(c.Says, policy.Shown), clip(c.Why, policy.Shown)
	return c
}

// clip cuts s to at most n bytes of valid UTF-8, and says so. Text that leaves the gate is redacted at its exits, where half a
// secret is not recognized, so the cut leaves none.
func clip(s string, n int) string {
	if len(s) <= n && utf8.ValidString(s) {
		return s
	}
	return redact.Clip(s, n)
}
