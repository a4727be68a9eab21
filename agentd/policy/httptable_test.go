package policy

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestTable_shadowed: the first line that fits holds, so none may take calls away from a riskier one behind it, but for those
// that it names more closely than that.
func TestTable_shadowed(t *testing.T) {
	t.Parallel()
	for name, x := range httpTools {
		for i, behind := range x.rules {
			for _, first := range x.rules[:i] {
				if behind.beyond(first) && first.meets(behind) && !lineWithin(first, behind) {
					t.Errorf("%s: %s %v (%s) takes calls away from %s %v (%s)", name, first.method, first.path, first.tier, behind.method, behind.path, behind.tier)
				}
			}
		}
	}
}

// beyond says whether a line is riskier than another.
func (h httpRule) beyond(other httpRule) bool {
	a, b := h.of(fields{unclear: true}), other.of(fields{unclear: true})
	return a.tier.Rank() > b.tier.Rank() || a.outward && !b.outward && b.tier.Rank() < CriticalRed.Rank() // which is asked always
}

// meets says whether both lines fit some request.
func (h httpRule) meets(other httpRule) bool {
	return (h.method == other.method || h.method == "*" || other.method == "*") && pathsMeet(h.path, other.path)
}

func pathsMeet(a, b []string) bool {
	switch {
	case len(a) > 0 && a[0] == "**", len(b) > 0 && b[0] == "**", len(a) == 0 && len(b) == 0:
		return true
	case len(a) == 0, len(b) == 0:
		return false
	}
	return partsMeet(a[0], b[0]) && pathsMeet(a[1:], b[1:])
}

func partsMeet(a, b string) bool {
	beginA, openA := strings.CutSuffix(a, "*")
	beginB, openB := strings.CutSuffix(b, "*")
	switch {
	case openA && openB:
		return strings.HasPrefix(beginA, beginB) || strings.HasPrefix(beginB, beginA)
	case openA:
		return strings.HasPrefix(b, beginA)
	}
	return a == b || openB && strings.HasPrefix(a, beginB)
}

// lineWithin says whether every request that fits one line fits the other, too.
func lineWithin(h, other httpRule) bool {
	if other.method != "*" && h.method != other.method {
		return false
	}
	for i, p := range other.path {
		if p == "**" {
			return true
		}
		if i >= len(h.path) || h.path[i] == "**" {
			return false
		}
		if begin, open := strings.CutSuffix(p, "*"); p != h.path[i] && !(open && strings.HasPrefix(h.path[i], begin)) {
			return false
		}
	}
	return len(h.path) == len(other.path)
}

// atLevel is what becomes of a request at a level with nothing unlocked.
func atLevel(level int, a HTTPArgs) (Effect, Class) {
	raw, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	c := Classify("http_request", raw, Env{Tools: []Registered{
		{Tool: "nextcloud", Bases: []string{"https://cloud.example.com"}},
		{Tool: "chatwoot", Bases: []string{"https://chat.example.com"}},
		{Tool: "odoo", Bases: []string{"https://erp.example.com"}},
		{Tool: "crm", Bases: []string{"https://crm.example.com"}},
		{Tool: "ghost", Bases: []string{"https://ghost.example.com"}},
		{Tool: "n8n", Bases: []string{"https://n8n.example.com"}},
		{Tool: "invoiceninja", Bases: []string{"https://bills.example.com"}},
		{Tool: "windmill", Bases: []string{"https://wm.example.com"}},
		{Tool: "stalwart", Bases: []string{"https://mail.example.com"}},
		{Tool: "calcom", Bases: []string{"https://cal.example.com"}},
	}})
	return Decide(Input{Tier: c.Tier, Level: level, Outward: c.Outward()}).Effect, c
}

