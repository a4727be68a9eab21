package policy

import (
	"encoding/json"
	"strings"
)

// rpcVerbs are methods of remote calls by what they do to records; what is not here is red.
var rpcVerbs = map[string]Tier{
	"search_read": Green, "search": Green, "search_count": Green, "read": Green, "read_group": Green, "fields_get": Green, "name_search": Green,
	"name_get": Green, "check_access_rights": Green, "default_get": Green, "web_search_read": Green, "web_read": Green,
	"create": Yellow, "write": Yellow, "copy": Yellow, "message_post": YellowExternal, "action_send_and_print": YellowExternal, "unlink": Red,
}

// rpcModels are records of Odoo that say who may do what, or hold code.
var rpcModels = []string{"res.users", "res.groups", "ir.", "base.", "auth", "mail.server", "fetchmail"}

// remote judges calls whose method stands in the body: JSON-RPC of Odoo and JMAP.
func (r *request) remote(method string) (Tier, string, bool) {
	if method != "POST" || len(r.path) == 0 {
		return "", "", false
	}
	switch {
	case r.kind == "odoo" && (r.path[0] == "jsonrpc" || strings.HasPrefix(strings.Join(r.path, "/"), "web/dataset/call_kw")):
		return r.odoo(), "odoo.record.call", true
	case r.kind == "stalwart" && r.path[0] == "jmap":
		return r.jmap(), "stalwart.mail.call", true
	}
	return "", "", false
}

// odoo is execute_kw(db, uid, password, model, method, …) or call_kw{model, method}.
func (r *request) odoo() Tier {
	var in struct {
		Params struct {
			Service, Method, Model string
			Args                   []json.RawMessage
		}
	}
	if hasTwice(r.body) || json.Unmarshal([]byte(r.body), &in) != nil {
		return Red
	}
	p := in.Params
	switch {
	case r.path[0] == "jsonrpc" && p.Service == "common":
		return Forbidden // it signs in
	case r.path[0] == "jsonrpc" && p.Service == "db":
		return Forbidden // it makes, copies and drops databases
	case r.path[0] == "jsonrpc":
		if p.Service != "object" || len(p.Args) < 5 || json.Unmarshal(p.Args[3], &p.Model) != nil || json.Unmarshal(p.Args[4], &p.Method) != nil {
			return Red
		}
	}
	tier, ok := rpcVerbs[p.Method]
	if !ok {
		tier = Red
	}
	for _, m := range rpcModels {
		if strings.HasPrefix(strings.ToLower(p.Model), m) && tier != Green {
			return CriticalRed
		}
	}
	if strings.HasPrefix(p.Model, "mail.") && tier == Yellow {
		return YellowExternal
	}
	return tier
}

// jmap is a list of calls [name, arguments, id]; the worst counts.
func (r *request) jmap() Tier {
	var in struct{ MethodCalls [][]json.RawMessage }
	if hasTwice(r.body) || json.Unmarshal([]byte(r.body), &in) != nil || len(in.MethodCalls) == 0 {
		return Red
	}
	worst := Green
	for _, c := range in.MethodCalls {
		var name string
		if len(c) < 2 || json.Unmarshal(c[0], &name) != nil {
			return Red
		}
		worst = Worst(worst, jmapCall(name, string(c[1])))
	}
	return worst
}

func jmapCall(name, args string) Tier {
	object, verb, _ := strings.Cut(name, "/")
	switch {
	case strings.Contains(strings.ToLower(args), `"destroy"`) || strings.Contains(strings.ToLower(args), "ondestroy") || strings.Contains(args, `\u`):
		return Red
	case verb == "get" || verb == "query" || verb == "changes" || verb == "queryChanges":
		return Green
	case object == "EmailSubmission" || object == "VacationResponse" || object == "SieveScript" || object == "Identity":
		return YellowExternal
	case object == "Email" || object == "Mailbox" || object == "Thread" || object == "CalendarEvent" || object == "ContactCard":
		return Yellow
	}
	return Red
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
