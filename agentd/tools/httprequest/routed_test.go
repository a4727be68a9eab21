package httprequest_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tools/httprequest"
	"gatehouse/agentd/tools/registry"
	"gatehouse/agentd/vault/vaulttest"
	"gatehouse/agentd/wire"
)

// routes are what services do, by the pattern of a router of theirs: written down here a second time, and compared with the
// table that judges. A route without a tool is one of a service that no table knows.
var routes = []struct {
	kind, pattern, like string // like: a request that it fits
	does                policy.Tier
}{
	{"ghost", "GET /ghost/api/admin/posts", "GET /ghost/api/admin/posts", policy.Green},
	{"ghost", "GET /ghost/api/admin/db", "GET /ghost/api/admin/db", policy.Forbidden},
	{"ghost", "POST /ghost/api/admin/tags", "POST /ghost/api/admin/tags", policy.Yellow},
	{"ghost", "PUT /ghost/api/admin/tags/{id}", "PUT /ghost/api/admin/tags/5", policy.Yellow},
	{"ghost", "DELETE /ghost/api/admin/posts/{id}", "DELETE /ghost/api/admin/posts/5", policy.Red},
	{"ghost", "DELETE /ghost/api/admin/users/{id}", "DELETE /ghost/api/admin/users/5", policy.CriticalRed},
	{"n8n", "GET /api/v1/workflows", "GET /api/v1/workflows", policy.Green},
	{"n8n", "POST /api/v1/tags", "POST /api/v1/tags", policy.Yellow},
	{"n8n", "GET /webhook/{id}", "GET /webhook/orders", policy.Red},
	{"n8n", "POST /api/v1/workflows/{id}/activate", "POST /api/v1/workflows/5/activate", policy.CriticalRed},
	{"n8n", "GET /api/v1/credentials/{id}", "GET /api/v1/credentials/5", policy.Forbidden},
	{"box", "GET /api/items", "GET /api/items", policy.Green},
	{"box", "GET /api/items/{id}", "GET /api/items/5", policy.Green},
	{"box", "DELETE /api/items/{id}", "DELETE /api/items/5", policy.Red},
	{"box", "POST /api/items", "POST /api/items", policy.Red},
	{"box", "GET /api/items/{id}/delete", "GET /api/items/5/delete", policy.Red},
	{"box", "GET /admin/item_delete.php", "GET /admin/item_delete.php?id=5", policy.Red},
	{"box", "GET /api/deleteitem", "GET /api/deleteItem?id=5", policy.Red},
	{"box", "GET /api/chat.delete", "GET /api/chat.delete?ts=5", policy.Red},
	{"box", "GET /admin/list.php", "GET /admin/list.php?page=5", policy.Green},
}

// spellings are other ways to write a path, which some routers take for the same.
var spellings = map[string]func(p string) string{
	"plain":                func(p string) string { return p },
	"a slash behind":       func(p string) string { return p + "/" },
	"two slashes":          func(p string) string { return cutIn(p, "//") },
	"two slashes first":    func(p string) string { return "/" + p },
	"a dot":                func(p string) string { return cutIn(p, "/./") },
	"back again":           func(p string) string { return cutIn(p, "/x/../") },
	"back, escaped":        func(p string) string { return cutIn(p, "/x/%2e%2e/") },
	"back, half escaped":   func(p string) string { return cutIn(p, "/x/.%2E/") },
	"back, escaped twice":  func(p string) string { return cutIn(p, "/x/%252e%252e/") },
	"back, from the front": func(p string) string { return "/api/items/.." + strings.Repeat("/..", 1) + p },
	"parameters":           func(p string) string { return cutIn(p, ";x/") },
	"parameters behind":    func(p string) string { return p + ";x=y" },
	"parameters, escaped":  func(p string) string { return p + "%3bx" },
	"a slash, escaped":     func(p string) string { return cutIn(p, "%2f") },
	"a slash, twice":       func(p string) string { return cutIn(p, "%252f") },
	"a backslash, escaped": func(p string) string { return cutIn(p, "%5c") },
	"capitals":             strings.ToUpper,
	"a letter, escaped":    func(p string) string { return p[:len(p)-1] + fmt.Sprintf("%%%02x", p[len(p)-1]) },
	"a letter, twice":      func(p string) string { return p[:len(p)-1] + fmt.Sprintf("%%25%02x", p[len(p)-1]) },
	"a format":             func(p string) string { return p + ".json" },
	"NUL":                  func(p string) string { return p + "%00" },
	"a line":               func(p string) string { return p + "%0a" },
	"a wide slash":         func(p string) string { return cutIn(p, "%EF%BC%8F") },
}

