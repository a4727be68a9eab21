package gate

import (
	"encoding/json"
	"unicode/utf8"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
)

// maxNoted is how much of a text or of arguments a receipt keeps; hashes stand for the rest.
const maxNoted = 4096

// entry is a receipt about this call.
func (p *pass) entry(kind string, body any) receipt.Entry {
	return receipt.Entry{Type: kind, RunID: p.c.RunID, CallID: p.c.ID, Tool: p.tool(), Tier: string(p.class.Tier), Body: body}
}

// tool is the tool's name as far as a receipt or a chip shows it. Where there is no such tool a model may have written
// anything, also a secret, and receipts are for ever.
func (p *pass) tool() string {
	if p.g != nil {
		if _, known := p.g.find(p.c.Tool); known {
			return p.c.Tool
		}
	}
	return redact.Clip(p.c.Tool, 64)
}

// entryOf is a receipt about a call that is on record.
func entryOf(r *record, kind string, body any) receipt.Entry {
	p := pass{c: r.Call, class: r.Class}
	return p.entry(kind, body)
}

func (p *pass) noteRequested() {
	p.notes = append(p.notes, p.entry("call.requested", map[string]any{
		"agent": p.c.Agent, "reason": clip(p.c.Reason, maxNoted), "args": noted(p.c.Args), "args_bytes": len(p.c.Args),
		"origin": p.c.Origin, "root_run_id": p.c.RootRunID,
	}))
}

func (p *pass) noteInvalid(err error) {
	p.notes = append(p.notes, p.entry("call.invalid", map[string]any{"why": clip(err.Error(), maxNoted)}))
}

func (p *pass) noteClassified() {
	body := map[string]any{
		"tier": p.class.Tier, "action": p.class.Action, "summary": clip(p.class.Says, maxNoted), "args_hash": p.argsHash, "facts": p.wireFacts(),
	}
	if p.class.Why != "" {
		body["why"] = clip(p.class.Why, maxNoted)
	}
	if len(p.c.Taint) > 0 {
		body["taint"] = p.c.Taint
	}
	if len(p.found) > 0 {
		body["outgoing"], body["found"] = p.outgoing, p.found
	}
	if p.staged != nil {
		body["staged_hash"], body["before_hash"] = p.staged.Hash, p.staged.Before
	}
	p.notes = append(p.notes, p.entry("call.classified", body))
}

func (p *pass) noteAsked(a *question) receipt.Entry {
	return p.entry("call.asked", map[string]any{
		"approval_id": a.ID, "code": a.Code, "digest": a.Digest, "args_hash": a.ArgsHash, "why": a.WhyAsked,
		"policy_version": a.PolicyVersion, "rules_version": a.RulesVersion, "expires_at": a.ExpiresAt,
	})
}

func (p *pass) noteStarted(d decision, a *question) receipt.Entry {
	body := map[string]any{"args_hash": p.argsHash, "policy_version": d.version, "rules_version": d.rules, "why": d.Why}
	if a != nil {
		body["approval_id"], body["why"] = a.ID, "a person allowed it"
		if p.argsHash != a.ArgsHash {
			body["args"] = noted(p.c.Args) // an edit: what runs is not what was requested
		}
	}
	return p.entry("call.started", body)
}

// noted is arguments as a receipt keeps them: as JSON when they are short and well formed, else the start as text.
func noted(args json.RawMessage) any {
	if len(args) <= maxNoted && json.Valid(args) && receipt.Fits(args) {
		return args
	}
	return clip(string(args), maxNoted)
}

// shown is a class with its sentences as long as they are shown.
func shown(c policy.Class) policy.Class {
	c.Says, c.Why = clip(c.Says, policy.Shown), clip(c.Why, policy.Shown)
	return c
}

// clip cuts s to at most n bytes of valid UTF-8, and says so. What leaves the gate is redacted at its exits, which know no
// half of a secret: the cut must leave none.
func clip(s string, n int) string {
	if len(s) <= n && utf8.ValidString(s) {
		return s
	}
	return redact.Clip(s, n)
}
