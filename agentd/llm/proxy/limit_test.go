package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/wire"
)

// limitIn are the limits that a request which arrived names.
func limitIn(t *testing.T, body []byte) map[string]int64 {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	in := map[string]int64{}
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		var n int64
		if json.Unmarshal(all[name], &n) == nil {
			in[name] = n
		}
	}
	return in
}

// TestLimit_put: a request that names no limit gets one, in the words of its endpoint; one that names one keeps it.
func TestLimit_put(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	o := oneOpenAI(u.srv.URL)
	o.Set.Profiles = append(o.Set.Profiles, profile.Profile{
		Name: "a", Protocol: profile.Anthropic, BaseURL: u.srv.URL, Models: []string{"opus"},
	})
	o.Keys["a"] = "key-of-a-" + secret(2, 20)
	r := start(t, o)
	both := func(older, newer int64) map[string]int64 {
		return map[string]int64{"max_tokens": older, "max_completion_tokens": newer}
	}
	for name, c := range map[string]struct {
		path, more string
		want       map[string]int64
	}{
		"chat":                     {chatPath, ``, map[string]int64{"max_tokens": 16384}},
		"chat, null":               {chatPath, `,"max_tokens":null`, map[string]int64{"max_tokens": 16384}},
		"chat, old word":           {chatPath, `,"max_tokens":77`, map[string]int64{"max_tokens": 77}},
		"chat, new word":           {chatPath, `,"max_completion_tokens":77`, map[string]int64{"max_completion_tokens": 77}},
		"chat, both":               {chatPath, `,"max_completion_tokens":77,"max_tokens":99`, both(99, 77)},
		"chat, no number":          {chatPath, `,"max_completion_tokens":1e9`, map[string]int64{"max_completion_tokens": 16384}},
		"chat, beyond all":         {chatPath, `,"max_tokens":99999999999`, map[string]int64{"max_tokens": 1 << 18}},
		"chat, two, one no number": {chatPath, `,"max_completion_tokens":1e9,"max_tokens":99`, both(99, 99)},
		"responses":                {"/v1/responses", ``, map[string]int64{"max_output_tokens": 16384}},
		"messages":                 {"/v1/messages", `,"max_tokens":55`, map[string]int64{"max_tokens": 55}},
		"embeddings":               {"/v1/embeddings", ``, map[string]int64{}},
	} {
		model := map[bool]string{true: "opus", false: "large"}[c.path == "/v1/messages"]
		body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"Hello"}]%s}`, model, c.more)
		if status, says := r.post(t, c.path, body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, status, says)
		}
		if got := limitIn(t, u.last(t).body); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: the provider may answer with %v, want %v", name, got, c.want)
		}
	}
}

// TestLimit_whose: who pays for the answer may have it as long as it becomes.
func TestLimit_whose(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	o := oneOpenAI(u.srv.URL)
	o.Set.Profiles[0].Key = wire.KeyOwn
	r := start(t, o)
	if status, says := r.post(t, chatPath, chat("Hello")); status != http.StatusOK || len(limitIn(t, u.last(t).body)) > 0 {
		t.Errorf("%d %s: %s", status, says, u.last(t).body)
	}
}

// TestLimit_ceiling: a provider that always writes as much as it may never makes the team use more than its pool, although no request
// names a limit. What is left is used: the limits become lower.
func TestLimit_ceiling(t *testing.T) {
	t.Parallel()
	const pool = 100_000
	var used, lowest atomic.Int64
	lowest.Store(pool)
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, body []byte) {
		most := limitIn(t, body)["max_tokens"]
		if most == 0 {
			most = pool // nothing holds it
		}
		lowest.Store(min(lowest.Load(), most))
		used.Add(10 + most)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":%d}}`, most)
	})
	r := startIn(t, t.TempDir(), oneOpenAI(u.srv.URL))
	r.limit(t, budget.Limits{Pool: month(pool)})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { r.post(t, chatPath, chat("Write as much as you like")) })
	}
	all.Wait()
	for {
		if status, says := r.post(t, chatPath, chat("Write as much as you like")); status != http.StatusOK {
			if !strings.Contains(says, llm.BudgetCode) {
				t.Fatal(says)
			}
			break
		}
	}
	if n := used.Load(); n > pool || n < pool-2*1024 || lowest.Load() >= 16384 {
		t.Errorf("%d of %d tokens were used; the lowest limit was %d", n, pool, lowest.Load())
	}
}

// TestLimit_named: who names a limit that is not left hears how much is.
func TestLimit_named(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	r := startIn(t, t.TempDir(), oneOpenAI(u.srv.URL))
	r.limit(t, budget.Limits{Day: 5000})
	status, says := r.post(t, chatPath, asking("large", 6000))
	if status != http.StatusTooManyRequests || !strings.Contains(says, "5000 are left") || !strings.Contains(says, "up to 6000") {
		t.Errorf("%d %s", status, says)
	}
	u.wantNone(t, "a call beyond the budget")
	if status, says := r.post(t, chatPath, asking("large", 4000)); status != http.StatusOK {
		t.Errorf("%d %s", status, says)
	}
}

// choosy is an endpoint that refuses what it does not like in a request.
func choosy(t *testing.T, dislikes func(limits map[string]int64, body string) string) *upstream {
	return newUpstream(t, func(w http.ResponseWriter, r *http.Request, body []byte) {
		if why := dislikes(limitIn(t, body), string(body)); why != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, why)
			return
		}
		streamed(w, r, body)
	})
}

