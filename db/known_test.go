package db_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// aboutNobody are tables that hold nothing about a customer.
var aboutNobody = map[string]string{
	"staff": "our own people", "staff_invitations": "the same", "staff_links": "the same", "staff_codes": "the same",
	"setting_changes": "how the hub works", "hub_secrets": "keys of the hub",
	"netcup_link": "how the hub is connected to a provider", "provider_checks": "what providers answered",
	"price_entries": "what is sold for how much", "erasures": "which customers were erased, and when",
	"stripe_caught_up": "how far the reports of the payment service were fetched",
	"rate_looks":       "how the last look for an exchange rate went", "invoice_counters": "which number of an invoice was the last",
	"server_history_marks": "how far old measurements are worked through",
	"schema_migrations":    "the schema itself",
}

// columns reads the schema: the columns of every table, without the queue, which holds ids alone, and without partitions.
func columns(t *testing.T, d *db.DB) map[string][]string {
	t.Helper()
	rows, err := d.DB.QueryContext(t.Context(), `SELECT c.relname, a.attname FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
		AND left(c.relname, 6) <> 'river_'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		all[table] = append(all[table], column)
	}
	if err := rows.Err(); err != nil || len(all) < 40 {
		t.Fatalf("%d tables, %v", len(all), err)
	}
	return all
}

// secretNames are parts of names of columns that a person is never told.
var secretNames = regexp.MustCompile(`hash|secret|subscription|credential|spki|sig|box|_key\b|seal|take\b|totp|backup|print|record|body`)

// TestKnown_everyTable: each table, and each column of those that are told, is told or left out on purpose.
func TestKnown_everyTable(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	told, kept := db.KnownParts()
	left, schema := db.KnownLeft(), columns(t, d)
	for table, all := range schema {
		places := 0
		for _, listed := range []bool{told[table] != nil, left[table] != "", aboutNobody[table] != ""} {
			if listed {
				places++
			}
		}
		if places != 1 {
			t.Errorf("table %s stands in %d of: what customers are told, what is left out, what is about nobody", table, places)
		}
		if told[table] == nil {
			continue
		}
		for _, c := range all {
			if slices.Contains(told[table], c) == slices.Contains(kept[table], c) {
				t.Errorf("column %s of %s is neither told nor kept, or both", c, table)
			}
		}
		for _, c := range told[table] {
			if secretNames.MatchString(c) && c != "key_id" && c != "admin_key" { // the public half of a key
				t.Errorf("column %s of %s is told: it looks like a secret", c, table)
			}
		}
		for _, c := range slices.Concat(told[table], kept[table]) {
			if !slices.Contains(all, c) {
				t.Errorf("%s has no column %s", table, c)
			}
		}
	}
	for table := range left {
		if schema[table] == nil {
			t.Errorf("%s is left out, but there is no such table", table)
		}
	}
}

// TestKnown_Write: a customer is told all that is kept about them, in a form that reads, and nothing of another customer, no
// secret, and no name of our staff.
func TestKnown_Write(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	mine, srv := withServer(t, d)
	other, _ := withServer(t, d)
	of, user := mine.Account.Customer.ID, mine.Account.Owner
	exec := func(q string, args ...any) {
		t.Helper()
		if _, err := d.DB.ExecContext(t.Context(), q, args...); err != nil {
			t.Fatal(err)
		}
	}
	secret := strings.Repeat("\x7f", 32)
	staff := id(t)
	exec(`INSERT INTO staff (id, email, email_folded, name, role, password_hash, totp_secret, created_at)
		VALUES (?, 'clerk@example.com', 'clerk@example.com', 'Clerk Ours', 'OWNER', ?, '\\x00', ?)`, staff, somebodysHash, t0)
	mate := id(t)
	exec(`INSERT INTO users (id, customer_id, email, email_folded, name, role, password_hash, created_at)
		VALUES (?, ?, 'mate@example.com', 'mate@example.com', 'A mate', 'member', ?, ?)`, mate, of, somebodysHash, t0)
	for _, n := range []struct {
		of account.CustomerID
		by account.UserID
		is string
	}{{of, user.ID, "mine"}, {of, account.UserID(mate), "mate"}, {other.Account.Customer.ID, other.Account.Owner.ID, "theirs"}} {
		exec(`INSERT INTO signins (id, hash, kind, customer_id, user_id, created_at, seen_at, fresh_at, expires_at, address, browser)
			VALUES (?, sha256(?::bytea), 'customer', ?, ?, ?, ?, ?, ?, '192.0.2.7', ?)`,
			id(t), n.is, n.of, n.by, t0, t0, t0, t0.AddDate(1, 0, 0), "Browser of "+n.is)
		exec(`INSERT INTO passkeys (id, user_id, credential, record, sign_count, name, created_at)
			VALUES (?, ?, ?::bytea, '{"publicKey": "pk"}', 1, ?, ?)`, id(t), n.by, n.is+secret, "Passkey of "+n.is, t0)
		exec(`INSERT INTO quiet_hours VALUES (?, 1320, 390)`, n.by)
		exec(`INSERT INTO push_devices (id, customer_id, user_id, name, print, subscription, created_at)
			VALUES (?, ?, ?, ?, sha256(?::bytea), ?::bytea, ?)`, id(t), n.of, n.by, "Phone of "+n.is, n.is, secret, t0)
		exec(`INSERT INTO customer_notes (id, customer_id, text, at, by_id, by_name) VALUES (?, ?, ?, ?, ?, 'Clerk Ours')`,
			id(t), n.of, "A note about "+n.is, t0, staff)
		exec(`INSERT INTO audit_log (id, at, by_kind, by_id, by_name, by_address, customer_id, action, target, details)
			VALUES (?, ?, 'staff', ?, 'clerk@example.com', '192.0.2.99', ?, 'order.cancel', ?,
				'{"reason": "a word among ours"}')`, id(t), t0, staff, n.of, "Order of "+n.is)
	}
	exec(`INSERT INTO configs VALUES (?, 1, '{"version": 1, "default_level": 2, "signed": [{"sig": "a signature"}]}', ?)`, srv.ID, t0)
	exec(`INSERT INTO approver_keys (server_id, key_id, spki, kind, holder, label, credential, added_by, created_at)
		VALUES (?, 'k1', 'an spki', 'browser', 'owner', 'Laptop', '', 'order', ?),
		(?, 'k2', 'an spki', 'browser', 'owner', 'Phone', '', 'k1', ?),
		(?, 'k3', 'an spki', 'browser', 'staff', 'clerk@example.com', '', 'k1', ?),
		(?, 'k4', 'an spki', 'browser', 'owner', 'Tablet', '', 'k3', ?)`,
		srv.ID, t0, srv.ID, t0, srv.ID, t0, srv.ID, t0)
	var out bytes.Buffer
	asked := audit.Entry{
		ID: id(t), At: t0, CustomerID: string(of), Action: "account.export", Target: string(of),
		By: audit.Actor{Kind: audit.User, ID: string(user.ID), Name: user.Email, Address: "192.0.2.8"},
	}
	if err := (&db.Known{DB: d}).Write(t.Context(), asked, strings.ToUpper, &out); err != nil {
		t.Fatal(err)
	}
	var parts map[string]any
	if err := json.Unmarshal(out.Bytes(), &parts); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	told, _ := db.KnownParts()
	if len(parts) != len(told)+2 {
		t.Errorf("%d parts of %d tables", len(parts), len(told))
	}
	for _, want := range []string{
		user.Email, "Example Bakery", "Browser of mine", "Passkey of mine", "Phone of mine", "A note about mine", "Order of mine",
		`"from" : "22:00", "to" : "06:30"`, `"default_level": 2`, `"who" : "our staff"`, `"added by" : "Laptop"`, srv.Slug, "Paid.",
		"A SECRET OF A FEW MINUTES", "mate@example.com", `"what" : "account.export"`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it lacks %s", want)
		}
	}
	for _, never := range []string{
		"theirs", other.Account.Owner.Email, string(other.Account.Customer.ID), "argon2id", "a signature", "an spki", "publicKey",
		"clerk@example.com", "Clerk Ours", "192.0.2.99", "7f7f7f", "a word among ours", "192.0.2.8", "Browser of mate", "Passkey of mate",
		"Phone of mate",
	} {
		if strings.Contains(out.String(), never) {
			t.Errorf("it tells %q", never)
		}
	}
}
