package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/staff"
	"gatehouse/app/usage"
	"gatehouse/app/web"
	"gatehouse/db"
)

// used keeps input that a customer's server used of a model in an hour.
func (w *apiWorld) used(of tenant, at time.Time, model string, input int64) {
	w.t.Helper()
	_, err := (&db.Usage{DB: w.db}).Keep(w.t.Context(), of.server, []usage.Bucket{{
		Epoch: uuid.NewString(), Hour: at, Agent: "secretary", Model: model, Profile: "main", Key: usage.House, Revision: 1,
		Counts: usage.Counts{Requests: 1, Input: input},
	}})
	ok(w.t, err)
}

// figures are numbers of an answer.
func figures(t *testing.T, of any, want map[string]float64) {
	t.Helper()
	for name, n := range want {
		if got, _ := of.(map[string]any)[name].(float64); got != n {
			t.Errorf("%s is %v, want %v", name, got, n)
		}
	}
}

// TestAPI_margins: a manager reads by program what customers cost and brought in: the figures of the page, sorted, searched and cut
// into pages; the sums of lists are the totals. What stands on no invoice is there with its reason.
func TestAPI_margins(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	manager := w.clerk(staff.Manager)
	hour := time.Now().UTC().Truncate(time.Hour)
	w.begin(w.other, hour)
	w.used(w.mine, hour, "large", 3_000_000)
	w.used(w.other, hour, "small", 1_000_000)
	w.used(w.other, hour.Add(-time.Hour), "small", 500) // before the first month
	costs := manager.asks("GET", "/analytics/costs", "", 200)
	used := map[string]float64{"tokens": 4_000_500, "requests": 3}
	if hour.Add(-time.Hour).Month() != hour.Month() {
		used = map[string]float64{"tokens": 4_000_000, "requests": 2}
	}
	figures(t, costs, used)
	models, agents := costs["models"].([]any), costs["agents_out_of_proportion"].([]any)
	if costs["running"] != true || len(models) != 2 || len(agents) != 0 {
		t.Errorf("the month: %v", costs)
	}
	months := manager.asks("GET", "/analytics/months", "", 200)["items"].([]any)
	last := months[len(months)-1].(map[string]any)
	for _, name := range []string{
		"month", "running", "tokens", "requests", "cost_cents", "revenue_cents", "margin_cents", "unpriced_tokens",
	} {
		if last[name] != costs[name] {
			t.Errorf("%s is %v in the list of months, and %v by itself", name, last[name], costs[name])
		}
	}
	first := manager.asks("GET", "/analytics/customers?sort=-tokens&limit=1", "", 200)
	if is := first["items"].([]any)[0].(map[string]any); is["customer_id"] != string(w.mine.id) || first["next"] != string(w.mine.id) {
		t.Fatalf("the first page: %v", first)
	}
	then := manager.asks("GET", "/analytics/customers?sort=-tokens&limit=1&after="+string(w.mine.id), "", 200)
	if is := then["items"].([]any)[0].(map[string]any); is["customer_id"] != string(w.other.id) || then["next"] != nil {
		t.Errorf("the page after it: %v", then)
	}
	if found := manager.asks("GET", "/analytics/customers?q=ZZoth", "", 200)["items"].([]any); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	for path, want := range map[string]int{
		"/analytics/customers?after=" + uuid.NewString(): 422, "/analytics/customers?month=soon": 422,
		"/analytics/costs?month=2020-01": 422,
		"/customers/none/uncharged":      404,
	} {
		manager.asks("GET", path, "", want)
	}
	list := "/customers/" + string(w.other.id) + "/uncharged"
	lost := manager.asks("GET", list, "", 200)["items"].([]any)
	if len(lost) != 1 || lost[0].(map[string]any)["why"] != "before" {
		t.Fatalf("on no invoice: %v", lost)
	}
	figures(t, lost[0], map[string]float64{"tokens": 500})
	w.clerk(staff.Support).asks("GET", "/analytics/costs", "", 403)
}

