package ui

import (
	"context"
	"time"

	"gatehouse/views/i18n"
)

// Receipt is one record of the tamper-evident log. Type decides word and glyph; the rest says what was recorded.
type Receipt struct {
	Seq     int64
	Call    string // the call that it is of; empty: of none
	At      time.Time
	Type    string // call.requested … config.applied
	Says    string // one sentence with what was done, to what; may be empty
	Actor   string // agent or person
	Tool    string
	Tier    string
	Took    string // formatted duration; may be empty
	Fields  []Pair // what else the record holds; redactions stay visible
	Hash    string
	Prev    string
	Href    string    // its own page; may be empty
	Decided bool      // a person decided it
	Refused bool      // a decision that was not taken: its signature did not hold
	Marked  bool      // the claim it backs is in focus
	Back    string    // where what this write has replaced is put back; may be empty
	Until   time.Time // so long that is kept
	File    string    // page of the file that this wrote; may be empty
}

// Chain says whether the log holds together.
type Chain struct {
	State  string // verified, broken, unchecked
	Detail string // names the first bad record, or what was checked
	Href   string // checks again; may be empty
}

// receiptLook is how a type of receipt shows.
type receiptLook struct {
	word i18n.Key
	icon string
	kind string // ok, bad, warn, busy, off
}

