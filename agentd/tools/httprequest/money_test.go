package httprequest_test

import (
	"encoding/json"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tools/httprequest"
	"gatehouse/agentd/tools/registry"
)

// TestMeasure_money: the card of a payment says how much it moves, or that nobody can tell.
func TestMeasure_money(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bills := entry("bills", "https://bills.example.com", nil)
	bills["kind"] = "invoiceninja"
	register(t, dir, bills)
	for body, want := range map[string]string{
		`{"client_id":"x","amount":1234.5}`: "moves 1234.50",
		`{"client_id":"x"}`:                 "moves an amount that cannot be read from the request",
	} {
		args, err := json.Marshal(policy.HTTPArgs{Method: "POST", URL: "/api/v1/payments", Tool: "bills", Body: body})
		if err != nil {
			t.Fatal(err)
		}
		m, err := httprequest.New(registry.New(dir)).Measure(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range m.Facts {
			if f.Name == "money" {
				got = f.Text
			}
		}
		if got != want {
			t.Errorf("%s: the card says %q, want %q", body, got, want)
		}
	}
}
