package db_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/closing"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// personal stands in every text that the test keeps about a customer.
const personal = "PERSONAL"

// mayStay are the columns in which something of a customer's may stand after they were erased, for as long as the law asks. All else
// that a table says is gone.
var mayStay = map[string]string{
	"invoices":          "number currency paid_by failed_why lines terms",
	"credit_notes":      "number reason by_id by_name refunded_by",
	"payers_left":       "provider_id",
	"payments":          "currency hosted page intent code",
	"refunds":           "why by_name provider_id code",
	"disputes":          "id reason",
	"dunnings":          "state",
	"billing_periods":   "plans held",
	"pending_checkouts": "currency",
	"usage_buckets":     "model",
	"orders":            "plan currency paid_by region mode failed_step provider alerted end_reason reason",
	"servers":           "provider state",
	"audit_log":         "by_role action",
	"model_keys":        "*", "pool_machines": "*", "rented_machines": "*", "adopted_machines": "*",
}

// said are columns with words of the program.
var said = map[string]string{
	"orders.state": "RELEASED", "orders.standing": "main", "billing_periods.state": "BILLED", "invoices.state": "paid",
	"payments.state":          "paid",
	"pending_checkouts.state": "ordered", "refunds.state": "done", "disputes.state": "won", "audit_log.by_kind": "user",
	"usage_buckets.key": "house", "users.role": "owner",
}

// filler keeps a row of each table that may say something about a customer.
type filler struct {
	t   *testing.T
	tx  bun.Tx
	ids map[string]string // of each thing
	at  time.Time
}

// one is the id of the customer's one thing of a kind.
func (f *filler) one(kind string) string {
	if f.ids[kind] == "" {
		f.ids[kind] = id(f.t)
	}
	return f.ids[kind]
}

// things are the kinds of things to which columns refer.
var things = map[string]string{
	"customer_id": "customers", "user_id": "users", "ordered_by": "users", "owner_id": "users", "invited_by": "users",
	"server_id": "servers", "order_id": "orders", "period_id": "billing_periods", "payment_id": "payments", "invoice_id": "invoices",
	"window_id": "support_windows",
	"case_id":   "regain_cases", "credit_id": "credit_notes", "checkout_id": "pending_checkouts",
	"replaces": "orders",
}

// value is what a column says.
func (f *filler) value(table, column, kind string) any {
	if v, ok := said[table+"."+column]; ok {
		return v
	}
	mark := personal + " " + table + " " + column + " " + f.one("customers")
	switch kind {
	case "uuid":
		if column == "id" {
			return f.one(table)
		}
		if of := things[column]; of != "" {
			return f.one(of)
		}
		return id(f.t)
	case "text":
		switch table + "." + column {
		case "idempotency_keys.principal":
			return "user:" + f.one("users")
		case "stripe_events.payer":
			return personal + " payers provider_id " + f.one("customers")
		}
		return mark
	case "bytea":
		return []byte(mark)
	case "jsonb", "json":
		return `{"said": "` + mark + `"}`
	case "text[]":
		return "{\"" + mark + "\"}"
	case "boolean":
		return false
	case "integer[]", "uuid[]", "bigint[]":
		return "{}"
	case "timestamp with time zone":
		return f.at
	}
	if kind == "bigint" && column == "id" {
		return time.Now().UnixNano() // one of its own
	}
	return 0
}

// fill keeps the rows. The checks of columns are gone, and triggers and references are asleep, so that one row of each will do.
func (f *filler) fill() {
	f.t.Helper()
	for table := range db.Endings() {
		var columns []struct{ Name, Kind string }
		err := f.tx.NewRaw(`SELECT attname AS name, format_type(atttypid, atttypmod) AS kind FROM pg_attribute
			WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped AND attidentity <> 'a' AND attgenerated = ''`, table).
			Scan(f.t.Context(), &columns)
		must(f.t, err)
		names, marks, values := []string{}, []string{}, []any{}
		for _, c := range columns {
			names, marks, values = append(names, c.Name), append(marks, "?"), append(values, f.value(table, c.Name, c.Kind))
		}
		_, err = f.tx.ExecContext(f.t.Context(), "INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES ("+
			strings.Join(marks, ", ")+")", values...)
		if err != nil {
			f.t.Fatalf("%s: %v", table, err)
		}
	}
}

