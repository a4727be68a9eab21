package admin

import (
	"context"
	"strings"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// auditWords say what was done, by action; a decision on a request is told by what was decided.
var auditWords = map[string]i18n.Key{
	"approval.decide": "audit.did.request_decide", "approval.decide/allow_once": "audit.did.request_allow_once",
	"approval.decide/allow_window": "audit.did.request_allow_window", "approval.decide/allow_rule": "audit.did.request_allow_rule",
	"approval.decide/edit": "audit.did.request_edit", "approval.decide/deny": "audit.did.request_deny",

	"approver.ask": "audit.did.key_ask", "audit.export": "audit.did.audit_export", "config.change": "audit.did.config_change",
	"config.model_fallback": "audit.did.model_fallback",
	"customer.time_zone":    "audit.did.customer_zone", "customer.create": "clientele.did.create",
	"customer.change": "clientele.did.change", "customer.note": "clientele.did.note", "customer.invite": "clientele.did.invite",
	"customer.uninvite": "clientele.did.uninvite",
	"customer.erase":    "clientele.did.erase", "people.join": "clientele.did.join", "user.locale": "audit.did.user_locale",
	"order.retry": "audit.did.order_retry", "order.cancel": "audit.did.order_cancel", "order.press": "audit.did.order_press",
	"order.export": "audit.did.order_export",
	"setting.set":  "audit.did.setting_set", "setting.clear": "audit.did.setting_clear",
	"order.mode":      "audit.did.order_mode",
	"push_device.add": "audit.did.device_add", "push_device.remove": "audit.did.device_remove",
	"job.retry": "audit.did.job_retry", "job.cancel": "audit.did.job_cancel",
	"queue.pause": "audit.did.queue_pause", "queue.resume": "audit.did.queue_resume",
	"server.release": "audit.did.server_release", "server.revoke": "audit.did.server_revoke",
	"regain.open": "regain.did_open", "regain.confirm": "regain.did_confirm", "regain.stop": "regain.did_stop",
	"regain.done": "regain.did_done",
	"support.ask": "support.did_ask", "support.open": "support.did_open", "support.refuse": "support.did_refuse",
	"support.withdraw": "support.did_withdraw", "support.close": "support.did_close",
	"server.renew_key": "fleet.did_renew_key", "server.command": "fleet.did_command",
	"team.install": "audit.did.team_install", "team.archive": "audit.did.team_archive", "team.restore": "audit.did.team_restore",
	"team.update": "audit.did.team_update", "team.create": "audit.did.team_create", "team.write": "audit.did.team_write",
	"session.delete": "audit.did.talk_delete", "staff.create": "audit.did.staff_create",
	"token.issue": "audit.did.token_issue", "token.revoke": "audit.did.token_revoke",
	"secrets.provide": "audit.did.secret_provide", "secrets.decline": "audit.did.secret_decline",
	"secrets.reveal":   "audit.did.secret_reveal",
	"secrets.generate": "audit.did.secret_generate", "secrets.rotate": "audit.did.secret_rotate",
	"secrets.rollback": "audit.did.secret_rollback",
	"secrets.bind":     "audit.did.secret_bind", "secrets.delete": "audit.did.secret_delete",

	"netcup.ask": "provider.did_ask", "netcup.connect": "provider.did_connect", "netcup.stop": "provider.did_stop",
	"netcup.disconnect": "provider.did_disconnect", "netcup.adopt": "provider.did_adopt", "netcup.hold": "provider.did_hold",
	"netcup.free": "provider.did_free", "netcup.wipe": "provider.did_wipe", "netcup.forget": "provider.did_forget",

	"pool.add": "admin.pool.did_add", "pool.check": "admin.pool.did_check", "pool.hold": "admin.pool.did_hold",
	"pool.free": "admin.pool.did_free", "pool.host_key": "admin.pool.did_host_key", "pool.remove": "admin.pool.did_remove",
	"pool.wipe": "admin.pool.did_wipe",

	"machine.power.on": "machine.did_on", "machine.power.off": "machine.did_off", "machine.power.reset": "machine.did_reset",
	"machine.rescue.on": "machine.did_rescue", "machine.rescue.off": "machine.did_leave", "machine.reinstall": "machine.did_reinstall",
	"machine.snapshot.take": "machine.did_take", "machine.snapshot.drop": "machine.did_drop",
	"machine.snapshot.restore": "machine.did_restore",
	"order.ssh_key":            "ssh.did",
	"snapshots.agree":          "machine.did_agree", "snapshots.withdraw": "machine.did_withdraw",

	"invoice.paid": "billing.did_paid", "invoice.payment_failed": "billing.did_failed", "invoice.given_up": "billing.did_given_up",
	"billing.plan": "billing.did_plan", "billing.overage": "billing.did_overage", "billing.address": "billing.did_address",
	"billing.cancel": "plan.did_cancel", "billing.keep": "plan.did_keep", "billing.ended": "plan.did_ended",
	"billing.founding": "billing.did_founding", "billing.founding_end": "billing.did_founding_end", "price.add": "billing.did_price",
	"payment.refund": "payment.did_refund", "payment.forgive": "payment.did_forgive",
	"invoice.credit": "billing.did_credit", "invoice.refunded": "billing.did_refunded",
	"invoice.refund_failed": "billing.did_refund_failed",

	"staff.code":          "code.did",
	"passkey.add":         "passkey.did_add",
	"account.export":      "portal.data.did_export",
	"passkey.remove":      "passkey.did_remove",
	"passkey.rename":      "passkey.did_rename",
	"staff.role":          "staff.did.role",
	"staff.off":           "staff.did.off",
	"staff.on":            "staff.did.on",
	"staff.second_reset":  "staff.did.second_reset",
	"staff.second":        "staff.did.second",
	"staff.sign_out":      "staff.did.sign_out",
	"staff.name":          "staff.did.name",
	"staff.photo":         "staff.did.photo",
	"staff.photo_remove":  "staff.did.photo_gone",
	"staff.language":      "staff.did.language",
	"staff.password":      "staff.did.password",
	"staff.backup_codes":  "staff.did.backup_codes",
	"staff.backup_code":   "staff.did.backup_code",
	"staff.invite":        "staff.did.invite",
	"staff.invite_again":  "staff.did.invite_again",
	"staff.invite_revoke": "staff.did.invite_revoke",
	"staff.join":          "staff.did.join",
}

// AuditSentence says what an action is in people's words; one that has none is called by its name.
func AuditSentence(ctx context.Context, action, decision string) string {
	if _, ok := auditWords[action+"/"+decision]; ok {
		action += "/" + decision
	}
	return word(ctx, auditWords, action)
}

var roleWords = map[string]i18n.Key{
	"OWNER": "audit.role_owner", "ADMIN": "audit.role_admin", "MANAGER": "audit.role_manager", "SUPPORT": "audit.role_support",
}

// auditFrom is what somebody was, and where in the network.
func auditFrom(ctx context.Context, e AuditLine) string {
	var parts []string
	switch {
	case e.Role != "":
		parts = append(parts, word(ctx, roleWords, e.Role))
	case e.Kind == "staff":
		parts = append(parts, i18n.T(ctx, "audit.kind_staff"))
	case e.Kind == "user":
		parts = append(parts, i18n.T(ctx, "audit.kind_user"))
	case e.By != "gatehouse":
		parts = append(parts, e.By) // at the command line
	}
	if e.From != "" {
		parts = append(parts, e.From)
	}
	return strings.Join(parts, " · ")
}

// actionOptions are the actions to choose from; one that a reader asks for is among them, also when there is none of it.
func actionOptions(ctx context.Context, a Audit) []ui.Option {
	options := []ui.Option{{Label: i18n.T(ctx, "audit.all_actions")}}
	known := a.Action == ""
	for _, name := range a.Actions {
		options = append(options, ui.Option{Value: name, Label: AuditSentence(ctx, name, "")})
		known = known || name == a.Action
	}
	if !known {
		options = append(options, ui.Option{Value: a.Action, Label: AuditSentence(ctx, a.Action, "")})
	}
	return options
}
