package db

// Which rows are a customer's.
const (
	ofCustomer = "t.customer_id = ?"
	ofReader   = "t.user_id = ?" // what says when and where somebody works is for them alone
	ofServers  = "t.server_id IN (SELECT id FROM servers WHERE customer_id = ?)"
	ofWindows  = "t.window_id IN (SELECT id FROM support_windows WHERE customer_id = ?)"
	ofOrders   = "t.order_id IN (SELECT id FROM orders WHERE customer_id = ?)"
	ofPeriods  = "t.period_id IN (SELECT id FROM billing_periods WHERE customer_id = ?)"
	monthFrom  = "(SELECT b.from_at FROM billing_periods b WHERE b.id = t.period_id)"
	ofPayments = "t.payment_id IN (SELECT id FROM payments WHERE customer_id = ?)"
)

// mailOf tells a person by their address.
func mailOf(column string) string {
	return "(SELECT u.email FROM users u WHERE u.id = t." + column + ")"
}

// notStaff tells who did something; one of our own is told as that, for the data is the customer's and not theirs.
const notStaff = "CASE t.by_kind WHEN 'staff' THEN 'our staff' WHEN 'system' THEN 'the website itself' ELSE t.by_name END"

// knownParts are the parts, in the order of the file. A test compares them with the schema.
var knownParts = []knownPart{
	{"business", "customers", "t.id = ?", "t.id", []knownWord{
		{"id", "id", ""},
		{"name", "name", ""},
		{"address", "address", ""},
		{"time zone", "time_zone", ""},
		{"language", "locale", ""},
		{"customer since", "created_at", ""},
	}, ""},
	{"people", "users", ofCustomer, "t.created_at, t.id", []knownWord{
		{"id", "id", ""},
		{"name", "name", ""},
		{"e-mail address", "email", ""},
		{"address confirmed", "verified_at", ""},
		{"address refused mail", "mail_refused_at", ""},
		{"role", "role", ""},
		{"may talk with the team", "may_chat", ""},
		{"may decide requests", "may_approve", ""},
		{"language", "locale", ""},
		{"added", "created_at", ""},
		{"removed", "removed_at", ""},
	}, "customer_id email_folded password_hash"},
	{"invitations", "invitations", ofCustomer, "t.created_at, t.id", []knownWord{
		{"e-mail address", "email", ""},
		{"role", "role", ""},
		{"may talk with the team", "may_chat", ""},
		{"may decide requests", "may_approve", ""},
		{"invited by", "invited_by", mailOf("invited_by")},
		{"sent", "created_at", ""},
		{"runs out", "expires_at", ""},
		{"address refused mail", "refused_at", ""},
		{"ended", "ended_at", ""},
		{"used by", "used_by", mailOf("used_by")},
	}, "id customer_id email_folded hash"},
	{"your sign-ins", "signins", ofReader, "t.created_at, t.id", []knownWord{
		{"person", "user_id", mailOf("user_id")},
		{"network address", "address", ""},
		{"browser", "browser", ""},
		{"begun", "created_at", ""},
		{"last used", "seen_at", ""},
		{"identity last confirmed", "fresh_at", ""},
		{"ends", "expires_at", ""},
	}, "id hash kind customer_id staff_id"},
	{"your passkeys", "passkeys", ofReader, "t.created_at, t.id", []knownWord{
		{"person", "user_id", mailOf("user_id")}, {"name", "name", ""}, {"added", "created_at", ""}, {"last used", "used_at", ""},
	}, "id staff_id credential record sign_count"},
	{"your sign-in codes", "user_seconds", ofReader, "t.begun_at, t.user_id", []knownWord{
		{"person", "user_id", mailOf("user_id")}, {"set up", "begun_at", ""}, {"in use since", "proven_at", ""},
	}, "totp_secret totp_step totp_tries totp_since backup"},
	{"access for programs", "api_tokens", ofCustomer, "t.created_at, t.id", []knownWord{
		{"name", "name", ""},
		{"made by", "user_id", mailOf("user_id")},
		{"last characters", "hint", ""},
		{"made", "created_at", ""},
		{"runs out", "expires_at", ""},
		{"last used", "used_at", ""},
		{"revoked", "revoked_at", ""},
	}, "id hash scope customer_id staff_id"},
	{"your devices with notifications", "push_devices", ofReader, "t.created_at, t.id", []knownWord{
		{"name", "name", ""},
		{"person", "user_id", mailOf("user_id")},
		{"requests shown", "told", ""},
		{"added", "created_at", ""},
		{"last notification", "told_at", ""},
		{"last sound", "rang_at", ""},
		{"failing since", "failed_at", ""},
	}, "id customer_id print subscription busy_until"},
	{"your quiet hours", "quiet_hours", ofReader, "t.user_id", []knownWord{
		{"person", "user_id", mailOf("user_id")}, {"from", "starts", clockOf("starts")}, {"to", "ends", clockOf("ends")},
	}, ""},
	{"first tasks", "first_tasks", ofCustomer, "t.task", []knownWord{
		{"task", "task", ""}, {"done", "done_at", ""}, {"hidden", "dismissed_at", ""},
	}, "customer_id"},
	{"what you are offered", "businesses", ofCustomer, "t.customer_id", []knownWord{
		{"kind of business", "kind", ""}, {"chosen", "chosen_at", ""}, {"list of first steps put away", "put_away_at", ""},
	}, "customer_id"},
	{"orders", "orders", ofCustomer, "t.created_at, t.id", []knownWord{
		{"number", "number", ""},
		{"ordered by", "ordered_by", mailOf("ordered_by")},
		{"plan", "plan", ""},
		{"price in cents a month", "price", ""},
		{"currency", "currency", ""},
		{"paid by", "paid_by", ""},
		{"region", "region", ""},
		{"kind of business", "business_type", ""},
		{"name of the business", "customer_name", ""},
		{"name of the server", "slug", ""},
		{"domain", "domain", ""},
		{"your own SSH key", "admin_key", ""},
		{"state", "state", ""},
		{"failed step", "failed_step", ""},
		{"reason", "reason", ""},
		{"standing", "standing", ""},
		{"why it ended", "end_reason", ""},
		{"ended", "ended_at", ""},
		{"server is given back", "release_at", ""},
		{"ordered", "created_at", ""},
		{"last changed", "updated_at", ""},
		{"ready", "fulfilled_at", ""},
		{"told that it takes longer", "told_late_at", ""},
	}, "id customer_id mode attempt server_id approver_key approver_box approver_passkey provider replaces alerted"},
	{"what happened with orders", "order_events", ofOrders, "t.id", []knownWord{
		{"order", "order_id", "(SELECT o.number FROM orders o WHERE o.id = t.order_id)"},
		{"time", "at", ""},
		{"state", "state", ""},
		{"text", "text", ""},
	}, "id kind by_name"},
	{"orders that waited for a payment", "pending_checkouts", ofCustomer, "t.created_at, t.id", []knownWord{
		{"ordered by", "ordered_by", mailOf("ordered_by")},
		{"plan", "choice", "t.choice->>'plan'"},
		{"price in cents a month", "price", ""},
		{"currency", "currency", ""},
		{"state", "state", ""},
		{"told that it waits", "told_at", ""},
		{"begun", "created_at", ""},
	}, "id customer_id order_id"},
	{"payments", "payments", ofCustomer, "t.created_at, t.id", []knownWord{
		{"id", "id", ""},
		{"amount in cents", "amount", ""},
		{"currency", "currency", ""},
		{"state", "state", ""},
		{"why it failed", "code", ""},
		{"refunded in cents", "refunded", ""},
		{"begun", "created_at", ""},
		{"paid", "paid_at", ""},
	}, "customer_id checkout_id order_id invoice_id applied_to hosted page intent looks tried_at updated_at"},
	{"refunds", "refunds", ofPayments, "t.created_at, t.id", []knownWord{
		{"payment", "payment_id", ""},
		{"amount in cents", "amount", ""},
		{"why", "why", ""},
		{"state", "state", ""},
		{"begun", "created_at", ""},
		{"done", "done_at", ""},
	}, "id reason credit_id by_name provider_id code tried_at"},
	{"what was not paid", "dunnings", ofCustomer, "t.since, t.id", []knownWord{
		{"state", "state", ""},
		{"tries", "tries", ""},
		{"since", "since", ""},
		{"next try", "next_at", ""},
		{"team paused", "paused_at", ""},
		{"settled", "closed_at", ""},
	}, "id customer_id invoice_id payment_id"},
	{"means of payment", "payers", ofCustomer, "t.customer_id", []knownWord{
		{"kind", "kind", ""},
		{"brand", "brand", ""},
		{"last digits", "last4", ""},
		{"expires, month", "exp_month", ""},
		{"expires, year", "exp_year", ""},
		{"looked at", "seen_at", ""},
	}, "customer_id provider_id method_id told"},
	{"disputed payments", "disputes", ofPayments, "t.opened_at, t.id", []knownWord{
		{"payment", "payment_id", ""},
		{"amount in cents", "amount", ""},
		{"reason", "reason", ""},
		{"state", "state", ""},
		{"opened", "opened_at", ""},
	}, "id due_at seen_at"},
	{"servers", "servers", ofCustomer, "t.created_at, t.id", []knownWord{
		{"id", "id", ""},
		{"name", "slug", ""},
		{"state", "state", ""},
		{"program version", "agentd_version", ""},
		{"last report", "beat_at", ""},
		{"made", "created_at", ""},
		{"first contact", "registered_at", ""},
		{"cut off", "revoked_at", ""},
	}, "customer_id order_id provider public_key key_id seal_key next link_key link_key_at link_key_tried beat"},
	{"alerts of servers", "server_alerts", ofServers, "t.raised_at, t.id", []knownWord{
		{"kind", "kind", ""}, {"how serious", "severity", ""}, {"text", "text", ""}, {"time", "at", ""}, {"reported", "raised_at", ""},
	}, "id server_id"},
	{"stops because of a broken log", "receipt_holds", ofServers, "t.at, t.id", []knownWord{
		{"why", "why", ""}, {"since", "at", ""}, {"released", "released_at", ""},
	}, "id server_id said"},
	{"commands of our staff to servers", "server_commands", ofServers, "t.at, t.id", []knownWord{
		{"what", "verb", ""}, {"program", "container", ""}, {"state", "state", ""}, {"time", "at", ""}, {"ended", "ended_at", ""},
	}, "id server_id by_name signed sig said containers until"},
	{"what was done with the machine of the server", "machine_acts", ofServers, "t.at, t.id", []knownWord{
		{"what", "verb", ""}, {"snapshot", "name", ""}, {"state", "state", ""}, {"time", "at", ""}, {"ended", "ended_at", ""},
	}, "id server_id login_key snapshot by_name mark task said"},
	{"snapshots of the server", "machine_snapshots", ofServers, "t.made_at, t.id", []knownWord{
		{"name", "name", ""}, {"size in bytes", "size", ""}, {"made", "made_at", ""}, {"finished", "ready", ""},
	}, "id server_id place"},
	{"consent to snapshots", "snapshot_consents", ofCustomer, "t.at", []knownWord{
		{"given by", "user_id", mailOf("user_id")}, {"given", "at", ""},
	}, "customer_id"},
	{"support windows", "support_windows", ofCustomer, "t.asked_at, t.id", []knownWord{
		{"purpose", "purpose", ""},
		{"hours", "hours", ""},
		{"for looking at", "what", ""},
		{"state", "state", ""},
		{"asked", "asked_at", ""},
		{"opened", "opened_at", ""},
		{"open until", "until", ""},
		{"ended", "ended_at", ""},
		{"why it ended", "why", ""},
	}, "id customer_id server_id staff_id staff_name key_kind spki ended_by"},
	{"ways back for an owner who lost everything", "regain_cases", ofCustomer, "t.opened_at, t.id", []knownWord{
		{"owner", "user_id", mailOf("user_id")},
		{"new address", "email", ""},
		{"former address", "old_email", ""},
		{"state", "state", ""},
		{"opened", "opened_at", ""},
		{"over on", "due", ""},
		{"ended", "ended_at", ""},
	}, "id customer_id reason checked opened_by opened_name confirmed_by confirmed_name ended_by"},
	{"billing periods", "billing_periods", ofCustomer, "t.from_at, t.id", []knownWord{
		{"number", "number", ""},
		{"from", "from_at", ""},
		{"to", "to_at", ""},
		{"state", "state", ""},
		{"plans", "plans", ""},
		{"would have ended", "full_to", ""},
		{"times the pool", "multiplier", ""},
		{"closed", "closed_at", ""},
		{"billed", "billed_at", ""},
	}, "id customer_id anchor held asked_at"},
	{"invoices", "invoices", ofCustomer, "t.issued_at, t.id", []knownWord{
		{"number", "number", ""},
		{"from", "from_at", ""},
		{"to", "to_at", ""},
		{"net in cents", "net", ""},
		{"tax in cents", "tax", ""},
		{"total in cents", "total", ""},
		{"credited in cents", "credited", ""},
		{"currency", "currency", ""},
		{"state", "state", ""},
		{"issued", "issued_at", ""},
		{"due", "due_at", ""},
		{"paid", "paid_at", ""},
		{"paid by", "paid_by", ""},
		{"payment failed", "failed_at", ""},
		{"why it failed", "failed_why", ""},
		{"lines", "lines", ""},
		{"parties and tax", "terms", ""},
	}, "id customer_id period_id"},
	{"credit notes", "credit_notes", ofCustomer, "t.issued_at, t.id", []knownWord{
		{"number", "number", ""},
		{"invoice", "invoice_id", "(SELECT i.number FROM invoices i WHERE i.id = t.invoice_id)"},
		{"net in cents", "net", ""},
		{"tax in cents", "tax", ""},
		{"total in cents", "total", ""},
		{"reason", "reason", ""},
		{"issued", "issued_at", ""},
		{"money goes back", "refund", ""},
		{"money went back", "refunded_at", ""},
		{"by", "refunded_by", ""},
		{"the bank sent it back", "refund_failed_at", ""},
	}, "id customer_id by_id by_name"},
	{"how you are billed", "billing_customers", ofCustomer, "t.customer_id", []knownWord{
		{"name on invoices", "name", ""},
		{"address", "address", ""},
		{"country", "country", ""},
		{"VAT id", "vat_id", ""},
		{"times the pool", "multiplier", ""},
		{"founding member from", "founding_from", ""},
		{"founding member until", "founding_until", ""},
		{"changed", "changed_at", ""},
	}, "customer_id"},
	{"what happens when the pool is empty", "overage_choices", ofCustomer, "t.id", []knownWord{
		{"work on and charge", "overage", ""}, {"chosen", "at", ""}, {"chosen by", "by_name", notStaff},
	}, "id customer_id by_kind by_id"},
	{"cancellations of the plan", "billing_cancellations", ofCustomer, "t.id", []knownWord{
		{"cancelled", "at", ""},
		{"cancelled by", "by_name", notStaff},
		{"plan ends", "ends_at", ""},
		{"taken back", "back_at", ""},
		{"taken back by", "back_by_name", "CASE t.back_by_kind WHEN 'staff' THEN 'our staff' ELSE t.back_by_name END"},
		{"plan ended", "ended_at", ""},
	}, "id customer_id period_id by_kind by_id back_by_kind back_by_id"},
	{"how full the pool was", "pool_fills", ofPeriods, "t.at, t.period_id", []knownWord{
		{"month from", "period_id", monthFrom},
		{"tokens used", "drawn", ""},
		{"tokens of the pool", "pool", ""},
		{"looked at", "at", ""},
	}, "next_at"},
	{"what you were told about the pool", "pool_notices", ofPeriods, "t.at, t.id", []knownWord{
		{"month from", "period_id", monthFrom},
		{"percent", "percent", ""},
		{"tokens used", "drawn", ""},
		{"tokens of the pool", "pool", ""},
		{"told", "at", ""},
	}, "id"},
	{"looks of our staff at a server", "support_looks", ofWindows, "t.at, t.id", []knownWord{
		{"what", "see", ""}, {"time", "at", ""}, {"refused because", "refused", ""},
	}, "id window_id staff_name"},
	{"settings of the team", "configs", ofServers, "t.created_at, t.version", []knownWord{
		{"version", "version", ""}, {"settings", "config", "t.config - 'signed'"}, {"set", "created_at", ""},
	}, "server_id"},
	{"devices that may approve", "approver_keys", ofServers, "t.created_at, t.key_id", []knownWord{
		{"name", "label", labelOf("t")},
		{"kind", "kind", ""},
		{"holder", "holder", ""},
		{"added by", "added_by", addedBy},
		{"added", "created_at", ""},
	}, "server_id key_id spki credential"},
	{"whose devices those are", "approver_people", ofServers, "t.key_id", []knownWord{
		{"device", "key_id", "(SELECT " + labelOf("k") + " FROM approver_keys k WHERE k.server_id = t.server_id AND k.key_id = t.key_id)"},
		{"person", "user_id", mailOf("user_id")},
	}, "server_id"},
	{"devices that asked to approve", "approver_requests", ofServers, "t.created_at, t.key_id", []knownWord{
		{"name", "label", "CASE WHEN t.staff_id IS NULL THEN t.label ELSE 'our staff' END"},
		{"kind", "kind", ""},
		{"person", "user_id", mailOf("user_id")},
		{"answer", "answer", ""},
		{"asked", "created_at", ""},
	}, "server_id key_id spki credential staff_id address"},
	{"requests for approval", "approvals", ofCustomer, "t.created_at, t.id", []knownWord{
		{"id", "id", ""},
		{"agent", "agent", ""},
		{"tool", "tool", ""},
		{"action", "action", ""},
		{"how risky", "tier", ""},
		{"state", "state", ""},
		{"decision", "verb", ""},
		{"minutes", "minutes", ""},
		{"decided by", "decided_by", decidedBy},
		{"decided", "decided_at", ""},
		{"carried out", "execution", ""},
		{"refused because", "refused", ""},
		{"asked", "created_at", ""},
		{"runs out", "expires_at", ""},
	}, "customer_id server_id code session_id root_run_id run_id call_id args_hash policy_version staged_hash digest windows summary " +
		"args facts reason why_asked diff context next_id mail_id"},
	{"what your agents used", "usage_buckets", ofCustomer, "t.hour, t.agent, t.model", []knownWord{
		{"hour", "hour", ""},
		{"agent", "agent", ""},
		{"for the agent", "parent", ""},
		{"model", "model", ""},
		{"account at the provider", "profile", ""},
		{"whose key", "key", ""},
		{"requests", "requests", ""},
		{"estimated requests", "estimated", ""},
		{"tokens sent", "input", ""},
		{"tokens received", "output", ""},
		{"tokens read from the cache", "cache_read", ""},
		{"tokens written to the cache", "cache_write", ""},
		{"estimated among those sent", "est_input", ""},
		{"estimated among those received", "est_output", ""},
		{"searches of the web", "searches", ""},
		{"pages fetched", "fetches", ""},
	}, "server_id epoch customer_id revision"},
	{"mails about requests", "approval_mails", ofCustomer, "t.id", []knownWord{{"sent", "created_at", ""}}, "id customer_id"},
	{"links for handing over values", "secret_links", ofCustomer, "t.created_at, t.id", []knownWord{
		{"kind", "kind", ""},
		{"credential", "name", ""},
		{"made by", "made_by", ""},
		{"made", "created_at", ""},
		{"runs out", "expires_at", ""},
		{"used", "taken_at", ""},
	}, "id customer_id take box"},
	{
		"notes of our staff", "customer_notes", ofCustomer, "t.at, t.id",
		[]knownWord{{"time", "at", ""}, {"text", "text", ""}},
		"id customer_id by_id by_name",
	},
	{"record of changes", "audit_log", ofCustomer, "t.at, t.id", []knownWord{
		{"time", "at", ""},
		{"who", "by_name", notStaff},
		{"what", "action", ""},
		{"about", "target", ""},
		{"details", "details", "CASE t.by_kind WHEN 'user' THEN t.details END"},
	}, "id by_kind by_id by_role by_address customer_id"},
}