// streamed answers with a stream, and says at its end what it used when the request wishes that.
func streamed(w http.ResponseWriter, _ *http.Request, body []byte) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Well.\"}}],\"usage\":null}\n\n")
	if strings.Contains(string(body), `"include_usage":true`) {
		_, _ = io.WriteString(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":21,\"completion_tokens\":4}}\n\n")
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// TestLimit_learned: an endpoint that refuses what the proxy adds is asked as it wants, and the next time at once. What the caller
// wrote is the caller's affair.
func TestLimit_learned(t *testing.T) {
	t.Parallel()
	plain := `{"model":"large","stream":true,"messages":[{"role":"user","content":"Hello"}]`
	for name, c := range map[string]struct {
		dislikes func(map[string]int64, string) string
		tries    int
	}{
		"the old word": {func(l map[string]int64, _ string) string {
			if l["max_tokens"] > 0 {
				return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
			}
			return ""
		}, 2},
		"more than it can": {func(l map[string]int64, _ string) string {
			if l["max_tokens"] > 4096 {
				return "max_tokens is too large: this model supports at most 4096 completion tokens."
			}
			return ""
		}, 3},
		"the wish": {func(_ map[string]int64, body string) string {
			if strings.Contains(body, "stream_options") {
				return "Extra inputs are not permitted: stream_options"
			}
			return ""
		}, 2},
		"everything": {func(l map[string]int64, body string) string {
			if strings.Contains(body, "stream_options") || len(l) > 0 {
				return "stream_options and max_tokens are not known here"
			}
			return ""
		}, 0},
	} {
		u := choosy(t, c.dislikes)
		r := start(t, oneOpenAI(u.srv.URL))
		want := http.StatusOK
		if c.tries == 0 {
			want = http.StatusBadRequest
		}
		if status, says := r.post(t, chatPath, plain+"}"); status != want {
			t.Errorf("%s: %d %s", name, status, says)
		}
		first := len(u.requests())
		if c.tries > 0 && first != c.tries || first > 8 {
			t.Errorf("%s: asked %d times", name, first)
		}
		if r.post(t, chatPath, plain+"}"); c.tries > 0 && len(u.requests()) != first+1 {
			t.Errorf("%s: asked %d times when it was known", name, len(u.requests())-first)
		}
		before := len(u.requests())
		status, _ := r.post(t, chatPath, plain+`,"max_tokens":9000,"stream_options":{"include_usage":true}}`)
		if asked := len(u.requests()) - before; asked != 1 {
			t.Errorf("%s: what the caller wrote was refused %d times (%d)", name, asked, status)
		}
	}
}

// TestUsage_hidden: every stream of chat completions says what it used; a caller who did not ask for that does not see it.
func TestUsage_hidden(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, streamed)
	r := start(t, oneOpenAI(u.srv.URL))
	for name, c := range map[string]struct {
		more string
		sees bool
	}{
		"nothing asked":  {``, false},
		"asked":          {`,"stream_options":{"include_usage":true}`, true},
		"not wanted":     {`,"stream_options":{"include_usage":false,"include_obfuscation":false}`, false},
		"something else": {`,"stream_options":{"include_obfuscation":false}`, false},
	} {
		status, says := r.post(t, chatPath, `{"model":"large","stream":true,"messages":[{"role":"user","content":"Hello"}]`+c.more+`}`)
		if status != http.StatusOK || strings.Contains(says, "completion_tokens") != c.sees {
			t.Errorf("%s: %d %s", name, status, says)
		}
		if !strings.HasSuffix(says, "data: [DONE]\n\n") || !strings.Contains(says, "Well.") || strings.Contains(says, "\n\n\n") {
			t.Errorf("%s: the rest is %q", name, says)
		}
		if body := string(u.last(t).body); strings.Contains(c.more, "obfuscation") != strings.Contains(body, "obfuscation") {
			t.Errorf("%s: sent %s", name, body)
		}
	}
	var seen proxy.Usage
	eventually(t, "all four are counted as the endpoint said", func() bool {
		res, err := r.overSocket().Do(authorized(t, http.MethodGet, proxy.UsagePath+"?after=0"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if err := json.NewDecoder(res.Body).Decode(&seen); err != nil {
			t.Fatal(err)
		}
		return len(seen.Items) == 1 && seen.Items[0].Requests == 4
	})
	if got := seen.Items[0]; got.Estimated != 0 || got.Input != 4*21 || got.Output != 4*4 {
		t.Errorf("%+v", got)
	}
}

func authorized(t *testing.T, method, path string) *http.Request {
	t.Helper()
	req, err := http.NewRequest(method, "http://localhost"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+callerToken)
	return req
}

// TestLimit_answers: how many answers a request asks for is known, or it is not sent: each of them may become as long as its limit.
func TestLimit_answers(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	r := start(t, oneOpenAI(u.srv.URL))
	for _, path := range []string{chatPath, "/v1/responses"} {
		for _, n := range []string{
			"16.0", "1e1", `"16"`, "0", "-1", "-0", "1.5", "99999999999999999999", "1025", "[16]", `{"n":16}`, "true",
		} {
			status, says := r.post(t, path, `{"model":"large","messages":[{"role":"user","content":"Hello"}],"n":`+n+`}`)
			if status != http.StatusBadRequest || !strings.Contains(says, `"n"`) && !strings.Contains(says, `\"n\"`) {
				t.Errorf("n is %s: %d %s", n, status, says)
			}
		}
	}
	u.wantNone(t, "requests whose answers cannot be counted")
	r.limit(t, budget.Limits{Day: 50_000})
	for n, want := range map[string]int{"null": http.StatusOK, "1": http.StatusOK, "4": http.StatusOK, "16": http.StatusTooManyRequests} {
		status, says := r.post(t, chatPath, `{"model":"large","max_tokens":4000,"messages":[{"role":"user","content":"Hello"}],"n":`+n+`}`)
		if status != want {
			t.Errorf("n is %s: %d %s", n, status, says)
		}
	}
}
