package policy

import (
	"slices"
	"strings"
)

// judge takes the worst of what the method, the tool's table, an override of the method and GraphQL say.
func (r *request) judge() (Tier, string, string) {
	f := readFields(r.query, r.body)
	tier, action, why := r.table(r.method, f)
	for _, v := range r.query["method"] {
		if t, a, w := r.table(strings.ToUpper(v), f); !httpReads[strings.ToLower(v)] && t.Rank() > tier.Rank() {
			tier, action, why = t, a, w
		}
	}
	for _, key := range []string{"_method", "x-http-method-override", "x-method-override", "x-http-method"} {
		for _, v := range f.values(key) {
			if t, a, w := r.table(strings.ToUpper(v), f); t.Rank() > tier.Rank() {
				tier, action, why = t, a, w
			}
			if Red.Rank() > tier.Rank() {
				tier, why = Red, "It asks for another method than it is sent with."
			}
		}
	}
	if len(r.path) > 0 && strings.HasPrefix(r.path[len(r.path)-1], "graphql") {
		if t, w := f.graphql(); t.Rank() > tier.Rank() || r.method == "POST" && tier == Red && action == r.kind+".api.post" {
			tier, why, action = t, w, r.kind+".api.graphql"
		}
	}
	return tier, action, why
}

// table looks the request up: the first rule that fits, else by the method alone.
func (r *request) table(method string, f fields) (Tier, string, string) {
	if tier, action, ok := r.remote(method); ok {
		return tier, action, httpWhy[tier]
	}
	tier, action, ok := r.rule(method, f)
	if !ok {
		tier, action = r.byMethod(method)
	}
	if worse, what := r.below(method, f); worse.Rank() > tier.Rank() {
		tier, action = worse, what
	}
	return tier, action, httpWhy[tier]
}

// rule is the first of the tool's table that fits.
func (r *request) rule(method string, f fields) (Tier, string, bool) {
	for _, rule := range httpTools[r.kind].rules {
		if rule.fits(method, r.path) {
			tier, action := rule.of(f)
			return tier, action, true
		}
	}
	return "", "", false
}

// below looks for rules as if the tool stood in a folder of its host: https://example.com/cloud/remote.php.
func (r *request) below(method string, f fields) (Tier, string) {
	worst, what := Green, ""
	for off := 1; off <= 2 && off < len(r.path); off++ {
		for _, rule := range httpTools[r.kind].rules {
			if len(rule.path) == 0 || rule.path[0] == "*" || rule.path[0] == "**" || !rule.fits(method, r.path[off:]) {
				continue
			}
			if tier, action := rule.of(f); tier.Rank() > worst.Rank() {
				worst, what = tier, action
			}
			break
		}
	}
	return worst, what
}

// byMethod judges what no rule names.
func (r *request) byMethod(method string) (Tier, string) {
	action := r.kind + ".api." + strings.ToLower(method)
	if r.kind == "" {
		action = "http.request.send"
	}
	if !httpReads[strings.ToLower(method)] || slices.ContainsFunc(r.path, func(p string) bool { return httpEffects[p] }) {
		return Red, action
	}
	return Green, action
}

var httpWhy = map[Tier]string{
	Yellow: "It changes something.", YellowExternal: "It reaches someone outside the business.", Red: "It removes something, or the gate does not know what it changes.",
	CriticalRed: "It changes who may do what, or cannot be undone.", Forbidden: "Agents handle no raw credentials and no bulk exports.",
}

// httpEffects are parts of a path that do something, also when they are only asked for.
var httpEffects = words(`delete remove destroy drop trigger run execute send resend publish unpublish unsubscribe activate deactivate logout webhook webhooks-test
	webhook-test push restart stop kill shutdown reset purge confirm approve reject revoke invite impersonate run_wait_result`)

func (h httpRule) fits(method string, path []string) bool {
	return (h.method == "*" || h.method == method) && pathFits(h.path, path)
}

// pathFits compares part by part: * is one part, ** is all that follow.
func pathFits(pattern, path []string) bool {
	for i, p := range pattern {
		switch {
		case p == "**":
			return true
		case i >= len(path), p != "*" && p != path[i]:
			return false
		}
	}
	return len(pattern) == len(path)
}

func (h httpRule) of(f fields) (Tier, string) {
	if h.when != nil && f.all(*h.when) {
		return h.when.tier, h.when.action
	}
	return h.tier, h.action
}
