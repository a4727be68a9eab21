package db

// Which rows are a customer's, of tables that are not told (known_tables.go), and all of them where only those of a reader are.
const (
	ofPeople = "t.user_id IN (SELECT id FROM users WHERE customer_id = ?)"
	ofCases  = "t.case_id IN (SELECT id FROM regain_cases WHERE customer_id = ?)"
	ofAsker  = "EXISTS (SELECT FROM users AS u WHERE u.customer_id = ? AND t.principal = 'user:' || u.id) OR " +
		"EXISTS (SELECT FROM servers AS s WHERE s.customer_id = ? AND t.principal = 'server:' || s.id)"
	ofReports = "t.payer IN (SELECT provider_id FROM payers WHERE customer_id = ?) OR " +
		"t.intent IN (SELECT intent FROM payments WHERE customer_id = ?) OR " +
		"t.object_id IN (SELECT page FROM payments WHERE customer_id = ?)"
)

// fate is what becomes of the rows of a table when their customer is erased.
type fate string

// The fates.
const (
	erased  fate = "erased"  // they are deleted
	blanked fate = "blanked" // they stay without what is about a person
	kept    fate = "kept"    // they stay for as long as the law asks, then they are deleted
	ours    fate = "ours"    // they say nothing about the customer
)

// ending is what becomes of one table.
type ending struct {
	table string
	fate  fate
	set   string // of those that are blanked: the columns, and what they say from then on
	rows  string // which rows; empty: those that known_tables.go says
	first string // SQL before the rows are deleted; ? is the customer
}