// cutIn puts something in the place of the second slash.
func cutIn(p, with string) string {
	at := strings.IndexByte(p[1:], '/') + 1
	return p[:at] + with + p[at+1:]
}

// overrides ask for another method than the one that they are sent with: by the query or by the body.
var overrides = []struct{ query, body string }{
	{"_method=DELETE", ""},
	{"_METHOD=delete", ""},
	{"_method[]=DELETE", ""},
	{"a=1&%5fmethod=DELETE", ""},
	{"X-HTTP-Method-Override=DELETE", ""},
	{"x-http-method-override=DELETE", ""},
	{"_method=GET&_method=DELETE", ""},
	{"", "_method=DELETE"},
	{"", "a=b&_method=delete"},
	{"", "%5Fmethod=DELETE"},
	{"", `{"_method":"DELETE"}`},
	{"", `{"_method":"GET","_method":"DELETE"}`},
	{"", `{"\u005fmethod":"DELETE"}`},
	{"", "_method=DELETE&"},
	{"x;_method=DELETE", ""},
}

// service is a business tool of one kind. It reads a request in both ways that such tools do, by a strict router and by one
// that takes whatever it can make sense of, and keeps what it did.
type service struct {
	*httptest.Server
	mu  sync.Mutex
	ran []string // routes
	got int
}

func newService(t *testing.T, kind string) *service {
	t.Helper()
	s, mux := &service{}, http.NewServeMux()
	for _, r := range routes {
		if r.kind == kind {
			mux.HandleFunc(r.pattern, func(http.ResponseWriter, *http.Request) { s.ran = append(s.ran, r.pattern) })
		}
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got++
		mux.ServeHTTP(httptest.NewRecorder(), r)
		method, p := loose(r, string(body))
		mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, "http://service"+p, nil))
		if strings.Contains(r.URL.Path, "graphql") && changes(r, string(body)) {
			s.ran = append(s.ran, "mutation")
		}
		fmt.Fprint(w, "done")
	}))
	t.Cleanup(s.Close)
	return s
}