// TestTable_unknownReaches: what no table names may reach anyone, so no level does it alone before it is unlocked. What
// removes, and what the tables know, stays what it was.
func TestTable_unknownReaches(t *testing.T) {
	t.Parallel()
	for _, a := range []HTTPArgs{
		{Method: "POST", URL: "https://cloud.example.com/index.php/apps/mail/api/outbox", Body: `{"to":[{"email":"x@shop.example"}],"body":"hi","sendAt":0}`},
		{Method: "POST", URL: "https://chat.example.com/api/v1/accounts/1/conversations/7/messages/9/retry", Body: `{}`},
		{Method: "POST", URL: "https://crm.example.com/api/email/send-now", Body: `{"to":"x@shop.example"}`},
		{Method: "PUT", URL: "https://crm.example.com/api/letters/4"},
		{Method: "GET", URL: "https://crm.example.com/api/letters/4/send"},
		{Method: "DELETE", URL: "https://crm.example.com/api/letters/4/send"},
		{Method: "POST", URL: "https://ghost.example.com/ghost/api/admin/posts/?_method=PUT", Body: `{"posts":[{"status":"published"}]}`},
		{Method: "DELETE", URL: "https://ghost.example.com/ghost/api/admin/posts/5/?_method=POST"},
		{Method: "GET", URL: "https://n8n.example.com/webhook/abc"},
		{Method: "POST", URL: "https://n8n.example.com/webhook/abc"},
		{Method: "POST", URL: "https://bills.example.com/api/v1/invoices/bulk", Body: `{"action":"email","ids":[1]}`},
		{Method: "GET", URL: "https://bills.example.com/api/v1/quotes/X/convert"},
		{Method: "HEAD", URL: "https://bills.example.com/api/v1/quotes/X/convert"},
		{Method: "GET", URL: "https://wm.example.com/api/w/x/jobs/run_wait_result/p/f/x/y"},
		{Method: "GET", URL: "https://wm.example.com/api/r/orders/new"},
		{Method: "POST", URL: "https://wm.example.com/api/w/x/jobs/run/p/f/x/y"},
		{Method: "POST", URL: "https://crm.example.com/graphql", Body: `{"query":"mutation { sendMail(id: 1) { ok } }"}`},
		{Method: "POST", URL: "https://mail.example.com/jmap", Body: `{"methodCalls":[["EmailSubmission/set",{"create":{},"onSuccessDestroyEmail":["a"]},"0"]]}`},
		{Method: "POST", URL: "https://mail.example.com/jmap", Body: `{"methodCalls":[["Email/set",{"destroy":["a"]},"0"],["EmailSubmission/set",{"create":{}},"1"]]}`},
		{Method: "POST", URL: "https://erp.example.com/jsonrpc", Body: `{"params":{"service":"object","method":"execute_kw","args":["db",2,"x","account.move","action_invoice_sent",[[1]]]}}`},
		{Method: "DELETE", URL: "https://cal.example.com/v1/bookings/4"},
		{Method: "DELETE", URL: "https://cal.example.com/book/v1/bookings/4"},
		{Method: "DELETE", URL: "https://cloud.example.com/remote.php/dav/calendars/u/c/e.ics"},
		{Method: "DELETE", URL: "https://cloud.example.com/cloud/remote.php/dav/calendars/u/c/e.ics"},
		{Method: "GET", URL: "https://n8n.example.com/webhook-waiting/7"},
		{Method: "GET", URL: "https://n8n.example.com/webhook-waiting/7/next"},
		{Method: "GET", URL: "https://n8n.example.com/flows/webhook-waiting/7"},
		{Method: "GET", URL: "https://n8n.example.com/form-waiting/7"},
		{Method: "GET", URL: "https://n8n.example.com/mcp/abc/sse"},
		{Method: "POST", URL: "https://n8n.example.com/mcp/abc"},
		{Method: "POST", URL: "https://n8n.example.com/webhook-waiting/7"},
	} {
		if got, c := atLevel(3, a); got != Ask || !c.Outward() || len(c.Outside) == 0 {
			t.Errorf("%s %s: %s, %+v", a.Method, a.URL, got, c)
		}
	}
	for _, a := range []HTTPArgs{
		{Method: "DELETE", URL: "https://crm.example.com/api/letters/4"},
		{Method: "DELETE", URL: "https://ghost.example.com/ghost/api/admin/posts/5/"},
		{Method: "POST", URL: "https://ghost.example.com/ghost/api/admin/posts/", Body: `{"posts":[{"status":"draft"}]}`},
		{Method: "POST", URL: "https://mail.example.com/jmap", Body: `{"methodCalls":[["Email/set",{"destroy":["a"]},"0"]]}`},
		{Method: "POST", URL: "https://erp.example.com/jsonrpc", Body: `{"params":{"service":"object","method":"execute_kw","args":["db",2,"x","res.partner","unlink",[[1]]]}}`},
		{Method: "POST", URL: "https://crm.example.com/graphql", Body: `{"query":"query { letters { id } }"}`},
	} {
		if got, c := atLevel(3, a); got != Allow || c.Outward() {
			t.Errorf("%s %s: %s, %+v", a.Method, a.URL, got, c)
		}
	}
}