var receiptLooks = map[string]receiptLook{
	"call.requested":  {"ui.receipt.requested", "ask", "off"},
	"call.invalid":    {"ui.receipt.invalid", "deny", "bad"},
	"call.classified": {"ui.receipt.classified", "scale", "off"},
	"call.limited":    {"ui.receipt.limited", "clock", "warn"},
	"call.allowed":    {"ui.receipt.allowed", "check", "ok"},
	"call.asked":      {"ui.receipt.asked", "hand", "warn"},
	"call.approved":   {"ui.receipt.approved", "check", "ok"},
	"call.denied":     {"ui.receipt.denied", "deny", "bad"},
	"call.expired":    {"ui.receipt.expired", "clock", "off"},
	"call.withdrawn":  {"ui.receipt.withdrawn", "stop", "off"},
	"call.started":    {"ui.receipt.started", "play", "busy"},
	"call.finished":   {"ui.receipt.finished", "check", "ok"},
	"call.failed":     {"ui.receipt.failed", "alert", "bad"},
	"call.stopped":    {"ui.receipt.stopped", "stop", "warn"},
	"call.unknown":    {"ui.receipt.unknown", "alert", "warn"},
	"call.judged":     {"ui.receipt.judged", "eye", "off"},

	"credential.leased": {"ui.receipt.leased", "lock", "off"},
	"config.applied":    {"ui.receipt.config", "sliders", "off"},
	"config.refused":    {"ui.receipt.config_refused", "deny", "bad"},

	"approver.refused":       {"ui.receipt.signature_refused", "deny", "bad"},
	"approver.enrolled":      {"ui.receipt.key_enrolled", "lock", "off"},
	"approver.revoked":       {"ui.receipt.key_revoked", "lock", "off"},
	"approver.recovery":      {"ui.receipt.recovery_made", "lock", "off"},
	"approver.recovery_kept": {"ui.receipt.recovery_kept", "lock", "off"},
	"permissions.applied":    {"ui.receipt.rules", "sliders", "off"},
	"permissions.refused":    {"ui.receipt.rules_refused", "deny", "bad"},
	"window.closed":          {"ui.receipt.window_closed", "clock", "off"},

	"secret.provided":         {"ui.receipt.secret_provided", "lock", "off"},
	"secret.declined":         {"ui.receipt.secret_declined", "deny", "off"},
	"secret.deleted":          {"ui.receipt.secret_deleted", "tier-red", "off"},
	"secret.generated":        {"ui.receipt.secret_generated", "lock", "off"},
	"secret.revealed":         {"ui.receipt.secret_revealed", "eye", "warn"},
	"secret.bound":            {"ui.receipt.secret_bound", "lock", "off"},
	"secret.rotation_started": {"ui.receipt.secret_rotation_started", "play", "busy"},
	"secret.rotation_unclear": {"ui.receipt.secret_rotation_unclear", "alert", "warn"},
	"secret.rotated":          {"ui.receipt.secret_rotated", "check", "ok"},
	"secret.not_rotated":      {"ui.receipt.secret_not_rotated", "alert", "bad"},
	"secret.rolled_back":      {"ui.receipt.secret_rolled_back", "lock", "off"},
	"link.key_renewed":        {"fleet.receipt_key_renewed", "lock", "off"},
	"command.key_pinned":      {"fleet.receipt_pinned", "lock", "off"},
	"command.accepted":        {"fleet.receipt_accepted", "play", "busy"},
	"command.done":            {"fleet.receipt_done", "check", "ok"},
	"command.failed":          {"fleet.receipt_failed", "alert", "bad"},
	"command.refused":         {"fleet.receipt_refused", "deny", "bad"},

	"support.opened":  {"support.receipt_opened", "eye", "warn"},
	"support.closed":  {"support.receipt_closed", "clock", "off"},
	"support.looked":  {"support.receipt_looked", "eye", "warn"},
	"support.refused": {"support.receipt_refused", "deny", "bad"},
	"support.failed":  {"support.receipt_failed", "alert", "off"},

	"schedule.created":   {"ui.receipt.schedule_created", "clock", "ok"},
	"schedule.changed":   {"ui.receipt.schedule_changed", "clock", "off"},
	"schedule.paused":    {"ui.receipt.schedule_paused", "stop", "off"},
	"schedule.resumed":   {"ui.receipt.schedule_resumed", "play", "off"},
	"schedule.deleted":   {"ui.receipt.schedule_deleted", "tier-red", "off"},
	"schedule.dismissed": {"ui.receipt.schedule_dismissed", "check", "off"},
	"schedule.settings":  {"ui.receipt.schedule_settings", "sliders", "off"},
	"schedule.tick":      {"ui.receipt.schedule_tick", "clock", "off"},
	"schedule.retry":     {"ui.receipt.schedule_retry", "play", "busy"},
	"schedule.outcome":   {"ui.receipt.schedule_outcome", "check", "off"},

	"channel.changed":  {"ui.receipt.channel_changed", "lock", "off"},
	"channel.accepted": {"ui.receipt.channel_accepted", "play", "ok"},
	"channel.refused":  {"ui.receipt.channel_refused", "deny", "warn"},
	"channel.code":     {"ui.receipt.channel_code", "lock", "off"},
	"channel.command":  {"ui.receipt.channel_command", "check", "off"},
	"channel.sent":     {"ui.receipt.channel_sent", "check", "ok"},
	"channel.failed":   {"ui.receipt.channel_failed", "deny", "bad"},
	"channel.denied":   {"ui.receipt.channel_denied", "deny", "warn"},
	"channel.unknown":  {"ui.receipt.channel_unknown", "clock", "warn"},
	"channel.erased":   {"ui.receipt.channel_erased", "tier-red", "off"},

	"hook.changed":  {"ui.receipt.hook_changed", "lock", "off"},
	"hook.accepted": {"ui.receipt.hook_accepted", "play", "ok"},
	"hook.refused":  {"ui.receipt.hook_refused", "deny", "warn"},
	"hook.repeated": {"ui.receipt.hook_repeated", "clock", "off"},
	"hook.too_many": {"ui.receipt.hook_too_many", "deny", "warn"},

	"event.rule_changed": {"ui.receipt.event_rule_changed", "lock", "off"},
	"event.rule_paused":  {"ui.receipt.event_rule_paused", "stop", "warn"},
	"event.began":        {"ui.receipt.event_began", "play", "ok"},
	"event.held":         {"ui.receipt.event_held", "deny", "warn"},

	"tool.degraded": {"ui.receipt.tool_degraded", "alert", "warn"},
	"tool.reached":  {"ui.receipt.tool_reached", "check", "ok"},

	"run.stopped":   {"ui.receipt.run_stopped", "stop", "warn"},
	"frame.refused": {"ui.receipt.frame_refused", "deny", "bad"},
}

// receiptOf finds the look of a type; another one shows its own name.
func receiptOf(kind string) receiptLook {
	if l, ok := receiptLooks[kind]; ok {
		return l
	}
	return receiptLook{icon: "file", kind: "off"}
}

// ReceiptWord names a type of receipt: "Allowed by a person".
func ReceiptWord(ctx context.Context, kind string) string {
	if l := receiptOf(kind); l.word != "" {
		return i18n.T(ctx, l.word)
	}
	return kind
}

var chainLooks = map[string]receiptLook{
	"verified":  {"ui.chain.verified", "link", "ok"},
	"broken":    {"ui.chain.broken", "alert", "bad"},
	"unchecked": {"ui.chain.unchecked", "link", "off"},
}

func (c Chain) look() receiptLook {
	if l, ok := chainLooks[c.State]; ok {
		return l
	}
	return chainLooks["unchecked"]
}
