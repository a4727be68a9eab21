package mail

import (
	"context"

	"gatehouse/views/i18n"
)

// Destroyed is what a code that our staff are mailed is for.
type Destroyed struct {
	Action string // as in the record of changes
	Name   string // of what it is on
}

// actWords say what a code is for.
var actWords = map[string]i18n.Key{
	"order.end": "code.act.order_end", "order.replace": "code.act.order_replace", "order.stop": "code.act.order_stop",
	"order.cancel": "code.act.order_cancel", "server.revoke": "code.act.server_revoke", "pool.remove": "code.act.pool_remove",
	"pool.wipe": "code.act.pool_wipe", "netcup.wipe": "code.act.netcup_wipe", "staff.off": "code.act.staff_off",
	"machine.off": "code.act.machine_off", "machine.reset": "code.act.machine_reset", "machine.rescue": "code.act.machine_rescue",
	"machine.reinstall": "code.act.machine_reinstall", "machine.restore": "code.act.machine_restore",
	"machine.drop": "code.act.machine_drop",
}

// CodeFor says what a code is for, in words: what is done, and to what.
func CodeFor(ctx context.Context, action, name string) string {
	return i18n.T(ctx, actWords[action], "name", name)
}

// codeWords are those of a letter with a code. The subject names no code: it stands on locked phones.
func codeWords(ctx context.Context, p Props, w text) text {
	what := CodeFor(ctx, p.Act.Action, p.Act.Name)
	w.Subject, w.Title = i18n.T(ctx, "code.mail.subject"), what
	w.Text, w.Small = i18n.T(ctx, "code.mail.text", "what", what), i18n.T(ctx, "code.mail.small")
	w.Code = spaced(p.Token)
	return w
}

// spaced is a code in two halves, as people read and type it.
func spaced(code string) string {
	if len(code) != 8 {
		return code
	}
	return code[:4] + " " + code[4:]
}
