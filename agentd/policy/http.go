package policy

import (
	_ "embed"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// HTTPArgs are the arguments of the tool http_request.
type HTTPArgs struct {
	Method string `json:"method" jsonschema:"minLength=1,maxLength=16,description=GET\\, POST\\, PUT\\, PATCH\\, DELETE and so on."`
	URL    string `json:"url" jsonschema:"minLength=1,maxLength=8192,description=Where to: the tool's own address with a path\\, or the path alone."`
	Tool   string `json:"tool,omitempty" jsonschema:"maxLength=64,description=The registered business tool."`
	Body   string `json:"body,omitempty" jsonschema:"maxLength=1048576,description=JSON or form data."`
}

// httpRule is what one kind of request does.
type httpRule struct {
	method string // * for each
	path   []string
	tier   Tier
	action string
	when   *httpWhen
}

// httpWhen makes a request more harmless that only differs in its body: every value of a field is in a list.
type httpWhen struct {
	field  string
	values []string
	absent bool // the field may be missing
	tier   Tier
	action string
}

// httpTool is a kind of business tool: the names of its host and its rules, the first that fits first.
type httpTool struct {
	names []string
	port  string
	rules []httpRule
}

//go:embed table/http.txt
var httpText string

// httpTools are all kinds, by key.
var httpTools = mustTools(httpText)

// httpReads are methods that read.
var httpReads = words("get head options propfind report search")

// HTTP classifies a request to a business tool by the tool's own table of methods.
func HTTP(a HTTPArgs, env Env) Class {
	method := strings.ToUpper(a.Method)
	if strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || method == "CONNECT" || method == "TRACE" {
		return Refuse("http.request.send", "That is not a method of HTTP that this server uses.")
	}
	t, kind, why := env.requested(a)
	if why != "" {
		return Refuse("http.request.send", why)
	}
	path, ok := plainPath(t.path)
	if !ok {
		return Refuse("http.request.send", "The path can be read in more than one way.")
	}
	path, ok = routed(path, t.query)
	if !ok {
		return Refuse("http.request.send", "The path can be read in more than one way.")
	}
	r := &request{method: method, path: path, query: t.query, body: a.Body, kind: kind}
	tier, action, reason := r.judge()
	says := httpSays(action) + fmt.Sprintf("%s %s at %s", method, cut(visible(t.path), 200), cut(visible(r.where(t)), 80))
	if tier == Forbidden {
		return Refuse(action, reason)
	}
	c := Class{Tier: tier, Action: action, Says: says, Why: reason}
	if tier == YellowExternal {
		c.Outside = []string{r.where(t)}
	}
	return c
}

// httpSays is what a request does in words, as far as the table knows it.
func httpSays(action string) string {
	part := strings.Split(strings.ReplaceAll(action, "_", " "), ".")
	if len(part) != 3 || part[1] == "api" || part[0] == "http" {
		return ""
	}
	return strings.ToUpper(part[0][:1]) + part[0][1:] + ": " + part[2] + " " + part[1] + ", by "
}

// requested is where a request goes: to an address, or to a path of the tool it names.
func (e Env) requested(a HTTPArgs) (t target, kind, why string) {
	if strings.HasPrefix(a.URL, "/") && !strings.HasPrefix(a.URL, "//") && a.Tool != "" {
		return e.pathOf(a)
	}
	t, err := readURL(a.URL)
	if err != nil {
		return t, "", err.Error()
	}
	kind, why = e.destination(t, a.Tool)
	return t, kind, why
}

// pathOf is a path of a tool: the registry says where that is.
func (e Env) pathOf(a HTTPArgs) (t target, kind, why string) {
	kind = toolKey(a.Tool)
	_, ok := httpTools[kind]
	ok = ok && e.ByName
	for _, d := range e.Tools {
		if toolKey(d.Tool) == toolKey(a.Tool) {
			kind, ok = d.kind(), true
		}
	}
	if !ok {
		return t, "", "This destination is not registered."
	}
	if t, err := readURL("http://tool.example" + a.URL); err == nil {
		t.host = ""
		return t, kind, ""
	}
	return t, "", errURL.Error()
}

// routed takes the paths that PHP programs take for the same: behind index.php, or in the query.
func routed(path []string, query url.Values) ([]string, bool) {
	if len(path) > 0 && path[0] == "index.php" {
		path = path[1:]
	}
	routes := query["rest_route"]
	if len(routes) == 0 {
		return path, true
	}
	inner, ok := plainPath(routes[0])
	return append([]string{"wp-json"}, inner...), ok && len(routes) == 1 && len(path) == 0
}

// plainPath is a path decoded once, without its closing slash, or false when readers could disagree on it.
func plainPath(escaped string) ([]string, bool) {
	if escaped == "" || escaped == "/" {
		return nil, true
	}
	p, err := url.PathUnescape(escaped)
	lower := strings.ToLower(escaped)
	for _, odd := range []string{"%2f", "%5c", "%2e", "%25", "%00", "%3b", "%3f", "%23"} {
		if strings.Contains(lower, odd) {
			return nil, false
		}
	}
	if err != nil || strings.ContainsAny(p, ";\\") || strings.Contains(p, "//") || strings.ContainsFunc(p, hidden) || !strings.HasPrefix(p, "/") {
		return nil, false
	}
	parts := strings.Split(strings.ToLower(strings.TrimSuffix(p[1:], "/")), "/")
	if slices.Contains(parts, ".") || slices.Contains(parts, "..") {
		return nil, false
	}
	last := len(parts) - 1
	parts[last] = strings.TrimSuffix(strings.TrimSuffix(parts[last], ".json"), ".xml")
	return parts, true
}

// request is a call of one tool, ready to be compared with its table.
type request struct {
	method string
	path   []string
	query  url.Values
	body   string
	kind   string
}

func (r *request) where(t target) string {
	if t.host == "" {
		return r.kind
	}
	return t.host
}

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
