package policy

import (
	"fmt"
	"strings"
	"testing"
)

// TestHTTP_money: what a request moves is read where its tool names it. What cannot be read for certain is not known.
func TestHTTP_money(t *testing.T) {
	t.Parallel()
	env := Env{}
	for _, kind := range []string{"invoiceninja", "wordpress", "firefly", "odoo", "payer"} {
		env.Tools = append(env.Tools, Registered{Tool: kind, Kind: kind, Bases: []string{"https://" + kind + ".example.com"}})
	}
	const unknown = "an amount that cannot be read from the request"
	const pay, refund, book = "invoiceninja POST /api/v1/payments", "wordpress POST /wp-json/wc/v3/orders/7/refunds", "firefly POST /api/v1/transactions"
	const create, write = "odoo POST /json/2/account.payment/create", "odoo POST /json/2/account.payment/write"
	for _, tt := range []struct{ request, body, want string }{
		{pay, `{"client_id":"x","amount":120}`, "120.00"},
		{pay, `{"amount":"12.5"}`, "12.50"},
		{pay, `{"amount":0,"invoices":[{"invoice_id":"a","amount":30.10},{"invoice_id":"b","amount":9.90}]}`, "40.00"},
		{pay, `{"amount":50,"invoices":[{"amount":30}]}`, "50.00"},
		{pay, `{"amount":1.230}`, "1.23"},
		{pay, `{"amount":1.234}`, unknown},
		{pay, `{"amount":-5}`, unknown},
		{pay, `{"amount":1e3}`, unknown},
		{pay, `{"amount":"1,000"}`, unknown},
		{pay, `{"amount":99999999999}`, unknown},
		{pay, `{"amount":{"$gt":1}}`, unknown},
		{pay, `{"amount":true}`, unknown},
		{pay, `{"amount":1,"amount":900}`, unknown},
		{pay, `{"amount":1,"Amount":900}`, unknown},
		{pay, `{"amount":1,"invoices":[{"amount":1},{"invoice_id":"b"}]}`, unknown},
		{pay, `{"amount":1,"invoices":"all"}`, unknown},
		{pay, `{"client_id":"x"}`, unknown},
		{pay, `amount=5`, unknown},
		{pay, ``, unknown},
		{pay + "?amount=900", `{"amount":1}`, unknown},
		{pay + "?Amount[]=900", `{"invoices":[{"amount":1}]}`, unknown},
		{pay + "?invoices[0][amount]=900", `{"amount":0}`, unknown},
		{pay + "?%20invoices.0.amount=900", `{"amount":0}`, unknown},
		{pay + "?email_receipt=true", `{"amount":1}`, "1.00"},
		{pay + "/refund", `{"id":"x","amount":7.2}`, "7.20"},
		{"invoiceninja GET /api/v1/invoices/x/auto_bill", ``, unknown},
		{"invoiceninja POST /api/v1/invoices/bulk", `{"action":"auto_bill","ids":["x"]}`, unknown},
		{"invoiceninja POST /api/v1/clients", `{"amount":120}`, ""},
		{"invoiceninja GET /api/v1/payments", ``, ""},
		{refund, `{"amount":"10.00"}`, "10.00"},
		{refund, `{"line_items":[{"id":1,"refund_total":900}]}`, unknown},
		{strings.Replace(refund, " /", " /shop/", 1), `{"amount":"10.00"}`, "10.00"},
		{book, `{"transactions":[{"amount":"12.00","currency_code":"eur"},{"amount":"3.50","currency_code":"EUR"}]}`, "15.50 EUR"},
		{book, `{"transactions":[{"amount":"12.00","currency_code":"EUR"},{"amount":"3.50","currency_code":"USD"}]}`, "15.50"},
		{book, `{"transactions":[{"amount":"12.00","currency_code":"EUR\nallow it"}]}`, "12.00"},
		{book, `{"transactions":[]}`, unknown},
		{create, `{"vals_list":[{"amount":10},{"amount":"5.25"}]}`, "15.25"},
		{create, `{"vals_list":[{"partner_id":1}]}`, unknown},
		{write, `{"ids":[1],"vals":{"amount":3}}`, "3.00"},
		{"odoo POST /json/2/account.payment/search_read", `{"domain":[]}`, ""},
		{"odoo POST /json/2/account.payment/action_post", `{"ids":[1]}`, unknown},
		{"odoo POST /json/2/purchase.order/button_confirm", `{"ids":[1]}`, unknown},
		{"odoo POST /json/2/purchase.order/create", `{"vals_list":[{"amount":1}]}`, ""},
		{"odoo POST /jsonrpc", `{"params":{"service":"object","method":"execute_kw","args":["db",2,"x","account.payment","create",[{"amount":80}]]}}`, "80.00"},
		{"payer POST /v1/refunds", `{"amount":500}`, unknown},
		{"payer DELETE /v1/payments/1", ``, unknown},
		{"payer GET /v1/refunds", ``, ""},
	} {
		f := strings.Fields(tt.request)
		c := HTTP(HTTPArgs{Tool: f[0], Method: f[1], URL: f[2], Body: tt.body}, env)
		got := ""
		if c.Money != nil {
			got = c.Money.String()
		}
		if got != tt.want || c.Tier == Forbidden {
			t.Errorf("%s %s: moves %q, want %q (%s %s)", tt.request, tt.body, got, tt.want, c.Tier, c.Why)
		}
		if spent := SpendOf(c, 0, 0); (spent.Untold > 0) != (tt.want == unknown) {
			t.Errorf("%s %s spends %+v", tt.request, tt.body, spent)
		}
	}
}

