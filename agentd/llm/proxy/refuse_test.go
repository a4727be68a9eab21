package proxy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/llm/scrub"
	"gatehouse/agentd/redact"
)

// TestCallers lets nobody in who is not a program of this machine with the token.
func TestCallers(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	r := start(t, oneOpenAI(u.srv.URL))
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"no token":                  {func(q *http.Request) { q.Header.Del("Authorization") }, 401},
		"another token":             {func(q *http.Request) { q.Header.Set("Authorization", "Bearer x") }, 401},
		"another scheme":            {func(q *http.Request) { q.Header.Set("Authorization", "Basic "+callerToken) }, 401},
		"an empty token":            {func(q *http.Request) { q.Header.Set("Authorization", "Bearer ") }, 401},
		"a page":                    {func(q *http.Request) { q.Header.Set("Origin", "http://localhost:8080") }, 403},
		"a page without a CORS":     {func(q *http.Request) { q.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"a name that resolves here": {func(q *http.Request) { q.Host = "evil.example" }, 403},
		"an address of the network": {func(q *http.Request) { q.Host = "192.168.1.2:80" }, 403},
	} {
		if status, said := r.post(t, chatPath, chat("Hello"), c.change); status != c.want || !strings.Contains(said, `"error"`) {
			t.Errorf("%s: %d %s", name, status, said)
		}
	}
	u.wantNone(t, "callers who are not let in")
	for _, path := range []string{proxy.RegistryPath, proxy.AlivePath, proxy.UsagePath, proxy.SumsPath, proxy.RunPath} {
		status, _ := r.post(t, path, "{}", func(q *http.Request) {
			q.Method = map[bool]string{true: "PUT", false: "GET"}[path == proxy.RegistryPath]
		})
		if status != http.StatusForbidden {
			t.Errorf("%s over the loopback: %d", path, status)
		}
	}
	if status, _ := r.post(t, "/v1/files", "{}"); status != http.StatusNotFound {
		t.Errorf("a path that is not offered: %d", status)
	}
	if status, said := r.post(t, chatPath, chat("Hello")); status != http.StatusOK {
		t.Errorf("the caller of the tests: %d %s", status, said)
	}
}

// TestNotReady sends nothing before the registry of secrets is there, and goes on sending nothing when a new one cannot
// be put in force.
func TestNotReady(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	o := oneOpenAI(u.srv.URL)
	o.Engine = func(known []redact.Known) scrub.Engine {
		if len(known) > 2 {
			panic("a registry that cannot be built")
		}
		return redact.New()
	}
	r := startIn(t, t.TempDir(), o)
	want := func(when string, status int) {
		t.Helper()
		if got, said := r.post(t, chatPath, chat("Hello")); got != status {
			t.Errorf("%s: %d %s", when, got, said)
		}
	}
	want("before the registry", http.StatusServiceUnavailable)
	u.wantNone(t, "before the registry")
	r.learn(t)
	want("after it", http.StatusOK)
	put(t, r, `{"known":[{"name":"a","value":"b"},{"name":"c","value":"d"}]}`, http.StatusInternalServerError)
	want("after one that failed", http.StatusServiceUnavailable)
	for _, bad := range []string{`{"known":[`, `{"knwon":[]}`, `[]`} {
		r.learn(t)
		want("after another good one", http.StatusOK)
		put(t, r, bad, http.StatusBadRequest)
		want("after one that cannot be read", http.StatusServiceUnavailable)
	}
}

func put(t *testing.T, r *rig, body string, want int) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPut, "http://localhost"+proxy.RegistryPath, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+callerToken)
	res, err := r.overSocket().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != want {
		t.Errorf("registry %s: %d, want %d", body, res.StatusCode, want)
	}
}

// faulty is an engine that breaks at a word.
type faulty struct{}

func (faulty) Scan(text string) (string, []redact.Finding) {
	if strings.Contains(text, "break it") {
		panic("scanner fault near " + text)
	}
	return text, nil
}