// decidedBy is who decided, without naming one of ours.
const decidedBy = "CASE t.decided_by->>'role' WHEN 'staff' THEN 'our staff' ELSE t.decided_by->>'name' END"

// addedBy is how a device came to be one that may approve: with a code, or by another device, which is told by its name.
var addedBy = "CASE WHEN t.added_by IN ('code', 'recovery', 'order') THEN t.added_by ELSE " +
	"(SELECT " + labelOf("k") + " FROM approver_keys k WHERE k.server_id = t.server_id AND k.key_id = t.added_by) END"

// labelOf is the name of a device; one of our staff is named after them.
func labelOf(key string) string {
	return "CASE " + key + ".holder WHEN 'staff' THEN 'our staff' ELSE " + key + ".label END"
}

// clockOf tells a minute of the day as a clock does.
func clockOf(column string) string {
	return "to_char(make_interval(mins => t." + column + "), 'HH24:MI')"
}

// knownLeft are tables with something about a customer that the file leaves out, and why.
var knownLeft = map[string]string{
	"regain_links":     "Links in mails that stop a case: whoever has one can.",
	"mail_links":       "Links in mails that still work: whoever has one can sign in.",
	"register_tokens":  "What a new server proves itself with, once: a secret.",
	"idempotency_keys": "Answers to programs, kept for a day so that a repeated request is not carried out twice.",
	"channel_hooks":    "Hashes of the addresses to which messengers bring messages. The Channels page shows the addresses.",
	"link_in_heads":    "Counters of what was received from your server.",
	"link_out_heads":   "Counters of what was sent to your server.",
	"link_in":          "Numbers of what was received from your server, so that nothing is applied twice.",
	"link_out":         "What waits for your server, encrypted for it. The website cannot read it.",
	"config_states":    "Which version of the settings your server runs. The Server page shows it.",
	"checkpoints":      "Check sums of the log on your server.",
	"approver_lists":   "A signature of your server over its list of devices, and the recovery code, encrypted for your browser.",
	"setups":           "Technical: whether a server is being set up right now.",
	"setup_steps":      "Technical: which steps of setting up a server were done.",
	"order_log": "Technical lines of setting up your server, without anything of yours. " +
		"They are removed after 90 days unless our staff chose another time.",
	"order_names":      "Technical: how the name of your server was looked up.",
	"dns_records":      "Technical: the public records of your server's name.",
	"server_history":   "Measurements of processor, memory and disk. The Server page shows them.",
	"pool_machines":    "Which of our machines your server runs on.",
	"rented_machines":  "Which rented machine your server runs on.",
	"adopted_machines": "Which machine at netcup your server runs on.",
	"machines_seen":    "How the machine of your server was when its provider was asked last.",
	"stripe_events": "What the payment service reported about payments, as it came, so that each report is dealt with once. " +
		"The payments themselves are listed.",
	"model_keys":         "Which key of ours your server shows to the model provider, and whether both count the same usage.",
	"payers_left":        "Under which number the payment service knew a customer who was erased, until it has deleted that too.",
	"usage_checks":       "Technical: whether your server counts the same usage as the website.",
	"passkey_challenges": "What a browser answers while a passkey is used: a secret of a few minutes.",
}
