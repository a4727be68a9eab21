package ui

import (
	"context"
	"time"

	"gatehouse/views/i18n"
)

// Chip is one call of a tool within an answer.
type Chip struct {
	Call    string // id
	Tool    string
	Tier    string
	State   string        // requested, asked, awaiting_secret, running, done, failed, denied, unknown, stopped
	Summary string        // one sentence: "Looked at the disks"
	Took    time.Duration // 0 while it runs
	Args    []Arg
	Result  string // cut; may be empty
	Href    string // the step on the run's page; may be empty
}

var chipLooks = map[string]receiptLook{
	"requested":       {"ui.chip.requested", "dots", "off"},
	"asked":           {"ui.chip.asked", "hand", "warn"},
	"awaiting_secret": {"ui.chip.awaiting_secret", "lock", "warn"},

	"running": {"ui.chip.running", "play", "busy"},
	"done":    {"ui.chip.done", "check", "ok"},
	"failed":  {"ui.chip.failed", "alert", "bad"},
	"denied":  {"ui.chip.denied", "deny", "bad"},
	"unknown": {"ui.chip.unknown", "alert", "warn"},
	"stopped": {"ui.chip.stopped", "stop", "warn"},
}

func (c Chip) look() receiptLook {
	if l, ok := chipLooks[c.State]; ok {
		return l
	}
	return chipLooks["requested"]
}

// ChipWord names the state of a call.
func ChipWord(ctx context.Context, state string) string {
	return i18n.T(ctx, Chip{State: state}.look().word)
}

// ChipID is the id of a call's chip, where its changes go.
func ChipID(call string) string { return "call-" + call }