// loose is how the most tolerant of routers would read a request.
func loose(r *http.Request, body string) (method, p string) {
	p = r.URL.EscapedPath()
	for range 2 {
		if once, err := url.PathUnescape(p); err == nil {
			p = once
		}
	}
	p = strings.NewReplacer(`\`, "/", "／", "/", "\x00", "", "\n", "").Replace(p)
	parts := strings.Split(p, "/")
	for i, part := range parts {
		parts[i], _, _ = strings.Cut(part, ";")
	}
	p = strings.TrimSuffix(strings.ToLower(path.Clean("/"+strings.Join(parts, "/"))), ".json")
	method = r.Method
	forms := []string{strings.ReplaceAll(r.URL.RawQuery, ";", "&"), body}
	for _, text := range forms {
		form, _ := url.ParseQuery(text) // what can be read of it
		for name, values := range form {
			if name = strings.ToLower(strings.TrimSuffix(name, "[]")); name == "_method" || name == "x-http-method-override" {
				method = strings.ToUpper(values[len(values)-1])
			}
		}
	}
	var in map[string]any
	if json.Unmarshal([]byte(body), &in) == nil && in["_method"] != nil {
		method = strings.ToUpper(fmt.Sprint(in["_method"]))
	}
	if by := r.Header.Get("X-HTTP-Method-Override"); by != "" {
		method = by
	}
	return method, (&url.URL{Path: p}).EscapedPath()
}

// changes says whether a GraphQL service would run a mutation: any operation of any document that it is sent, wherever that
// stands.
func changes(r *http.Request, body string) bool {
	documents := r.URL.Query()["query"]
	var one struct{ Query string }
	var many []struct{ Query string }
	if json.Unmarshal([]byte(body), &one) == nil {
		documents = append(documents, one.Query)
	}
	if json.Unmarshal([]byte(body), &many) == nil {
		for _, m := range many {
			documents = append(documents, m.Query)
		}
	}
	if form, err := url.ParseQuery(body); err == nil {
		documents = append(documents, form["query"]...)
	}
	return slices.ContainsFunc(documents, func(d string) bool { return slices.Contains(operations(d), "mutation") })
}

// operations are the words that stand outside of braces, comments and texts.
func operations(document string) (words []string) {
	depth, word, quoted, comment := 0, "", false, false
	for _, c := range document + " " {
		switch {
		case comment:
			comment = c != '\n'
			continue
		case quoted:
			quoted = c != '"'
			continue
		case c == '#':
			comment = true
		case c == '"':
			quoted = true
		case c == '{':
			depth++
		case c == '}':
			depth--
		case depth == 0 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'):
			word += string(c)
			continue
		}
		if word != "" {
			words, word = append(words, word), ""
		}
	}
	return words
}

// take gives what was done since the last time, and the worst of it.
func (s *service) take() (reached bool, ran []string, worst policy.Tier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reached, ran, worst = s.got > 0, s.ran, policy.Green
	for _, pattern := range ran {
		does := policy.Red // a mutation
		for _, r := range routes {
			if r.pattern == pattern {
				does = r.does
			}
		}
		worst = policy.Worst(worst, does)
	}
	s.got, s.ran = 0, nil
	return reached, ran, worst
}

// town is a gate before one service of each kind.
type town struct {
	*vaulttest.World
	at map[string]*service
}

func openTown(t *testing.T) town {
	t.Helper()
	w := town{at: map[string]*service{}}
	w.World = vaulttest.New(t, func(v *vaulttest.World) []gate.Tool {
		return []gate.Tool{httprequest.New(registry.New(v.Dir))}
	})
	var all []map[string]any
	for _, kind := range []string{"ghost", "n8n", "box"} {
		w.at[kind] = newService(t, kind)
		e := entry(kind, w.at[kind].URL, nil)
		e["kind"] = kind
		all = append(all, e)
	}
	register(t, w.Dir, all...)
	return w
}

// ask takes a request through the gate at the level that does least alone, and allows whatever it asks. It compares what was
// done with what the gate took it for.
func (w town) ask(t *testing.T, exactly bool, a policy.HTTPArgs) {
	t.Helper()
	c := w.Call("http_request", a)
	c.Level = 1
	tier, asked := w.Gate.Tier(c.Tool, c.Args), false
	done, waits := make(chan gate.Outcome, 1), make(chan struct{}, 1)
	go func() {
		o, err := w.Gate.Do(t.Context(), c, func(parked bool) {
			if parked {
				waits <- struct{}{}
			}
		})
		if err != nil {
			t.Errorf("%+v: %v", a, err)
		}
		done <- o
	}()
	var o gate.Outcome
	select {
	case <-waits:
		asked = true
		w.allow(t, c)
		o = <-done
	case o = <-done:
	}
	reached, ran, worst := w.at[a.Tool].take()
	switch {
	case (o.State == wire.ToolDone) != reached:
		t.Errorf("%+v: %s %s, and reached the service: %t", a, o.State, o.Text, reached)
	case !asked && worst != policy.Green:
		t.Errorf("%+v ran unasked, and did %v, which is %s", a, ran, worst)
	case worst.Rank() > tier.Rank():
		t.Errorf("%+v was taken for %s, and did %v, which is %s", a, tier, ran, worst)
	case exactly && reached && (tier != worst || len(ran) == 0):
		t.Errorf("%+v was taken for %s, and did %v, which is %s", a, tier, ran, worst)
	case tier == policy.Forbidden && reached:
		t.Errorf("%+v is forbidden, and arrived", a)
	}
}

// allow is the owner's yes to the question of a call.
func (w town) allow(t *testing.T, c gate.Call) {
	t.Helper()
	all, err := w.Gate.OfRuns(t.Context(), []string{c.RunID})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d questions, %v", len(all), err)
	}
	d := wire.Decision{ApprovalID: all[0].ID, Digest: all[0].Digest, Verb: wire.AllowOnce, By: wire.DecidedBy{UserID: "u1", Name: "owner@example.com", Role: "owner", Channel: "portal", Method: "session"}}
	if err := w.DB.Write(context.Background(), func(tx *sql.Tx) error { return w.Gate.Apply(context.Background(), tx, d) }); err != nil {
		t.Fatal(err)
	}
}

// TestRouted: what a request is taken for is what the router of the service then runs. However its path is spelled and
// whatever method it asks for on the way, it runs nothing riskier, and nothing but reading unasked.
func TestRouted(t *testing.T) {
	t.Parallel()
	w := openTown(t)
	soak := os.Getenv("GATEHOUSE_SOAK") != ""
	for i, r := range routes {
		method, p, _ := strings.Cut(r.like, " ")
		p, query, _ := strings.Cut(p, "?")
		send := func(exactly bool, p, query, body string) {
			if query != "" {
				p += "?" + query
			}
			w.ask(t, exactly, policy.HTTPArgs{Method: method, URL: p, Tool: r.kind, Body: body})
		}
		send(true, p, query, "")
		n := i
		for _, name := range slices.Sorted(keys(spellings)) {
			if n++; soak || n%2 == 0 {
				send(false, spellings[name](p), query, "")
			}
		}
		for _, o := range overrides {
			if n++; soak || n%2 == 0 {
				send(false, p, strings.Trim(query+"&"+o.query, "&"), o.body)
			}
		}
	}
	seems := func(address string) policy.Tier {
		raw, err := json.Marshal(policy.HTTPArgs{Method: "GET", URL: address, Tool: "box"})
		if err != nil {
			t.Fatal(err)
		}
		return w.Gate.Tier("http_request", raw)
	}
	for _, query := range []string{"action=delete&id=5", "id=5&cmd=removeItem", "op=send", "delete=5", "do=item.purge", "logout", "ACTION=delete", "task[]=destroy", "method=DELETE"} {
		if tier := seems("/admin/list.php?" + query); tier.Rank() < policy.Red.Rank() {
			t.Errorf("what is asked by ?%s is %s", query, tier)
		}
	}
	for _, address := range []string{"/api/deleted", "/api/deletedItems", "/api/send_log", "/api/run-history", "/api/items/how-to-remove-a-stain", "/api/items?status=deleted&sort=delete", "/api/items?action=view", "/dropdowns"} {
		if tier := seems(address); tier != policy.Green {
			t.Errorf("%s is %s", address, tier)
		}
	}
}

func keys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestRouted_graphQL: a mutation is one wherever in a request it stands; what only reads is green.
func TestRouted_graphQL(t *testing.T) {
	t.Parallel()
	w := openTown(t)
	const change, look = `mutation { remove(id: 5) }`, `query { items { id } }`
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) } // a string
	body := func(s string) string { return `{"query":` + quoted(s) + `}` }
	for _, c := range []struct {
		method, url, body string
		reads             bool
	}{
		{"POST", "/graphql", body(look), true},
		{"POST", "/api/graphql/", body("{ items { id } }"), true},
		{"GET", "/graphql?query=" + url.QueryEscape(look), "", true},
		{"POST", "/graphql", body(change), false},
		{"POST", "/graphql", body("# query { a }\n" + change), false},
		{"POST", "/graphql", body("query A { a } " + change), false},
		{"POST", "/graphql", body("query A { a }\n,,mutation B { b }") + " ", false},
		{"POST", "/graphql", body("fragment F on T { a } " + change), false},
		{"POST", "/graphql", "[" + body(look) + "," + body(change) + "]", false},
		{"POST", "/graphql?query=" + url.QueryEscape(change), body(look), false},
		{"POST", "/graphql?query=" + url.QueryEscape(look), body(change), false},
		{"POST", "/graphql", `{"query":` + quoted(look) + `,"query":` + quoted(change) + `}`, false},
		{"POST", "/graphql", `{"query":` + quoted(look) + `,"Query":` + quoted(change) + `}`, false},
		{"POST", "/graphql", `{"query":"\u006dutation { remove(id: 5) }"}`, false},
		{"POST", "/graphql", "query=" + url.QueryEscape(change), false},
		{"POST", "/graphql", change, false},
		{"GET", "/graphql?query=" + url.QueryEscape(change), "", false},
		{"GET", "/graphql?query=" + url.QueryEscape(look) + "&query=" + url.QueryEscape(change), "", false},
		{"POST", "/GraphQL", body(change), false},
		{"POST", "/graphql.json", body(change), false},
		{"POST", "/graphql", `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}`, false},
		{"POST", "/graphql", body("subscription { items }"), false},
	} {
		a := policy.HTTPArgs{Method: c.method, URL: c.url, Tool: "box", Body: c.body}
		w.ask(t, false, a)
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if tier := w.Gate.Tier("http_request", raw); (tier == policy.Green) != c.reads {
			t.Errorf("%+v is %s", a, tier)
		}
	}
}

// TestRouted_headers: a call has no place for headers of its own, so none asks for another method.
func TestRouted_headers(t *testing.T) {
	t.Parallel()
	w := openTown(t)
	for _, more := range []any{map[string]string{"X-HTTP-Method-Override": "DELETE"}, "X-HTTP-Method-Override: DELETE"} {
		o, _ := w.Do("http_request", map[string]any{"method": "GET", "url": "/api/items/5", "tool": "box", "headers": more})
		if reached, _, _ := w.at["box"].take(); o.State != wire.ToolDenied || reached {
			t.Errorf("%+v, reached the service: %t", o, reached)
		}
	}
	for _, method := range []string{"GET\r\nX-HTTP-Method-Override: DELETE", "GET /api/items/5 HTTP/1.1\r\nX-A:", "DELETE ", " GET", "Get\t"} {
		w.ask(t, false, policy.HTTPArgs{Method: method, URL: "/api/items/5", Tool: "box"})
	}
}