// TestFailsClosed: whatever goes wrong before a request is known to be clean, no byte of it leaves.
func TestFailsClosed(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	o := oneOpenAI(u.srv.URL)
	o.Engine = func([]redact.Known) scrub.Engine { return faulty{} }
	r := start(t, o)
	large := `{"model":"large","messages":[{"role":"user","content":"` + strings.Repeat("a", 50<<20) + `"}]}`
	deep := `{"model":"large","x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`
	for name, c := range map[string]struct {
		body   string
		change func(*http.Request)
		want   int
	}{
		"a scanner that panics":    {chat("please break it"), nil, 500},
		"50 MB":                    {large, nil, 413},
		"50 MB without a length":   {large, func(q *http.Request) { q.ContentLength = -1 }, 413},
		"invalid UTF-8":            {"{\"model\":\"large\",\"x\":\"\xff\xfe\"}", nil, 400},
		"half a surrogate pair":    {`{"model":"large","x":"\ud83d"}`, nil, 400},
		"a key twice":              {`{"model":"large","model":"large"}`, nil, 400},
		"a key twice, deep":        {`{"model":"large","a":[{"b":1,"b":2}]}`, nil, 400},
		"two values":               {chat("a") + chat("b"), nil, 400},
		"too deep":                 {deep, nil, 400},
		"no JSON":                  {"model=large", nil, 400},
		"no object":                {`["large"]`, nil, 400},
		"nothing":                  {"", nil, 400},
		"NUL at the end":           {chat("a") + "\x00", nil, 400},
		"gzip":                     {zipped(t, chat("a")), header("Content-Encoding", "gzip"), 415},
		"brotli":                   {brotlied(t, chat("a")), header("Content-Encoding", "br"), 415},
		"gzip that says identity":  {zipped(t, chat("a")), header("Content-Encoding", "identity"), 400},
		"two encodings":            {chat("a"), header("Content-Encoding", "identity, gzip"), 415},
		"a form":                   {chat("a"), header("Content-Type", "application/x-www-form-urlencoded"), 415},
		"parts":                    {chat("a"), header("Content-Type", "multipart/form-data; boundary=x"), 415},
		"UTF-16":                   {chat("a"), header("Content-Type", "application/json; charset=utf-16"), 415},
		"a query":                  {chat("a"), func(q *http.Request) { q.URL.RawQuery = "key=value" }, 400},
		"a feature with a newline": {chat("a"), header("Openai-Beta", "a;b"), 400},
		"a model nobody listed":    {`{"model":"gold"}`, nil, 404},
		"no model":                 {`{"messages":[]}`, nil, 404},
		"a model that is no name":  {`{"model":["large"]}`, nil, 404},
	} {
		if c.change == nil {
			c.change = func(*http.Request) {}
		}
		status, said := r.post(t, chatPath, c.body, c.change)
		if status != c.want && (status != 0 || c.want != 413) { // a connection that is closed on a flood is an answer, too
			t.Errorf("%s: %d %.300s, want %d", name, status, said, c.want)
		}
		if strings.Contains(said, "break it") {
			t.Errorf("%s: the answer repeats the request: %s", name, said)
		}
	}
	u.wantNone(t, "requests that were refused")
	if strings.Contains(r.log.String(), "break it") {
		t.Error("the log repeats the request")
	}
	if status, _ := r.post(t, chatPath, chat("whole")); status != http.StatusOK {
		t.Errorf("after all that a good request: %d", status)
	}
}

func header(name, value string) func(*http.Request) {
	return func(q *http.Request) { q.Header.Set(name, value) }
}

func zipped(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, s); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