// everything keeps all that may be known of a customer who left at that time, in each table.
func everything(t *testing.T, d *db.DB, at time.Time) account.CustomerID {
	t.Helper()
	f := &filler{t: t, ids: map[string]string{}, at: at}
	err := d.RunInTx(t.Context(), nil, func(_ context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(t.Context(), "SET LOCAL session_replication_role = replica")
		must(t, err)
		f.tx = tx
		f.fill()
		return nil
	})
	must(t, err)
	return account.CustomerID(f.one("customers"))
}

// withoutChecks is a database in which columns may say what they like.
func withoutChecks(t *testing.T) *db.DB {
	t.Helper()
	d := dbtest.New(t)
	for table := range db.Endings() {
		var checks []string
		must(t, d.NewRaw("SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = ?::regclass", table).
			Scan(t.Context(), &checks))
		for _, c := range checks {
			_, err := d.ExecContext(t.Context(), "ALTER TABLE "+table+" DROP CONSTRAINT "+c)
			must(t, err)
		}
	}
	return d
}

// checkBlanks puts those checks back that are about what an erasure writes: from then on each column that is blanked must say
// something that its table takes. What the test itself keeps of a customer stays unchecked.
func checkBlanks(t *testing.T, d *db.DB) {
	t.Helper()
	asked := dbtest.New(t) // where they still are
	n := 0
	for table, columns := range db.Blanked() {
		var checks []struct {
			Name, Def string
			Columns   []string `bun:",array"`
		}
		must(t, asked.NewRaw(`SELECT conname AS name, pg_get_constraintdef(oid) AS def, ARRAY(SELECT attname::text FROM pg_attribute
			WHERE attrelid = conrelid AND attnum = ANY (conkey)) AS columns FROM pg_constraint WHERE contype = 'c'
			AND conrelid = ?::regclass`, table).Scan(t.Context(), &checks))
		for _, c := range checks {
			if slices.ContainsFunc(c.Columns, func(one string) bool { return !slices.Contains(columns, one) }) {
				continue
			}
			_, err := d.ExecContext(t.Context(), "ALTER TABLE "+table+" ADD CONSTRAINT "+c.Name+" "+c.Def+" NOT VALID")
			must(t, err)
			n++
		}
	}
	if n == 0 {
		t.Error("no check is about what an erasure writes")
	}
}

// rowsOf are the rows of a table that speak of somebody, by their columns.
func rowsOf(t *testing.T, d *db.DB, table, where string, args ...any) []map[string]any {
	t.Helper()
	var all []map[string]any
	must(t, d.NewRaw("SELECT * FROM "+table+" AS t WHERE "+where, args...).Scan(t.Context(), &all))
	return all
}

// dump is all that stands in the tables about a customer.
func dump(t *testing.T, d *db.DB, of account.CustomerID) string {
	t.Helper()
	var b strings.Builder
	for _, table := range slices.Sorted(maps.Keys(db.Endings())) {
		q := db.WhoseRows(table)
		fmt.Fprintf(&b, "%s: %v\n", table, rowsOf(t, d, table, q, slices.Repeat([]any{of}, strings.Count(q, "?"))...))
	}
	return b.String()
}

// mentions says whether a column says something that was kept about a customer.
func mentions(v any, of account.CustomerID) bool {
	s := fmt.Sprint(v)
	if raw, ok := v.([]byte); ok {
		s = string(raw)
	}
	return strings.Contains(s, personal) && strings.Contains(s, string(of))
}

func eraseEntry(t *testing.T, of account.CustomerID) audit.Entry {
	t.Helper()
	return audit.Entry{ID: id(t), At: t0, By: audit.Itself, CustomerID: string(of), Action: "customer.erase", Target: string(of)}
}

// TestErase_everyTable: what is known of a customer is told for each table, and so is what becomes of it.
func TestErase_everyTable(t *testing.T) {
	t.Parallel()
	fates := db.Endings()
	told, _ := db.KnownParts()
	left := db.KnownLeft()
	for _, table := range slices.Concat(slices.Collect(maps.Keys(told)), slices.Collect(maps.Keys(left))) {
		if fates[table] == "" {
			t.Errorf("nobody says what becomes of %s when its customer is erased", table)
		}
	}
	for table := range fates {
		if told[table] == nil && left[table] == "" {
			t.Errorf("%s is no table with something about a customer", table)
		}
	}
}