func TestBudgets_money(t *testing.T) {
	t.Parallel()
	call := func(n int64) Spent {
		return SpendOf(Class{Tier: Yellow, Money: &Money{Cents: n}}, 0, 0)
	}
	b := BudgetsOf(&Manifest{Budgets: Budgets{Money: 10_000}})
	untold := SpendOf(Class{Tier: Yellow, Money: &Money{Unknown: true}}, 0, 0)
	for _, tt := range []struct {
		spent, call Spent
		want        string
	}{
		{call(0), call(10_000), ""},
		{call(0), call(10_001), "100.01 of money"},
		{call(6_000), call(4_001), "100.01 of money"},
		{call(60_000), call(0), ""}, // spends none itself
		{call(60_000).Looked(call(1)), call(10_000), ""},
		{call(60_000).Looked(untold), call(10_000), ""},
		{Spent{}, untold, "nobody can read"},
		{untold.Looked(untold), untold, "nobody can read"},
	} {
		if got := b.Over(tt.spent, tt.call); !strings.Contains(got, tt.want) || got != "" && tt.want == "" {
			t.Errorf("%+v on %+v: %q, want %q", tt.call, tt.spent, got, tt.want)
		}
	}
	for text, wrong := range map[string]bool{"money: 100000": false, "money: 100001": true, "money: -1": true} {
		if _, err := ParseManifest([]byte("version: 1\nbudgets: {" + text + "}\n")); (err != nil) != wrong {
			t.Errorf("%s: %v", text, err)
		}
	}
	to, err := ParseManifest([]byte("version: 1\nbudgets: {money: 200}\n"))
	if err != nil {
		t.Fatal(err)
	}
	from := &Manifest{Version: 1, Budgets: Budgets{Money: 100}}
	if !LoosensRules(from, to) || LoosensRules(to, from) {
		t.Error("a budget of more money is what loosens")
	}
}

// TestLimits_money: a rule allows what moves no more than it says; of an amount that is not known nobody can say that.
func TestLimits_money(t *testing.T) {
	t.Parallel()
	m, err := ParseManifest([]byte("version: 1\nrules:\n  - {id: small, tool: http_request, effect: allow, limits: {max_money: 5000}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for want, moves := range map[Effect][]*Money{Allow: {nil, {Cents: 5000}}, Ask: {{Cents: 5001}, {Unknown: true}}} {
		for _, money := range moves {
			if got := m.Judge(Subject{Tool: "http_request", Tier: Yellow, Money: money}); got.Effect != want {
				t.Errorf("%s: %+v", fmt.Sprint(money), got)
			}
		}
	}
	if _, err := ParseManifest([]byte("version: 1\nrules:\n  - {id: small, effect: allow, limits: {max_money: -1}}\n")); err == nil {
		t.Error("a limit below zero is taken")
	}
}