// endings are the tables in the order in which they are dealt with: rows before those that they refer to. A test compares them with
// known_tables.go.
var endings = []ending{
	{table: "signins", fate: erased, rows: ofPeople},
	{table: "passkeys", fate: erased, rows: ofPeople},
	{table: "passkey_challenges", fate: erased, rows: "t.owner_id IN (SELECT id FROM users WHERE customer_id = ?)"},
	{table: "user_seconds", fate: erased, rows: ofPeople},
	{table: "api_tokens", fate: erased},
	{table: "mail_links", fate: erased, rows: ofPeople},
	{table: "idempotency_keys", fate: erased, rows: ofAsker},
	{table: "push_devices", fate: erased, rows: ofPeople},
	{table: "quiet_hours", fate: erased, rows: ofPeople},
	{table: "first_tasks", fate: erased},
	{table: "businesses", fate: erased},
	{table: "secret_links", fate: erased},
	{table: "invitations", fate: erased},
	{table: "regain_links", fate: erased, rows: ofCases},
	{table: "regain_cases", fate: erased},
	{table: "support_looks", fate: erased},
	{table: "support_windows", fate: erased},
	{table: "snapshot_consents", fate: erased},
	{table: "customer_notes", fate: erased},

	{table: "approvals", fate: erased},
	{table: "approval_mails", fate: erased},
	{table: "approver_people", fate: erased},
	{table: "approver_requests", fate: erased},
	{table: "approver_keys", fate: erased},
	{table: "approver_lists", fate: erased, rows: ofServers},
	{table: "configs", fate: erased},
	{table: "config_states", fate: erased, rows: ofServers},
	{table: "checkpoints", fate: erased, rows: ofServers},
	{table: "receipt_holds", fate: erased},
	{table: "register_tokens", fate: erased, rows: ofServers},
	{table: "link_in", fate: erased, rows: ofServers},
	{table: "link_out", fate: erased, rows: ofServers},
	{table: "channel_hooks", fate: erased, rows: ofServers},
	{table: "link_in_heads", fate: erased, rows: ofServers},
	{table: "link_out_heads", fate: erased, rows: ofServers},
	{table: "server_alerts", fate: erased},
	{table: "server_commands", fate: erased},
	{table: "server_history", fate: erased, rows: ofServers},
	{table: "machine_acts", fate: erased},
	{table: "machine_snapshots", fate: erased},
	{table: "machines_seen", fate: erased, rows: ofServers},
	{table: "usage_checks", fate: erased, rows: ofServers},
	{table: "setup_steps", fate: erased, rows: ofServers},
	{table: "setups", fate: erased, rows: ofServers},
	{table: "order_events", fate: erased},
	{table: "order_log", fate: erased, rows: ofOrders},
	{table: "order_names", fate: erased, rows: ofOrders},
	{table: "dns_records", fate: erased, rows: ofOrders},

	{table: "pool_fills", fate: erased},
	{table: "pool_notices", fate: erased},
	{table: "overage_choices", fate: erased},
	{table: "billing_cancellations", fate: erased},
	{table: "billing_customers", fate: erased},
	{table: "stripe_events", fate: erased, rows: ofReports},
	// Who is known at the payment provider is deleted there too, by a chore that needs the id.
	{table: "payers", fate: erased, first: "INSERT INTO payers_left (provider_id, customer_id, asked_at) " +
		"SELECT provider_id, customer_id, now() FROM payers WHERE ? = customer_id"},
	// What models cost in a month is added up of it: one row for each day and model is left, without agents.
	{
		table: "usage_buckets", fate: blanked, first: mergeUsage, set: "epoch = epoch",
	},

	{table: "disputes", fate: kept},                               // it belongs to a payment
	{table: "refunds", fate: kept, set: "reason = ''"},            // it belongs to a payment
	{table: "dunnings", fate: kept},                               // it belongs to an invoice
	{table: "payments", fate: kept},                               // the law asks for it
	{table: "payers_left", fate: kept, rows: "t.customer_id = ?"}, // what is reported about a payment later is known by it
	{table: "credit_notes", fate: kept},                           // the law asks for it
	{table: "invoices", fate: kept},                               // the law asks for it, with the name and address of the buyer
	{table: "billing_periods", fate: kept},                        // an invoice belongs to one
	// A payment belongs to one.
	{
		table: "pending_checkouts", fate: kept, set: "choice = jsonb_build_object('plan', choice->'plan')",
	},

	// Tokens that were used belong to one.
	{
		table: "servers", fate: blanked, set: "slug = 'erased-' || id, public_key = NULL, key_id = NULL, seal_key = NULL, " +
			"registered_at = NULL, link_key = NULL, link_key_at = NULL, link_key_tried = NULL, " +
			"beat = NULL, beat_at = NULL, agentd_version = ''",
	},
	// Payments belong to one, and how many there were is counted.
	{
		table: "orders", fate: blanked, set: "slug = 'erased-' || id, domain = '', admin_key = '', approver_key = '', approver_box = '', " +
			"approver_passkey = '', business_type = '', customer_name = 'Erased customer'",
	},
	// An order says that it is somebody's.
	{
		table: "users", fate: blanked, set: "name = 'erased', email = 'erased', email_folded = 'removed ' || id, role = 'member', " +
			"may_chat = false, may_approve = false, verified_at = NULL, mail_refused_at = NULL, locale = '', " +
			"removed_at = coalesce(removed_at, now()), password_hash = '" + nobodysHash + "'",
	},
	// What our staff did stays on record.
	{
		table: "audit_log", fate: blanked, set: "target = '', details = '{}', " +
			"by_id = CASE by_kind WHEN 'user' THEN '' ELSE by_id END, by_name = CASE by_kind WHEN 'user' THEN 'erased' ELSE by_name END, " +
			"by_address = CASE by_kind WHEN 'staff' THEN by_address ELSE '' END",
	},
	// Invoices belong to one.
	{
		table: "customers", fate: blanked, set: "name = 'Erased customer', address = '', locale = '', time_zone = 'UTC'",
	},

	{table: "model_keys", fate: ours, rows: ofServers},       // a key of ours, which is ended when its server is cut off
	{table: "pool_machines", fate: ours, rows: ofServers},    // a machine of ours
	{table: "rented_machines", fate: ours, rows: ofServers},  // a machine that we rent
	{table: "adopted_machines", fate: ours, rows: ofServers}, // a machine that we rent
}

// mergeUsage adds up what was paid with the operator's key: a row for each day and model of a month. The rest says nothing that is
// still needed.
const mergeUsage = `INSERT INTO usage_buckets (server_id, epoch, hour, agent, parent, model, profile, key, customer_id, revision, requests,
		estimated, input, output, cache_read, cache_write, est_input, est_output, searches, fetches)
	SELECT b.server_id, 'erased', min(b.hour), '', '', b.model, '', b.key, b.customer_id, max(b.revision), sum(b.requests),
		sum(b.estimated), sum(b.input), sum(b.output), sum(b.cache_read), sum(b.cache_write), sum(b.est_input), sum(b.est_output),
		sum(b.searches), sum(b.fetches)
	FROM usage_buckets AS b LEFT JOIN billing_periods AS p ON p.customer_id = b.customer_id AND b.hour >= p.from_at AND b.hour < p.to_at
	WHERE b.customer_id = ? AND b.key = 'house'
	GROUP BY b.server_id, date_trunc('day', b.hour, 'UTC'), p.id, b.model, b.key, b.customer_id;
	DELETE FROM usage_buckets WHERE customer_id = ? AND epoch <> 'erased'`
