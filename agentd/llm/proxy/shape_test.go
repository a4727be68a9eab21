package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// refuses answers with an error as it is.
func refuses(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// TestShape_tooLong: a request that is too long for any limit is tried three times at most, and the next one gets the limit that it
// would have got without it. One that is too long for the usual limit alone is answered, and teaches nothing either.
func TestShape_tooLong(t *testing.T) {
	t.Parallel()
	const window = 20_000
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, body []byte) {
		limit := limitIn(t, body)["max_tokens"]
		if read := int64(len(body)); read+limit > window {
			refuses(w, http.StatusBadRequest, fmt.Sprintf(`{"error":{"message":"'max_tokens' is too large: this model's maximum `+
				`context length is %d tokens, however you requested %d tokens (%d in the messages, %d in the completion).",`+
				`"type":"invalid_request_error"}}`, window, read+limit, read, limit))
			return
		}
		ok(w, r, body)
	})
	r := start(t, oneOpenAI(u.srv.URL))
	for _, c := range []struct {
		text   string
		status int
		tries  int
		limit  int64
	}{
		{strings.Repeat("long ", window), http.StatusBadRequest, 3, 1024},
		{"short", http.StatusOK, 1, 16384},
		{strings.Repeat("long ", window/10), http.StatusOK, 2, 4096},
		{"short", http.StatusOK, 1, 16384},
	} {
		before := len(u.requests())
		status, said := r.post(t, chatPath, chat(c.text))
		if tries := len(u.requests()) - before; status != c.status || tries != c.tries {
			t.Errorf("%.10s: %d after %d tries: %.200s", c.text, status, tries, said)
		}
		if got := limitIn(t, u.last(t).body)["max_tokens"]; got != c.limit {
			t.Errorf("%.10s: the last try had the limit %d, want %d", c.text, got, c.limit)
		}
	}
}

// TestShape_unproven: a limit that nothing shows to be of use is not kept for others.
func TestShape_unproven(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, body []byte) {
		if strings.Contains(string(body), "sour") {
			refuses(w, http.StatusBadRequest, `{"error":{"message":"max_tokens cannot be had with a sour request"}}`)
			return
		}
		ok(w, r, body)
	})
	r := start(t, oneOpenAI(u.srv.URL))
	for _, text := range []string{"sour", "sweet", "sour", "sweet"} {
		r.post(t, chatPath, chat(text))
	}
	if got := limitIn(t, u.last(t).body)["max_tokens"]; got != 16384 {
		t.Errorf("the limit became %d", got)
	}
}

// TestShape_forms: in whatever form an endpoint says that it does not know the wish to hear the usage, the next try is without, and
// so is the next request. That holds for one that says nothing of use, too.
func TestShape_forms(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{
		"mistral": `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],` +
			`"msg":"Extra inputs are not permitted","input":{"include_usage":true}}]},"type":"invalid_request_error","code":null}`,
		"vllm": `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]",` +
			`"type":"BadRequestError","param":null,"code":400}`,
		"fastapi": `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`,
		"words":   `{"error":"unknown field stream_options"}`,
		"opaque":  `{"detail":"There was an error parsing the body"}`,
		"nothing": ``,
	} {
		for _, status := range []int{http.StatusBadRequest, http.StatusUnprocessableEntity} {
			u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, body []byte) {
				if strings.Contains(string(body), "stream_options") {
					refuses(w, status, refusal)
					return
				}
				streamed(w, r, body)
			})
			r := start(t, oneOpenAI(u.srv.URL))
			for want := 2; want <= 3; want++ {
				got, said := r.post(t, chatPath, `{"model":"large","stream":true,"messages":[{"role":"user","content":"Hello"}]}`)
				if n := len(u.requests()); got != http.StatusOK || n != want || limitIn(t, u.last(t).body)["max_tokens"] != 16384 {
					t.Errorf("%s, %d: %d after %d tries, want %d: %s", name, status, got, n, want, said)
				}
			}
		}
	}
}

// TestShape_said: the caller hears what an endpoint said, in whatever form.
func TestShape_said(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{
		"openai": `{"error":{"message":"the tool is broken","type":"t","code":null}}`, "words": `{"error":"the tool is broken"}`,
		"vllm":    `{"object":"error","message":"the tool is broken","type":"BadRequestError","code":400}`,
		"mistral": `{"object":"error","message":{"detail":[{"msg":"the tool is broken"}]}}`,
		"fastapi": `{"detail":[{"msg":"the tool is broken"}]}`,
	} {
		u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			refuses(w, http.StatusUnprocessableEntity, refusal)
		})
		r := start(t, oneOpenAI(u.srv.URL))
		status, said := r.post(t, chatPath, asking("large", 100))
		if status != http.StatusUnprocessableEntity || !strings.Contains(said, "the tool is broken") {
			t.Errorf("%s: %d %s", name, status, said)
		}
	}
}

// TestShape_known: an endpoint that has answered with what the proxy adds is not asked again when it refuses without a reason, and
// one that has not is asked once more.
func TestShape_known(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, body []byte) {
		if strings.Contains(string(body), "sour") {
			refuses(w, http.StatusBadRequest, `{"error":{"message":"I do not like that"}}`)
			return
		}
		streamed(w, r, body)
	})
	r := start(t, oneOpenAI(u.srv.URL))
	for i, c := range []struct {
		text  string
		tries int
	}{{"sour", 2}, {"sweet", 1}, {"sour", 1}} {
		before := len(u.requests())
		_, said := r.post(t, chatPath, `{"model":"large","stream":true,"messages":[{"role":"user","content":"`+c.text+`"}]}`)
		if tries := len(u.requests()) - before; tries != c.tries || (c.text == "sour") != strings.Contains(said, "I do not like that") {
			t.Errorf("%d: asked %d times, want %d: %s", i, tries, c.tries, said)
		}
	}
}

// TestShape_embeddings: a request to which nothing was added is sent once.
func TestShape_embeddings(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, fails(http.StatusBadRequest, "no such input"))
	r := start(t, oneOpenAI(u.srv.URL))
	status, said := r.post(t, "/v1/embeddings", `{"model":"large","input":"Hello"}`)
	if n := len(u.requests()); n != 1 || status != http.StatusBadRequest || !strings.Contains(said, "no such input") {
		t.Errorf("sent %d times: %d %s", n, status, said)
	}
}