// says calls the API as a customer's owner, and holds the answer against its description.
func (w *apiWorld) says(method, path, body string, want int) (answer map[string]any) {
	w.t.Helper()
	status, text := w.call(web.Route{Method: method, Path: "/api/v1/customer" + path}, apiCase{body: body}, w.mine.token)
	if status != want {
		w.t.Fatalf("%s %s %s: %d, want %d: %.300s", method, path, body, status, want, text)
	}
	_ = json.Unmarshal([]byte(text), &answer) // nothing where the answer is empty
	return answer
}

// TestAPI_plan: an owner changes the plan, cancels it and takes that back by program: what the plan costs is said before, what was not
// seen is not done, and each answer tells what holds now.
func TestAPI_plan(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	if no := w.says("POST", "/billing/plan", `{"plan":"scale"}`, 409); no["type"] != "no-period" {
		t.Errorf("before a month runs: %v", no)
	}
	w.served(w.mine.id)
	w.begin(w.mine, time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, -6))
	if all := w.says("GET", "/billing/plans", "", 200)["items"].([]any); len(all) != 4 {
		t.Errorf("the plans: %v", all)
	}
	before := w.says("GET", "/billing/plans/scale", "", 200)
	figures(t, before["was"], map[string]float64{"monthly_cents": 45_00})
	figures(t, before["then"], map[string]float64{"monthly_cents": 75_00})
	if after := before["month_after_cents"].(float64); after <= 45_00 || after >= 75_00 {
		t.Errorf("the month comes to %v with both plans", after)
	}
	w.says("POST", "/billing/plan", `{"plan":"scale","was":"build","monthly_cents":7400}`, 409)
	w.says("POST", "/billing/plan", `{"plan":"none"}`, 422)
	if now := w.says("GET", "/billing", "", 200); now["plan"] != "build" {
		t.Errorf("what was refused holds: %v", now)
	}
	if v := w.says("POST", "/billing/plan", `{"plan":"scale","was":"build","monthly_cents":7500}`, 200); v["plan"] != "scale" {
		t.Errorf("changed to %v", v)
	}
	if no := w.says("POST", "/billing/plan", `{"plan":"scale","was":"build","monthly_cents":7500}`, 409); no["type"] == "" {
		t.Errorf("again: %v", no)
	}
	now := w.says("GET", "/billing", "", 200)
	if now["plan"] != "scale" || now["leaving"] != nil || now["net_cents"] != before["month_after_cents"] {
		t.Errorf("the month: %v, said before: %v", now, before)
	}
	w.says("DELETE", "/billing/cancellation", "", 409)
	if v := w.says("POST", "/billing/cancellation", "", 201); v["ends_at"] != now["to"] || v["over"] != false {
		t.Errorf("cancelled: %v", v)
	}
	w.says("POST", "/billing/cancellation", "", 409)
	w.says("POST", "/billing/plan", `{"plan":"build"}`, 409)
	if v := w.says("GET", "/billing", "", 200); v["leaving"].(map[string]any)["ends_at"] != now["to"] || v["runs"] != true {
		t.Errorf("the month is to be the last: %v", v)
	}
	w.says("DELETE", "/billing/cancellation", "", http.StatusNoContent)
	if v := w.says("GET", "/billing", "", 200); v["leaving"] != nil || v["plan"] != "scale" {
		t.Errorf("it goes on: %v", v)
	}
}

// served has a customer's server work.
func (w *apiWorld) served(of account.CustomerID) {
	w.t.Helper()
	for _, state := range []string{
		"state = 'AWAITING_SERVER'", "state = 'SERVER_READY'", "state = 'DNS_PENDING'", "state = 'DNS_READY'",
		"state = 'PROVISIONING', server_id = (SELECT id FROM servers WHERE order_id = orders.id)",
		"state = 'FULFILLED', fulfilled_at = now()",
	} {
		_, err := w.db.Pool.Exec(w.t.Context(), "UPDATE orders SET "+state+" WHERE customer_id = $1", of)
		ok(w.t, err)
	}
}