// rpc is a call of a method of Odoo with one object, by the older of its two ways, and direct by the newer one.
func rpc(model, method, more string) HTTPArgs {
	return HTTPArgs{Method: "POST", URL: "https://erp.example.com/jsonrpc", Body: `{"params":{"service":"object","method":"execute_kw","args":["db",2,"k","` + model + `","` + method + `",[{` + more + `}]]}}`}
}

func direct(path, body string) HTTPArgs {
	return HTTPArgs{Method: "POST", URL: "https://erp.example.com/json/2/" + path, Body: body}
}

// TestTable_odooWays: a method does to a record what it does, whichever way it is called.
func TestTable_odooWays(t *testing.T) {
	t.Parallel()
	verbs := append(keysOf(rpcVerbs), "copy", "any_other")
	for _, model := range []string{
		"crm.lead", "res.partner", "project.task", "calendar.event", "mail.mail", "mail.message", "mail.followers", "mail.wizard.invite", "mail.template", "mail.activity", "mail.activity.type",
		"mail.alias", "sms.sms", "mailing.contact", "mailing.mailing", "mailing.mailing.schedule.date", "mailing.sms.test", "snailmail.letter", "sign.request", "ir.rule.x", "base.automation",
	} {
		for _, verb := range verbs {
			for _, values := range []string{``, `"name":"x"`, `"start":"2030-01-01 10:00:00"`, `"partner_ids":[1]`} {
				_, old := atLevel(2, rpc(model, verb, values))
				_, now := atLevel(2, direct(model+"/"+verb, `{"vals":{`+values+`}}`))
				if old.Tier != now.Tier || old.Outward() != now.Outward() {
					t.Errorf("%s of %s with %s: %s by one way (outward %t), %s by the other (outward %t)", verb, model, values, old.Tier, old.Outward(), now.Tier, now.Outward())
				}
			}
		}
	}
	for _, model := range []string{"crm.lead", "res.partner", "project.task", "mail.activity", "mailing.contact", "product.template"} {
		for verb, action := range map[string]string{"create": "odoo.record.create", "write": "odoo.record.update"} {
			if got, c := atLevel(2, direct(model+"/"+verb, `{"vals":{"name":"x","start":1}}`)); got != Allow || c.Outward() || c.Action != action {
				t.Errorf("%s of %s: %s, %+v", verb, model, got, c)
			}
		}
	}
}