// TestErase_nothingPersonal: of all that any column of any table says about a customer, what is left is what the law asks to keep. The
// rows of another customer are as they were. Later that goes too.
func TestErase_nothingPersonal(t *testing.T) {
	t.Parallel()
	d := withoutChecks(t)
	at := time.Date(2009, 5, 4, 3, 0, 0, 0, time.UTC)
	mine, theirs := everything(t, d, at), everything(t, d, at)
	checkBlanks(t, d)
	before := dump(t, d, theirs)
	s := &db.Closing{DB: d, Jobs: &queue{}}
	how := closing.Erasure{At: at.AddDate(0, 1, 0), KeptUntil: at.AddDate(10, 0, 0)}
	done, err := s.Erase(t.Context(), mine, how.At, how, eraseEntry(t, mine))
	if err != nil || !done {
		t.Fatal(done, err)
	}
	for table, fate := range db.Endings() {
		q := db.WhoseRows(table)
		if n := len(rowsOf(t, d, table, q, slices.Repeat([]any{mine}, strings.Count(q, "?"))...)); fate == "erased" && n > 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
		stays := strings.Fields(mayStay[table])
		for _, r := range rowsOf(t, d, table, "true") {
			for column, v := range r {
				if mentions(v, mine) && !slices.Contains(stays, column) && !slices.Contains(stays, "*") {
					t.Errorf("%s.%s still says %s", table, column, v)
				}
			}
		}
	}
	if after := dump(t, d, theirs); after != before {
		t.Errorf("another customer's rows changed:\n%s\n%s", before, after)
	}
	var entry map[string]any
	must(t, d.NewRaw("SELECT * FROM audit_log WHERE action = 'customer.erase'").Scan(t.Context(), &entry))
	if fmt.Sprint(entry["customer_id"]) != string(mine) || mentions(entry, mine) {
		t.Errorf("record %v", entry)
	}
	if due, err := s.Long(t.Context(), how.KeptUntil.Add(-time.Hour)); len(due) != 0 || err != nil {
		t.Errorf("%v are due before the time is over, %v", due, err)
	}
	if due, err := s.Long(t.Context(), how.KeptUntil); len(due) != 1 || err != nil {
		t.Fatalf("%v are due, %v", due, err)
	}
	must(t, s.Purge(t.Context(), mine, how.KeptUntil))
	for table, fate := range db.Endings() {
		q := db.WhoseRows(table)
		n := len(rowsOf(t, d, table, q, slices.Repeat([]any{mine}, strings.Count(q, "?"))...))
		if fate == "kept" && n > 0 || table == "usage_buckets" && n > 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
	if e, _, _, err := s.Of(t.Context(), mine); err != nil || e == nil || !e.Purged.Equal(how.KeptUntil) {
		t.Errorf("%+v, %v", e, err)
	}
	if after := dump(t, d, theirs); after != before {
		t.Error("another customer's rows were purged too")
	}
}

// TestErase_cutOff: an erasure that ends in its middle leaves everything as it was, and is done whole the next time, once.
func TestErase_cutOff(t *testing.T) {
	t.Parallel()
	d := withoutChecks(t)
	of := everything(t, d, t0)
	before := dump(t, d, of)
	exec := func(q string) {
		t.Helper()
		_, err := d.ExecContext(t.Context(), q)
		must(t, err)
	}
	s := &db.Closing{DB: d, Jobs: &queue{}}
	how := closing.Erasure{At: t0.AddDate(0, 1, 0), KeptUntil: t0.AddDate(11, 0, 0)}
	erase := func() (bool, error) { return s.Erase(t.Context(), of, how.At, how, eraseEntry(t, of)) }
	exec(`CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cut off'; END $$`)
	for _, table := range []string{"api_tokens", "checkpoints", "payers", "usage_buckets", "users", "customers"} {
		exec("CREATE TRIGGER cut_off BEFORE UPDATE OR DELETE ON " + table + " FOR EACH ROW EXECUTE FUNCTION cut_off()")
		if done, err := erase(); done || err == nil {
			t.Fatalf("erased all the same: %t, %v", done, err)
		}
		exec("DROP TRIGGER cut_off ON " + table)
		if after := dump(t, d, of); after != before {
			t.Errorf("cut off at %s, it is not as it was", table)
		}
	}
	for i := range 2 {
		if done, err := erase(); err != nil || done != (i == 0) {
			t.Fatalf("time %d: %t, %v", i+1, done, err)
		}
	}
	if n := len(rowsOf(t, d, "audit_log", "t.action = 'customer.erase'")); n != 1 {
		t.Errorf("%d records", n)
	}
	for what, q := range map[string]string{
		"an order": "INSERT INTO orders (id, customer_id, ordered_by, plan, price, currency, paid_by, region, slug, mode, state, " +
			"created_at, updated_at) SELECT gen_random_uuid(), id, id, 'lite', 1, 'EUR', 'test', 'eu', 'again', 'AUTO', " +
			"'PAYMENT_CONFIRMED', now(), now() FROM customers",
		"a name": "UPDATE customers SET name = 'Somebody'",
		"a note": "INSERT INTO customer_notes (id, customer_id, text, at, by_id, by_name) SELECT " +
			"gen_random_uuid(), id, 'x', now(), id, 'x' FROM customers",
		"the record": "DELETE FROM audit_log",
		"an invoice": "DELETE FROM invoices",
		"the end":    "DELETE FROM erasures",
	} {
		if _, err := d.ExecContext(t.Context(), q); db.SQLState(err) != "GH001" {
			t.Errorf("%s of a customer who was erased: %v", what, err)
		}
	}
}

// TestErase_guards: nobody is erased who has not left, and history is rewritten for nobody else. The database says so, whatever a program
// does.
func TestErase_guards(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	o, _ := withServer(t, d)
	of := o.Account.Customer.ID
	refused := func(what, q string, args ...any) {
		t.Helper()
		_, err := d.ExecContext(t.Context(), q, args...)
		if db.SQLState(err) != "GH001" {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("a customer who is there",
		"INSERT INTO erasures (customer_id, erased_at, kept_until) VALUES (?, ?, ?)", of, t0, t0.AddDate(9, 0, 0))
	refused("history", "DELETE FROM order_events WHERE order_id = ?", o.Order.ID)
	must(t, (&db.Trail{DB: d}).Add(t.Context(), eraseEntry(t, of)))
	refused("history", "UPDATE audit_log SET by_name = 'x' WHERE customer_id = ?", of)
	s := &db.Closing{DB: d, Jobs: &queue{}}
	how := closing.Erasure{At: t0.AddDate(0, 2, 0), KeptUntil: t0.AddDate(11, 0, 0)}
	if done, err := s.Erase(t.Context(), of, how.At, how, eraseEntry(t, of)); done || err != nil {
		t.Fatalf("a customer who is there was erased: %t, %v", done, err)
	}
}

// TestErase_failedRefund: money that the bank sent back holds an erasure up until somebody has settled it: it is still the customer's.
func TestErase_failedRefund(t *testing.T) {
	t.Parallel()
	d := withoutChecks(t)
	of := everything(t, d, t0)
	exec := func(q string) {
		t.Helper()
		_, err := d.ExecContext(t.Context(), "SET session_replication_role = replica; "+q+"; SET session_replication_role = DEFAULT")
		must(t, err)
	}
	s := &db.Closing{DB: d, Jobs: &queue{}}
	how := closing.Erasure{At: t0.AddDate(0, 1, 0), KeptUntil: t0.AddDate(11, 0, 0)}
	for _, c := range []struct {
		refund, note string
		waits        closing.Wait
	}{
		{"state = 'asked'", "refund = false", closing.WaitRefund},
		{"state = 'failed', credit_id = NULL", "refund = false", closing.WaitRefund},
		{"state = 'failed'", "refund = true, refunded_at = NULL", closing.WaitRefund},
		{"state = 'done'", "refund = true, refunded_at = now()", closing.NoWait},
	} {
		exec("UPDATE refunds SET " + c.refund + "; UPDATE credit_notes SET " + c.note)
		if _, _, waits, err := s.Of(t.Context(), of); err != nil || waits != c.waits {
			t.Errorf("%s, %s: waits for %q, %v", c.refund, c.note, waits, err)
		}
		done, err := s.Erase(t.Context(), of, how.At, how, eraseEntry(t, of))
		if err != nil || done != (c.waits == closing.NoWait) {
			t.Errorf("%s, %s: erased %t, %v", c.refund, c.note, done, err)
		}
	}
}
