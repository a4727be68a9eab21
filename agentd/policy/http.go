package policy

import (
	_ "embed"
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
	method  string // * for each
	path    []string
	tier    Tier
	action  string
	outward bool // it reaches someone outside, though its tier does not say so
	whens   []httpWhen
	money   *moneyAt // it moves money, when none of whens holds; nil: it does not
}

// httpWhen makes a request more harmless that only differs in its query and body: all the fields hold what they should.
type httpWhen struct {
	fields []httpField
	tier   Tier
	action string
}

// httpField is a field of which every value is in a list.
type httpField struct {
	name   string // askedFor: the names in the query
	values []string
	absent bool // the field may be missing
}

// askedFor stands for the names of all that the query says.
const askedFor = "?"

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
	t, kind, to, why := env.requested(a)
	if why != "" {
		return Refuse("http.request.send", why)
	}
	r := &request{method: method, query: t.query, body: a.Body, kind: kind, acts: t.acts()}
	j, ok := r.at(t.path)
	if !ok {
		return Refuse("http.request.send", "The path can be read in more than one way.")
	}
	if j.tier == Forbidden {
		return Refuse(j.action, j.why)
	}
	c := Class{Tier: j.tier, Action: j.action, Says: httpSays(j.action) + r.says(t), Why: j.why, To: &to, Money: j.money}
	if j.outward {
		c.External, c.Outside = j.tier != YellowExternal, []string{r.where(t)}
	}
	return c
}

// says is where the request goes.
func (r *request) says(t target) string {
	if len(t.path) > mayBeLong {
		return r.method + " at " + visible(r.where(t)) + ": " + visible(t.path)
	}
	return r.method + " " + visible(t.path) + " at " + visible(r.where(t))
}

// httpSays is what a request does in words, as far as the table knows it.
func httpSays(action string) string {
	part := strings.Split(strings.ReplaceAll(action, "_", " "), ".")
	if len(part) != 3 || part[1] == "api" || part[0] == "http" {
		return ""
	}
	return strings.ToUpper(part[0][:1]) + part[0][1:] + ": " + part[2] + " " + part[1] + ", by "
}