// TestAPI_bills: our staff read by program what the page of billing says: months that run and wait, invoices, months beyond their pool,
// founding members, and tokens of all customers; an owner reads usage by day, agent and model.
func TestAPI_bills(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	manager := w.clerk(staff.Manager)
	now := time.Now().UTC().Truncate(time.Hour)
	w.priced("small", `{"input": 150000, "output": 600000, "class": "included"}`)
	w.begin(w.mine, now.AddDate(0, 0, -6))
	w.begin(w.other, now.AddDate(0, 0, -6))
	w.used(w.mine, now.Add(-2*time.Hour), "small", 9_500_000)
	w.used(w.other, now.Add(-2*time.Hour), "small", 1_000)
	sum := manager.asks("GET", "/billing/summary", "", 200)
	figures(t, sum, map[string]float64{"running": 2})
	figures(t, sum["open"], map[string]float64{"count": 0, "total_cents": 0})
	over := manager.asks("GET", "/billing/overages", "", 200)["items"].([]any)
	if len(over) != 1 || over[0].(map[string]any)["customer_id"] != string(w.mine.id) {
		t.Fatalf("beyond the pool: %v", over)
	}
	figures(t, over[0], map[string]float64{
		"pool_tokens": 9_000_000, "drawn_tokens": 9_500_000, "uncharged_tokens": 500_000, "overage_cents": 0,
	})
	period := over[0].(map[string]any)["period_id"].(string)
	_, err := w.db.Pool.Exec(t.Context(), `INSERT INTO invoices (id, number, customer_id, period_id, from_at, to_at, net, tax, total,
			currency, state, issued_at, due_at, lines, terms)
		VALUES (gen_random_uuid(), 'T-1', $1, $2, $3, $3, 4500, 900, 5400, 'EUR', 'open', $3, $3, '[]', '{}')`, w.mine.id, period, now)
	ok(t, err)
	all := manager.asks("GET", "/billing/history", "", 200)["items"].([]any)
	if len(all) != 1 || all[0].(map[string]any)["number"] != "T-1" || all[0].(map[string]any)["period_id"] != period {
		t.Fatalf("invoices: %v", all)
	}
	figures(t, all[0], map[string]float64{"net_cents": 45_00, "tax_cents": 9_00, "total_cents": 54_00})
	if paid := manager.asks("GET", "/billing/history?state=paid", "", 200)["items"].([]any); len(paid) != 0 {
		t.Errorf("paid ones: %v", paid)
	}
	figures(t, manager.asks("GET", "/billing/summary", "", 200)["open"], map[string]float64{"count": 1, "total_cents": 54_00})
	bills := &billing.Service{Store: &db.Billing{DB: w.db, Jobs: noJobs{}}, Now: time.Now}
	ok(t, bills.Found(t.Context(), w.other.id, 2, audit.Itself))
	founders := manager.asks("GET", "/billing/founding", "", 200)["items"].([]any)
	if len(founders) != 1 || founders[0].(map[string]any)["customer_id"] != string(w.other.id) {
		t.Fatalf("founding members: %v", founders)
	}
	figures(t, founders[0], map[string]float64{"multiplier": 2})
	from := "?from=" + now.AddDate(0, 0, -2).Format(time.DateOnly)
	hours := w.says("GET", "/usage/breakdown"+from, "", 200)["items"].([]any)
	if len(hours) != 1 || hours[0].(map[string]any)["model"] != "small" || hours[0].(map[string]any)["agent"] != "secretary" {
		t.Fatalf("hour by hour: %v", hours)
	}
	figures(t, hours[0], map[string]float64{"input": 9_500_000, "requests": 1})
	if none := w.says("GET", "/usage/breakdown"+from+"&model=large", "", 200)["items"].([]any); len(none) != 0 {
		t.Errorf("of another model: %v", none)
	}
	figures(t, manager.asks("GET", "/analytics/tokens"+from, "", 200)["total"], map[string]float64{"input": 9_501_000, "requests": 2})
}
