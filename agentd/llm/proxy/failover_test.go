package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/proxy"
)

// several are settings with one profile for each base URL, all with the model large, and small standing in for it at
// the last.
func several(bases ...string) proxy.Options {
	o := proxy.Options{Keys: map[string]string{}}
	for i, base := range bases {
		p := profile.Profile{Name: fmt.Sprint("p", i), Protocol: profile.OpenAI, BaseURL: base, Models: []string{"large"}}
		if i == len(bases)-1 {
			p.Models = append(p.Models, "small")
		}
		o.Set.Profiles = append(o.Set.Profiles, p)
		o.Keys[p.Name] = "provider-key-" + secret(uint64(50+i), 24)
	}
	o.Set.Chains = []profile.Chain{{Model: "large", Then: []string{"small"}}}
	return o
}

// fails answers with a status and its usual words.
func fails(status int, words string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":"t","code":"c"}}`, words)
	}
}

// says answers with a stream of these lines.
func says(text string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
	}
}

// nowhere is an address at which nobody listens. A port that was drawn and let go may be drawn by somebody else.
const nowhere = "http://127.0.0.1:1"

// TestFailover: whatever a profile fails with before the first token, the next one answers, at once, and the first one
// is not asked again until its rest is over.
func TestFailover(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(http.ResponseWriter, *http.Request, []byte){
		"401": fails(401, "no such key"), "402": fails(402, "pay first"), "403": fails(403, "not here"), "429": fails(429, "slow down"),
		"500": fails(500, "oh"), "502": fails(502, ""), "503": fails(503, "busy"), "529": fails(529, "overloaded"), "redirect": func(w http.ResponseWriter, r *http.Request, _ []byte) {
			http.Redirect(w, r, "/x", http.StatusTemporaryRedirect)
		},
		"connection closed":         func(http.ResponseWriter, *http.Request, []byte) { panic(http.ErrAbortHandler) },
		"refused":                   nil,
		"an error as first event":   says("data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n"),
		"an error event, anthropic": says("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := newUpstream(t, first), newUpstream(t, ok)
			bases := []string{one.srv.URL, two.srv.URL}
			if first == nil {
				bases[0] = nowhere
			}
			r := start(t, several(bases...))
			for range 3 {
				if status, said := r.post(t, chatPath, chat("Hello")); status != http.StatusOK {
					t.Fatalf("%d %s", status, said)
				}
			}
			if n := len(one.requests()); n > 1 {
				t.Errorf("the profile that failed was asked %d times in a row", n)
			}
			if n := len(two.requests()); n != 3 {
				t.Errorf("the second profile was asked %d times", n)
			}
			if got := two.last(t).header.Get("Authorization"); got != "Bearer provider-key-"+secret(51, 24) {
				t.Errorf("the second profile was shown %q", got)
			}
		})
	}
}

// TestFailover_notForTheRequestsOwnFault asks nobody else when the request itself was refused.
func TestFailover_notForTheRequestsOwnFault(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 404, 413, 422} {
		one, two := newUpstream(t, fails(status, "your own fault")), newUpstream(t, ok)
		r := start(t, several(one.srv.URL, two.srv.URL))
		for range 2 {
			if got, said := r.post(t, chatPath, asking("large", 100)); got != status || !strings.Contains(said, "your own fault") {
				t.Errorf("%d: %d %s", status, got, said)
			}
		}
		two.wantNone(t, fmt.Sprint(status))
		if len(one.requests()) != 2 {
			t.Errorf("%d: the profile rests although it works", status)
		}
	}
}

// TestFailover_toAnotherModel goes down the chain, and never to a model that is not in it.
func TestFailover_toAnotherModel(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, nil)
	u.answer = func(w http.ResponseWriter, r *http.Request, body []byte) {
		var in struct{ Model string }
		if json.Unmarshal(body, &in) != nil || in.Model != "small" {
			fails(503, "busy")(w, r, body)
			return
		}
		ok(w, r, body)
	}
	o := several(u.srv.URL, u.srv.URL)
	o.Set.Profiles[1].Models = append(o.Set.Profiles[1].Models, "gold")
	r := start(t, o)
	if status, said := r.post(t, chatPath, chat("Hello")); status != http.StatusOK {
		t.Fatalf("%d %s", status, said)
	}
	var asked []string
	for _, got := range u.requests() {
		var in struct{ Model string }
		_ = json.Unmarshal(got.body, &in) // a body of ours
		asked = append(asked, in.Model)
	}
	if strings.Join(asked, " ") != "large large small" {
		t.Errorf("asked %v", asked)
	}
}

// TestFailover_allFail says what the first one said, and asks a lone endpoint every time.
func TestFailover_allFail(t *testing.T) {
	t.Parallel()
	one, two := newUpstream(t, fails(401, "the first one's words")), newUpstream(t, fails(503, "busy"))
	r := start(t, several(one.srv.URL, two.srv.URL))
	if status, said := r.post(t, chatPath, chat("Hello")); status != 401 || !strings.Contains(said, "the first one's words") {
		t.Errorf("%d %s", status, said)
	}
	lone := newUpstream(t, fails(503, "busy"))
	r = start(t, several(lone.srv.URL))
	for n := 1; n < 4; n++ {
		if status, _ := r.post(t, chatPath, chat("Hello")); status != 503 || len(lone.requests()) != 2*n { // large, then small
			t.Errorf("%d after %d requests for %d", status, len(lone.requests()), n)
		}
	}
}

