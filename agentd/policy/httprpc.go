package policy

import (
	"encoding/json"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// rpcVerbs are methods of Odoo by what they do to records; what is not here is red, and may reach anyone.
var rpcVerbs = map[string]judged{
	"create": doing(Yellow, "odoo.record.create", false), "write": doing(Yellow, "odoo.record.update", false), "unlink": doing(Red, "odoo.record.delete", false),
	"message_post": doing(YellowExternal, "odoo.message.post", false), "action_send_and_print": doing(YellowExternal, "odoo.invoice.send", false),
}

func init() {
	for verb := range words(`search_read search search_count read read_group fields_get name_search name_get check_access_rights default_get web_search_read web_read`) {
		rpcVerbs[verb] = doing(Green, "odoo.record.read", false)
	}
}

// rpcModels are records of Odoo that say who may do what, or hold code.
var rpcModels = []string{"res.users", "res.groups", "ir.", "base.", "auth", "mail.server", "fetchmail"}

// rpcSecrets are records of Odoo that hold passwords and keys as they are.
var rpcSecrets = words("ir.mail_server fetchmail.server ir.config_parameter payment.provider iap.account")

// rpcReads are parts of the names of methods of Odoo that hand out what is in a record.
var rpcReads = lazyre.MustCompile(`read|get|export`)

// rpcReaches are the beginnings of the names of records of Odoo that it sends by itself once they are written, and what
// writing them is. The first that fits holds; a space ends a name. An activity reminds those who work here.
var rpcReaches = []struct{ begins, action string }{
	{"mail.activity ", ""},
	{"mail.message ", "odoo.message.post"},
	{"mail.", "odoo.mail.send"},
	{"sms.", "odoo.sms.send"},
	{"mailing.mailing", "odoo.mailing.send"},
	{"mailing.sms", "odoo.mailing.send"},
	{"snailmail.", "odoo.letter.send"},
	{"whatsapp.", "odoo.whatsapp.send"},
	{"social.", "odoo.social.publish"},
	{"marketing.", "odoo.marketing.run"},
	{"sign.", "odoo.document.sign"},
}

// rpcGuests are parts of the names of fields of an event with which Odoo mails those who take part in it: it invites who
// is new, and tells all of another time. They may stand among the defaults of a call, too.
var rpcGuests = lazyre.MustCompile(`partner_ids|attendee_ids|^(?:default_)?start`)

// remote judges calls whose method stands in the body: JSON-RPC of Odoo and JMAP.
func (r *request) remote(method string) (judged, bool) {
	if method != "POST" || len(r.path) == 0 {
		return judged{}, false
	}
	switch {
	case r.kind == "odoo" && (r.path[0] == "jsonrpc" || strings.HasPrefix(strings.Join(r.path, "/"), "web/dataset/call_kw")):
		j := r.odoo()
		call := doing(j.tier, "odoo.record.call", j.outward)
		call.money = j.money
		return call, true
	case r.kind == "stalwart" && r.path[0] == "jmap":
		tier, outward := r.jmap()
		return doing(tier, "stalwart.mail.call", outward), true
	}
	return judged{}, false
}

// odoo is execute_kw(db, uid, password, model, method, …) or call_kw{model, method}.
func (r *request) odoo() judged {
	var in struct {
		Params struct {
			Service, Method, Model string
			Args                   []json.RawMessage
		}
	}
	if hasTwice(r.body) || json.Unmarshal([]byte(r.body), &in) != nil {
		return judged{tier: Red, outward: true}
	}
	p := in.Params
	switch {
	case r.path[0] == "jsonrpc" && p.Service == "common" && p.Method == "version" && len(p.Args) == 0:
		return doing(Green, "odoo.server.read", false)
	case r.path[0] == "jsonrpc" && p.Service == "common":
		return judged{tier: Forbidden} // it signs in
	case r.path[0] == "jsonrpc" && p.Service == "db":
		return judged{tier: Forbidden} // it makes, copies and drops databases
	case r.path[0] == "jsonrpc":
		if p.Service != "object" || len(p.Args) < 5 || json.Unmarshal(p.Args[3], &p.Model) != nil || json.Unmarshal(p.Args[4], &p.Method) != nil {
			return judged{tier: Red, outward: true}
		}
	}
	return odooCall(strings.ToLower(p.Model), p.Method, readFields(r.query, r.body))
}

// called is what /json/2/MODEL/METHOD of Odoo is. The table knows methods more closely that are not in rpcVerbs, but for
// records whose change is critical.
func (r *request) called(f fields) (j judged, ok bool) {
	at := slices.Index(r.path, "json")
	if r.kind != "odoo" || at < 0 || len(r.path) < at+4 || r.path[at+1] != "2" {
		return judged{tier: Green}, false
	}
	j = odooCall(r.path[at+2], r.path[at+3], f)
	if _, known := rpcVerbs[r.path[at+3]]; !known && j.tier.Rank() < CriticalRed.Rank() {
		return judged{tier: Green, money: j.money}, false
	}
	return j, at == 0 && len(r.path) == 4
}

// odooCall judges one method of one kind of record.
func odooCall(model, method string, f fields) judged {
	j, known := rpcVerbs[method]
	if !known {
		j = doing(Red, "odoo.record.call", true)
	}
	if j.tier != Green {
		j.money = odooMoney(model, method, f)
	}
	rights := rpcSecrets[model] || slices.ContainsFunc(rpcModels, func(s string) bool { return strings.HasPrefix(model, s) })
	switch {
	case rpcSecrets[model] && (j.tier == Green || rpcReads.MatchString(method)):
		return doing(Forbidden, "odoo.record.call", false)
	case j.tier != Green && rights:
		return doing(CriticalRed, "odoo.record.call", !known)
	case j.tier == Yellow:
		if action := odooReach(model, f); action != "" {
			return doing(YellowExternal, action, false)
		}
	}
	return j
}

// rpcPays are the beginnings of the names of records of Odoo that move money.
var rpcPays = []string{"account.payment", "account.bank.statement", "payment.", "pos.payment"}

// odooMoney is what a method of a record of Odoo moves. Only what writes a payment names its amount; what makes a payment or
// an order binding does not.
func odooMoney(model, method string, f fields) *Money {
	pays := slices.ContainsFunc(rpcPays, func(s string) bool { return strings.HasPrefix(model, s) })
	_, known := rpcVerbs[method]
	switch {
	case pays && (method == "create" || method == "write"):
		return sumOf(f)
	case !known && (pays || model == "purchase.order"):
		return &Money{Unknown: true}
	}
	return nil
}

// odooReach is what writing a record is that reaches someone outside; empty: it reaches nobody.
func odooReach(model string, f fields) string {
	if model == "calendar.event" && (f.unclear || slices.ContainsFunc(slices.Concat(f.values(""), keysOf(f.by)), rpcGuests.MatchString)) {
		return "odoo.event.invite"
	}
	for _, r := range rpcReaches {
		if strings.HasPrefix(model+" ", r.begins) {
			return r.action
		}
	}
	return ""
}

// jmap is a list of calls [name, arguments, id]; the worst counts, and whom any of them reaches.
func (r *request) jmap() (worst Tier, outward bool) {
	var in struct{ MethodCalls [][]json.RawMessage }
	if hasTwice(r.body) || json.Unmarshal([]byte(r.body), &in) != nil || len(in.MethodCalls) == 0 {
		return Red, true
	}
	worst = Green
	for _, c := range in.MethodCalls {
		var name string
		if len(c) < 2 || json.Unmarshal(c[0], &name) != nil {
			return Red, true
		}
		tier, reaches := jmapCall(name, string(c[1]))
		worst, outward = Worst(worst, tier), outward || reaches
	}
	return worst, outward
}

func jmapCall(name, args string) (tier Tier, outward bool) {
	object, verb, _ := strings.Cut(name, "/")
	switch {
	case verb == "get" || verb == "query" || verb == "changes" || verb == "queryChanges":
		tier = Green
	case object == "CalendarEvent" && invites(args):
		tier, outward = YellowExternal, true
	case object == "Email" || object == "Mailbox" || object == "Thread" || object == "CalendarEvent" || object == "ContactCard":
		tier = Yellow
	case object == "EmailSubmission" || object == "VacationResponse" || object == "SieveScript" || object == "Identity":
		tier, outward = YellowExternal, true
	default:
		tier, outward = Red, true
	}
	if jmapRemoves.MatchString(args) {
		tier = Red
	}
	return tier, outward
}

// jmapRemoves are the names of arguments of JMAP that remove, also with what another call gave, and any name that is
// written with escapes.
var jmapRemoves = lazyre.MustCompile(`(?i)"#?destroy"|ondestroy|onsuccessdestroy|\\u`)

// invites says whether the change of an event is told to those who take part in it. A value that is taken from another
// call may be anything.
func invites(args string) bool {
	quiet := httpField{name: "sendschedulingmessages", values: []string{"false"}, absent: true}
	f := readFields(nil, args)
	taken := slices.ContainsFunc(f.values(""), func(name string) bool { return strings.EqualFold(name, "#sendSchedulingMessages") })
	return taken || !f.all(quiet)
}

// hasTwice says whether an object in a text names something twice, or in letters that differ only in case: readers
// take one or the other.
func hasTwice(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	return twice(d, 0) || d.More()
}

func twice(d *json.Decoder, depth int) bool {
	t, err := d.Token()
	open, nested := t.(json.Delim)
	switch {
	case err != nil || depth > 64:
		return true
	case !nested:
		return false
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			t, err := d.Token()
			name, ok := t.(string)
			if name = fold(name); err != nil || !ok || seen[name] { // encoding/json takes a long s for an s, as for an S
				return true
			}
			seen[name] = true
		}
		if twice(d, depth+1) {
			return true
		}
	}
	_, err = d.Token()
	return err != nil
}
