package proxy_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"math/rand/v2"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/llm/socket"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
)

// callerToken is what callers show in these tests.
const callerToken = "caller-of-the-tests"

// secret makes a value like one of the vault, the same for the same seed.
func secret(seed uint64, n int) string {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
	r := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// upstream is a provider that writes down everything it is sent.
type upstream struct {
	srv    *httptest.Server
	answer func(w http.ResponseWriter, r *http.Request, body []byte)

	mu  sync.Mutex
	got []received
}

type received struct {
	path   string
	header http.Header
	body   []byte
}

func newUpstream(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, body []byte)) *upstream {
	t.Helper()
	u := &upstream{answer: answer}
	u.srv = httptest.NewServer(u)
	t.Cleanup(u.srv.Close)
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it broke off; what came is not whole
	}
	u.mu.Lock()
	u.got = append(u.got, received{r.URL.String(), r.Header.Clone(), body})
	u.mu.Unlock()
	u.answer(w, r, body)
}

func (u *upstream) requests() []received {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]received(nil), u.got...)
}

func (u *upstream) last(t *testing.T) received {
	t.Helper()
	all := u.requests()
	if len(all) == 0 {
		t.Fatal("nothing reached the provider")
	}
	return all[len(all)-1]
}

// wantNone fails when anything at all has reached the provider.
func (u *upstream) wantNone(t *testing.T, what string) {
	t.Helper()
	if got := u.requests(); len(got) > 0 {
		t.Errorf("%s: %d requests reached the provider: %.300s", what, len(got), got[0].body)
	}
}

// wantNoSecret fails when one of the secrets has reached the provider in any form.
func (u *upstream) wantNoSecret(t *testing.T, what string, secrets ...string) {
	t.Helper()
	for _, got := range u.requests() {
		blob := fmt.Sprint(got.path, got.header) + string(got.body)
		for _, s := range secrets {
			for form, text := range forms(s) {
				if strings.Contains(blob, text) {
					t.Errorf("%s: a secret reached the provider as %s: %.500s", what, form, blob)
				}
			}
		}
	}
}

// forms are the ways to write a secret, made here and not by the code under test.
func forms(s string) map[string]string {
	var qp strings.Builder
	w := quotedprintable.NewWriter(&qp)
	_, _ = io.WriteString(w, s) // a Builder takes all
	_ = w.Close()
	escaped := strings.Builder{}
	for _, c := range []byte(s) {
		fmt.Fprintf(&escaped, `\u%04x`, c)
	}
	js, _ := json.Marshal(s) // strings always have a form
	all := map[string]string{
		"itself": s, "JSON": strings.Trim(string(js), `"`), "hex": hex.EncodeToString([]byte(s)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(s))),
		"URL": url.QueryEscape(s), "path": url.PathEscape(s), "HTML": html.EscapeString(s), "quoted-printable": qp.String(), "unicode escapes": escaped.String(),
	}
	for shift := range 3 { // whole groups of base64, at each alignment
		full := base64.StdEncoding.EncodeToString([]byte("xx"[:shift] + s))
		core := full[4*((shift+2)/3) : len(full)-4]
		all[fmt.Sprintf("base64 at %d", shift)] = core
		all[fmt.Sprintf("base64url at %d", shift)] = strings.NewReplacer("+", "-", "/", "_").Replace(core)
	}
	return all
}

// rig is a running proxy.
type rig struct {
	*proxy.Proxy
	dir    string
	socket string
	tcp    string // host:port
	log    *lines
	stop   func()
	db     *store.DB
}

// lines is a log that can be read.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// oneOpenAI are the settings for one endpoint in OpenAI's protocol.
func oneOpenAI(base string) proxy.Options {
	return proxy.Options{
		Set:  profile.Set{Profiles: []profile.Profile{{Name: "main", Protocol: profile.OpenAI, BaseURL: base + "/v1", Models: []string{"large", "small"}}}},
		Keys: map[string]string{"main": "key-of-main-" + secret(1, 20)},
	}
}

// start runs a proxy that knows the secrets.
func start(t *testing.T, o proxy.Options, known ...redact.Known) *rig {
	t.Helper()
	r := startIn(t, t.TempDir(), o)
	r.learn(t, known...)
	return r
}

// startIn runs a proxy on a state directory. It knows no registry yet.
func startIn(t *testing.T, dir string, o proxy.Options) *rig {
	t.Helper()
	storetest.Seed(t, filepath.Join(dir, "state"))
	db, err := store.Open(filepath.Join(dir, "state"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{dir: dir, log: &lines{}, db: db, socket: filepath.Join(dir, "proxy.sock")}
	o.DB, o.Token, o.Agentd, o.Log = db, callerToken, os.Geteuid(), slog.New(slog.NewJSONHandler(r.log, nil))
	o.Calls = filepath.Join(dir, "state", "calls")
	if o.Now == nil {
		o.Now = time.Now
	}
	if r.Proxy, err = proxy.New(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	local, err := socket.Listen(t.Context(), r.socket, socket.Own)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.tcp = tcp.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Serve(ctx, local, tcp) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

// overSocket is a client of the unix socket.
func (r *rig) overSocket() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return socket.Dial(ctx, r.socket) }}}
}

func (r *rig) learn(t *testing.T, known ...redact.Known) {
	t.Helper()
	body, err := json.Marshal(proxy.Registry{Known: known})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPut, "http://localhost"+proxy.RegistryPath, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+callerToken)
	res, err := r.overSocket().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusNoContent {
		t.Fatalf("registry: %s", res.Status)
	}
}

// post sends a body to the proxy over the loopback and gives status and answer.
func (r *rig) post(t *testing.T, path, body string, change ...func(*http.Request)) (int, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://"+r.tcp+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+callerToken)
	req.Header.Set("Content-Type", "application/json")
	for _, fn := range change {
		fn(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(b)
}

const chatPath = "/v1/chat/completions"

// chat is a request in which the user says the texts, one message each.
func chat(texts ...string) string {
	messages := []map[string]string{}
	for _, s := range texts {
		messages = append(messages, map[string]string{"role": "user", "content": s})
	}
	b, _ := json.Marshal(map[string]any{"model": "large", "messages": messages}) // strings
	return string(b)
}

// ok answers every request of OpenAI's protocols well and shortly.
func ok(w http.ResponseWriter, _ *http.Request, _ []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Well."},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4}}}`)
}

// eventually waits until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(time.Minute)
	for !ok() {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