// TestRefused_leavesNoHalf: the words of a provider are passed on to a length; a key across that length goes whole.
func TestRefused_leavesNoHalf(t *testing.T) {
	t.Parallel()
	key := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	for back := 4; back <= len(key); back += 4 {
		words := strings.Repeat("no ", (1000-back)/3) + key + " is no key of ours, and that is all there is to be said about it"
		r := start(t, several(newUpstream(t, fails(401, words)).srv.URL))
		if status, said := r.post(t, chatPath, chat("Hello")); status != 401 || strings.Contains(said, "ghp_a") || !strings.Contains(said, "no no") {
			t.Errorf("cut %d bytes into the key: %d %s", back, status, said)
		}
	}
}

// TestFailover_slow gives a silent profile its time and no more when another one could be asked.
func TestFailover_slow(t *testing.T) {
	t.Parallel()
	one := newUpstream(t, func(_ http.ResponseWriter, r *http.Request, _ []byte) { <-r.Context().Done() })
	two := newUpstream(t, ok)
	o := several(one.srv.URL, two.srv.URL)
	o.Wait = 50 * time.Millisecond
	r := start(t, o)
	begin := time.Now()
	if status, said := r.post(t, chatPath, chat("Hello")); status != http.StatusOK {
		t.Errorf("%d %s", status, said)
	}
	if took := time.Since(begin); took < o.Wait {
		t.Errorf("the silent one had %s, want %s", took, o.Wait)
	}
}

// TestFailover_added: a failing first profile costs no wait. How long a request takes on this machine, one shows that goes to
// the second profile at once because the first one rests. The goal of 50 ms is the benchmark's.
func TestFailover_added(t *testing.T) {
	one, two := newUpstream(t, fails(503, "busy")), newUpstream(t, ok)
	var now atomic.Int64
	o := several(one.srv.URL, two.srv.URL)
	o.Now = func() time.Time { return time.Unix(now.Load(), 0) }
	r := start(t, o)
	ask := func() time.Duration {
		begin := time.Now()
		if status, said := r.post(t, chatPath, chat("Hello")); status != http.StatusOK {
			t.Fatalf("%d %s", status, said)
		}
		return time.Since(begin)
	}
	failing, plain := time.Hour, time.Hour
	for range 20 {
		failing = min(failing, ask())
		plain = min(plain, ask())
		now.Add(48 * 3600)
	}
	if failing > 20*plain+50*time.Millisecond {
		t.Errorf("with a failing first profile %s at least, without %s", failing, plain)
	}
	if len(one.requests()) != 20 {
		t.Errorf("after its rest the first profile was asked %d of 20 times", len(one.requests()))
	}
}

// TestFailover_afterARestart: what rests goes on resting in the proxy's next life.
func TestFailover_afterARestart(t *testing.T) {
	t.Parallel()
	one, two := newUpstream(t, fails(402, "pay first")), newUpstream(t, ok)
	dir := t.TempDir()
	for life := range 3 {
		r := startIn(t, dir, several(one.srv.URL, two.srv.URL))
		r.learn(t)
		if status, said := r.post(t, chatPath, chat("Hello")); status != http.StatusOK {
			t.Fatalf("%d %s", status, said)
		}
		r.stop()
		if n := len(one.requests()); n != 1 {
			t.Errorf("life %d: the profile that ran dry was asked %d times", life, n)
		}
	}
}

// TestStream_unbuffered: each piece is with the caller while the provider still writes, and an answer that breaks off
// breaks off for the caller.
func TestStream_unbuffered(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			_, _ = fmt.Fprintf(w, "data: {\"piece\":%d}\n\n", i)
			w.(http.Flusher).Flush()
			<-next
		}
		panic(http.ErrAbortHandler)
	})
	r := start(t, oneOpenAI(u.srv.URL))
	req, err := http.NewRequest(http.MethodPost, "http://"+r.tcp+chatPath, strings.NewReader(`{"model":"large","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", callerToken)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	for i := range 3 {
		want := fmt.Sprintf("data: {\"piece\":%d}\n\n", i)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != want {
			t.Fatalf("piece %d: %q, %v", i, got, err)
		}
		next <- struct{}{}
	}
	if rest, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("an answer that broke off looks whole, and ends with %q", rest)
	}
}

// TestStream_comment passes a sign of life on before the first token.
func TestStream_comment(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": still thinking\n\n")
		w.(http.Flusher).Flush()
		<-next
	})
	r := start(t, several(u.srv.URL, nowhere))
	req, err := http.NewRequest(http.MethodPost, "http://"+r.tcp+chatPath, strings.NewReader(`{"model":"large","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", callerToken)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	got := make([]byte, len(": still thinking\n"))
	if _, err := io.ReadFull(res.Body, got); err != nil || !strings.HasPrefix(string(got), ": still") {
		t.Errorf("%q, %v", got, err)
	}
	close(next)
}

// TestSocket_mode: the socket is closed to other users unless they are to call.
func TestSocket_mode(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	r := start(t, oneOpenAI(u.srv.URL))
	info, err := os.Stat(r.socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