// TestTable_odooSends: Odoo sends by itself what lies in its queues, so writing there is sending.
func TestTable_odooSends(t *testing.T) {
	t.Parallel()
	const letter = `{"vals_list":[{"email_to":"x@shop.example","body_html":"hi","state":"outgoing"}]}`
	for _, a := range []HTTPArgs{
		direct("mail.mail/create", letter), direct("mail.mail/write", letter), direct("mail.mail/send", `{"ids":[1]}`), direct("mail.compose.message/create", letter),
		direct("sms.sms/create", letter), direct("mailing.mailing/write", `{"ids":[1],"vals":{"state":"in_queue"}}`), direct("whatsapp.message/create", `{}`),
		direct("calendar.event/create", `{"vals_list":[{"name":"x","partner_ids":[[6,0,[1]]]}]}`),
		rpc("mail.mail", "create", ""), rpc("sms.sms", "create", ""), rpc("mailing.mailing", "write", ""), rpc("calendar.event", "create", `"partner_ids":[1]`),
		rpc("calendar.event", "create", `"\u0070artner_ids":[1]`), rpc("calendar.event", "write", `"start":"2030-01-01 10:00:00"`), rpc("calendar.event", "create", `"attendee_ids":[[0,0,{"partner_id":1}]]`),
		direct("calendar.event/write", `{"ids":[1],"vals":{"start_date":"2030-01-01"}}`), direct("calendar.event/write", `{"ids":[1],"vals":{"st\u0061rt":"2030-01-01 10:00:00"}}`),
		direct("calendar.event/create", `{"vals_list":[{"name":"x"}],"context":{"default_partner_ids":[1]}}`), direct("calendar.event/create", `<x a="b"/>`),
		direct("mail.followers/create", `{}`), direct("mail.wizard.invite/write", `{}`), direct("mail.template/write", `{}`), direct("mail.alias/create", `{}`), direct("sms.composer/action_send_sms", `{}`), direct("social.post/action_post", `{}`),
	} {
		if got, c := atLevel(2, a); got != Ask || c.Tier != YellowExternal || !c.Outward() {
			t.Errorf("%s %s: %s, %+v", a.URL, a.Body, got, c)
		}
	}
	inside := []HTTPArgs{
		direct("mail.mail/search_read", `{}`), direct("res.partner/create", `{}`), direct("res.partner/write", `{}`), direct("mail.activity/create", `{}`),
		direct("mailing.contact/create", `{}`), direct("calendar.event/create", `{"vals_list":[{"name":"x"}]}`), rpc("res.partner", "create", ""), rpc("calendar.event", "write", ""),
		rpc("mail.activity", "create", ""), direct("calendar.event/write", `{"ids":[1],"vals":{"name":"restart of the partner program"}}`), direct("calendar.event/search_read", `{"fields":["partner_ids","start"]}`),
	}
	for _, a := range inside {
		if got, c := atLevel(2, a); got != Allow || c.Outward() {
			t.Errorf("%s %s: %s, %+v", a.URL, a.Body, got, c)
		}
	}
	for path, outward := range map[string]bool{
		"mail.mail/unlink": false, "mail.message/web_unlink": true, "sign.request/action_archive": true, "marketing.campaign/action_stop_campaign": true,
		"mailing.mailing/action_cancel": true, "sms.sms/any_other": true, "mail.mail/send/more": true,
	} {
		if got, c := atLevel(2, direct(path, `{"ids":[1]}`)); got != Ask || c.Tier != Red || c.Outward() != outward {
			t.Errorf("%s: %s, %+v", path, got, c)
		}
	}
}

// TestTable_outward: a line says that it reaches someone in one of two words.
func TestTable_outward(t *testing.T) {
	t.Parallel()
	all, err := readTools("tool x\nPOST /a outward:red x.y.z\nPOST /b red x.y.z\n")
	if err != nil || !slices.Equal([]bool{all["x"].rules[0].of(fields{}).outward, all["x"].rules[1].of(fields{}).outward}, []bool{true, false}) {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := readTools("tool x\nPOST /a outward:reed x.y.z\n"); err == nil {
		t.Error("no tier, and no error")
	}
}