func brotlied(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := brotli.NewWriter(&b)
	if _, err := io.WriteString(w, s); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSmuggling writes requests by hand that two readers could take apart in two ways. What arrives is one request that
// was checked, or nothing.
func TestSmuggling(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	value := secret(31, 30)
	r := start(t, oneOpenAI(u.srv.URL), redact.Known{Name: "shop.key", Value: value})
	inner := "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n" + value
	body := chat("Hello")
	for name, head := range map[string]string{
		"length and chunks":       fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n%s", len(body)+len(inner), len(body), body, inner),
		"two lengths":             fmt.Sprintf("Content-Length: %d\r\nContent-Length: 5\r\n\r\n%s%s", len(body), body, inner),
		"chunks in disguise":      fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: xchunked\r\n\r\n%s%s", len(body), body, inner),
		"a length that is signed": fmt.Sprintf("Content-Length: +%d\r\n\r\n%s%s", len(body), body, inner),
		"a folded header":         fmt.Sprintf("X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n%s%s", len(body), body, inner),
		"an upgrade":              fmt.Sprintf("Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: %d\r\n\r\n%s%s", len(body), body, inner),
	} {
		before := len(u.requests())
		c, err := net.Dial("tcp", r.tcp)
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%s", chatPath, callerToken, head)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(c)
		res, err := http.ReadResponse(in, nil)
		if err == nil {
			_, _ = io.Copy(io.Discard, res.Body) // what it says does not matter here
			if next, err := http.ReadResponse(in, nil); err == nil && next.StatusCode == http.StatusOK {
				t.Errorf("%s: a second request was answered", name)
			}
		}
		_ = c.Close()
		sent := strings.TrimSuffix(body, "}") + `,"max_tokens":16384}` // what the proxy adds
		for _, got := range u.requests()[before:] {
			if got.header.Get("Transfer-Encoding") != "" || got.header.Get("Upgrade") != "" || string(got.body) != sent {
				t.Errorf("%s: not the request that was read: %v %s", name, got.header, got.body)
			}
		}
		if n := len(u.requests()) - before; n > 1 {
			t.Errorf("%s: %d requests arrived", name, n)
		}
	}
	u.wantNoSecret(t, "smuggling", value)
}

// TestRedirects follows none, wherever it leads, and takes no proxy from the environment.
func TestRedirects(t *testing.T) {
	evil := newUpstream(t, ok)
	t.Setenv("HTTP_PROXY", evil.srv.URL)
	t.Setenv("HTTPS_PROXY", evil.srv.URL)
	t.Setenv("ALL_PROXY", evil.srv.URL)
	status := 307
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		http.Redirect(w, r, evil.srv.URL+r.URL.Path, status)
	})
	r := start(t, oneOpenAI(u.srv.URL))
	for _, status = range []int{301, 302, 303, 307, 308} {
		if got, said := r.post(t, chatPath, chat("Hello")); got != http.StatusBadGateway || !strings.Contains(said, "redirect_refused") {
			t.Errorf("%d: %d %s", status, got, said)
		}
	}
	evil.wantNone(t, "redirects")
	if len(u.requests()) != 5 {
		t.Errorf("%d requests reached the provider", len(u.requests()))
	}
}

// TestTLS refuses a provider whose certificate is nobody's.
func TestTLS(t *testing.T) {
	t.Parallel()
	u := &upstream{answer: ok}
	u.srv = httptest.NewTLSServer(u)
	u.srv.Config.ErrorLog = nil
	t.Cleanup(u.srv.Close)
	o := oneOpenAI(u.srv.URL)
	r := start(t, o)
	if got, said := r.post(t, chatPath, chat("Hello")); got != http.StatusBadGateway {
		t.Errorf("a certificate of nobody: %d %s", got, said)
	}
	u.wantNone(t, "an endpoint that cannot prove who it is")
	o.Roots = u.srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	r = start(t, o)
	if got, said := r.post(t, chatPath, chat("Hello")); got != http.StatusOK {
		t.Errorf("a certificate that is known: %d %s", got, said)
	}
}

// TestAnswerHeaders passes on nothing of a provider's headers but what an answer needs.
func TestAnswerHeaders(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, b []byte) {
		w.Header().Set("Authorization", r.Header.Get("Authorization"))
		w.Header().Set("X-Key-Echo", r.Header.Get("Authorization"))
		w.Header().Set("X-Ratelimit-Remaining-Tokens", "5")
		ok(w, r, b)
	})
	r := start(t, proxy.Options{Set: profile.Set{Profiles: []profile.Profile{{Name: "main", Protocol: profile.OpenAI, BaseURL: u.srv.URL, Models: []string{"large"}}}}, Keys: map[string]string{"main": secret(41, 30)}})
	req, err := http.NewRequest(http.MethodPost, "http://"+r.tcp+chatPath, strings.NewReader(chat("Hello")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+callerToken)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if strings.Contains(fmt.Sprint(res.Header), secret(41, 30)) || res.Header.Get("X-Ratelimit-Remaining-Tokens") != "5" || res.Header.Get(proxy.ProfileHeader) != "main" {
		t.Errorf("headers %v", res.Header)
	}
}
