package policy

import (
	"encoding/json"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// rpcVerbs are methods of remote calls by what they do to records; what is not here is red.
var rpcVerbs = map[string]Tier{
	"search_read": Green, "search": Green, "search_count": Green, "read": Green, "read_group": Green, "fields_get": Green, "name_search": Green,
	"name_get": Green, "check_access_rights": Green, "default_get": Green, "web_search_read": Green, "web_read": Green,
	"create": Yellow, "write": Yellow, "copy": Yellow, "message_post": YellowExternal, "action_send_and_print": YellowExternal, "unlink": Red,
}

// rpcModels are records of Odoo that say who may do what, or hold code.
var rpcModels = []string{"res.users", "res.groups", "ir.", "base.", "auth", "mail.server", "fetchmail"}

// rpcSecrets are records of Odoo that hold passwords and keys as they are.
var rpcSecrets = words("ir.mail_server fetchmail.server ir.config_parameter payment.provider iap.account")

// rpcReads are parts of the names of methods of Odoo that hand out what is in a record.
var rpcReads = lazyre.MustCompile(`read|get|export`)

// rpcReaches are the beginnings of the names of records of Odoo that it sends by itself once they are written.
var rpcReaches = []string{"mail.", "sms.", "mailing.mailing", "mailing.sms", "snailmail.", "whatsapp.", "social.", "marketing.", "sign."}

// remote judges calls whose method stands in the body: JSON-RPC of Odoo and JMAP.
func (r *request) remote(method string) (judged, bool) {
	if method != "POST" || len(r.path) == 0 {
		return judged{}, false
	}
	switch {
	case r.kind == "odoo" && (r.path[0] == "jsonrpc" || strings.HasPrefix(strings.Join(r.path, "/"), "web/dataset/call_kw")):
		tier, known := r.odoo()
		return doing(tier, "odoo.record.call", !known), true
	case r.kind == "stalwart" && r.path[0] == "jmap":
		tier, outward := r.jmap()
		return doing(tier, "stalwart.mail.call", outward), true
	}
	return judged{}, false
}

// odoo is execute_kw(db, uid, password, model, method, …) or call_kw{model, method}. What is not known may reach anyone.
func (r *request) odoo() (tier Tier, known bool) {
	var in struct {
		Params struct {
			Service, Method, Model string
			Args                   []json.RawMessage
		}
	}
	if hasTwice(r.body) || json.Unmarshal([]byte(r.body), &in) != nil {
		return Red, false
	}
	p := in.Params
	switch {
	case r.path[0] == "jsonrpc" && p.Service == "common":
		return Forbidden, true // it signs in
	case r.path[0] == "jsonrpc" && p.Service == "db":
		return Forbidden, true // it makes, copies and drops databases
	case r.path[0] == "jsonrpc":
		if p.Service != "object" || len(p.Args) < 5 || json.Unmarshal(p.Args[3], &p.Model) != nil || json.Unmarshal(p.Args[4], &p.Method) != nil {
			return Red, false
		}
	}
	return odooCall(strings.ToLower(p.Model), p.Method, r.body)
}

// called is what /json/2/MODEL/METHOD of Odoo is by the name of its record, where that is critical or worse. The table
// knows the rest more closely.
func (r *request) called() judged {
	at := slices.Index(r.path, "json")
	if r.kind != "odoo" || at < 0 || len(r.path) < at+4 || r.path[at+1] != "2" {
		return judged{tier: Green}
	}
	tier, known := odooCall(r.path[at+2], r.path[at+3], r.body)
	if tier.Rank() < CriticalRed.Rank() {
		return judged{tier: Green}
	}
	return doing(tier, "odoo.record.call", !known)
}

// odooCall judges one method of one kind of record.
func odooCall(model, method, body string) (tier Tier, known bool) {
	begins := func(all []string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(model, s) })
	}
	tier, known = rpcVerbs[method]
	if !known {
		tier = Red
	}
	switch {
	case rpcSecrets[model] && (tier == Green || rpcReads.MatchString(method)):
		return Forbidden, true
	case tier != Green && (rpcSecrets[model] || begins(rpcModels)):
		return CriticalRed, known
	case tier == Yellow && begins(rpcReaches), tier == Yellow && model == "calendar.event" && (strings.Contains(body, "partner_ids") || strings.Contains(body, `\u`)):
		return YellowExternal, true
	}
	return tier, known
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
	quiet := httpWhen{field: "sendschedulingmessages", values: []string{"false"}, absent: true}
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
			if name = strings.ToLower(name); err != nil || !ok || seen[name] {
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
