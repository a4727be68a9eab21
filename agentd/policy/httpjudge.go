package policy

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// judged is what a request would do, as far as one way of reading it says.
type judged struct {
	tier        Tier
	action, why string
	outward     bool   // it reaches someone outside, whatever tier it has besides
	money       *Money // that it moves; nil: none
}

// doing is an action of the table.
func doing(tier Tier, action string, outward bool) judged {
	j := judged{tier: tier, action: action, why: httpWhy[tier], outward: outward || tier == YellowExternal}
	if outward && tier == Red {
		j.why = "The gate does not know what it changes, or whom it reaches."
	}
	return j
}

// and is the worse of two readings. Whom either reaches, both do, and what either moves.
func (j judged) and(other judged) judged {
	worse := j
	if other.tier.Rank() > j.tier.Rank() {
		worse = other
	}
	worse.outward, worse.money = j.outward || other.outward, j.money.and(other.money)
	return worse
}

// judge takes the worst of what the method, the tool's table, an override of the method and GraphQL say.
func (r *request) judge() judged {
	f := readFields(r.query, r.body)
	j := r.graphql(r.table(r.method, f), f)
	for _, v := range r.query["method"] {
		if !httpReads[strings.ToLower(v)] {
			j = j.and(r.table(strings.ToUpper(v), f))
		}
	}
	for _, key := range []string{"_method", "x-http-method-override", "x-method-override", "x-http-method"} {
		for _, v := range f.values(key) {
			j = j.and(r.table(strings.ToUpper(v), f))
			j = j.and(judged{tier: Red, action: j.action, why: "It asks for another method than it is sent with.", outward: true})
		}
	}
	return j
}

// graphql judges a GraphQL request by its query. What no table names is no worse than that.
func (r *request) graphql(j judged, f fields) judged {
	if len(r.path) == 0 || !strings.HasPrefix(r.path[len(r.path)-1], "graphql") {
		return j
	}
	tier, why := f.graphql()
	asked := judged{tier: tier, action: r.kind + ".api.graphql", why: why, outward: tier != Green}
	if r.method == "POST" && j.tier == Red && j.action == r.kind+".api.post" {
		return asked
	}
	return j.and(asked)
}

// table looks the request up: the first rule that fits, else by the method alone.
func (r *request) table(method string, f fields) judged {
	if j, ok := r.remote(method); ok {
		return j
	}
	called, known := r.called(f)
	j, ok := r.rule(method, f)
	switch {
	case ok:
	case known && method == "POST":
		j = called
	default:
		j = r.byMethod(method)
	}
	j = j.and(r.below(method, f)).and(called)
	if !ok && j.money == nil && j.tier != Green && slices.ContainsFunc(r.path, func(p string) bool { return movesMoney[p] }) {
		j.money = &Money{Unknown: true}
	}
	return j
}

// rule is the first of the tool's table that fits.
func (r *request) rule(method string, f fields) (judged, bool) {
	for _, rule := range httpTools[r.kind].rules {
		if rule.fits(method, r.path) {
			return r.of(rule, f), true
		}
	}
	return judged{}, false
}

// of is what a line says of the request, and what the request moves there.
func (r *request) of(rule httpRule, f fields) judged {
	j := rule.of(f)
	if rule.money != nil && j.action == rule.action {
		j.money = r.money(rule.money)
	}
	return j
}

// below looks for rules as if the tool stood in a folder of its host: https://example.com/cloud/remote.php.
func (r *request) below(method string, f fields) judged {
	worst := judged{tier: Green}
	for off := 1; off <= 2 && off < len(r.path); off++ {
		for _, rule := range httpTools[r.kind].rules {
			if len(rule.path) == 0 || rule.path[0] == "*" || rule.path[0] == "**" || !rule.fits(method, r.path[off:]) {
				continue
			}
			worst = worst.and(r.of(rule, f))
			break
		}
	}
	return worst
}

// byMethod judges what no rule names. What is written there may reach anyone: only what removes says by itself that it
// does no more than that.
func (r *request) byMethod(method string) judged {
	action := r.kind + ".api." + strings.ToLower(method)
	if r.kind == "" {
		action = "http.request.send"
	}
	switch {
	case r.acts || slices.ContainsFunc(r.path, func(p string) bool { return httpEffects[p] }):
		return doing(Red, action, true)
	case httpReads[strings.ToLower(method)]:
		return doing(Green, action, false)
	}
	return doing(Red, action, method != "DELETE")
}

var httpWhy = map[Tier]string{
	Yellow: "It changes something.", YellowExternal: "It reaches someone outside the business.", Red: "It removes something, or the gate does not know what it changes.",
	CriticalRed: "It changes who may do what, or cannot be undone.", Forbidden: "Agents handle no raw credentials and no bulk exports.",
}

// httpDeeds are words that tell what to do also beside others: of the rest, send_log and run-history are things.
var httpDeeds = words(`delete remove destroy drop purge unpublish unsubscribe execute activate deactivate logout shutdown revoke resend`)

// httpRemoves begin words with no gap between what to do and to what: deleteitem, but not deleted.
var httpRemoves = lazyre.MustCompile(`^(?:delete|remove|destroy|purge)(?:[^des]|d.|s.|e[^dr])`)

// httpFormats end names that say nothing more.
var httpFormats = words("php json xml html aspx jsp cgi")

// httpAsks are names of fields of a query that say what is to be done.
var httpAsks = words("action act do cmd command op oper operation task func function verb")

// httpEffects are parts of a path that do something, also when they are only asked for.
var httpEffects = words(`delete remove destroy drop trigger run execute send resend publish unpublish unsubscribe activate deactivate logout webhook webhooks-test
	webhook-test push restart stop kill shutdown reset purge confirm approve reject revoke invite impersonate run_wait_result
	cancel decline regenerate uninstall reboot poweroff`)

// fits says whether a line is about a request. Servers do for HEAD what they do for GET, and only keep the answer.
func (h httpRule) fits(method string, path []string) bool {
	return (h.method == "*" || h.method == method || h.method == "GET" && method == "HEAD") && pathFits(h.path, path)
}

// pathFits compares part by part: * is one part, mail.* one that begins so, ** is all that follow.
func pathFits(pattern, path []string) bool {
	for i, p := range pattern {
		if p == "**" {
			return true
		}
		if i >= len(path) {
			return false
		}
		if begin, open := strings.CutSuffix(p, "*"); p != path[i] && !(open && strings.HasPrefix(path[i], begin)) {
			return false
		}
	}
	return len(pattern) == len(path)
}

func (h httpRule) of(f fields) judged {
	for _, w := range h.whens {
		if f.hold(w) {
			return doing(w.tier, w.action, false)
		}
	}
	return doing(h.tier, h.action, h.outward)
}
