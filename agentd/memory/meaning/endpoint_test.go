package meaning_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// endpoint speaks the protocol of OpenAI on a loopback port. It knows a few words that mean the same, and can answer badly.
type endpoint struct {
	srv   *httptest.Server
	dims  atomic.Int64
	most  atomic.Int64           // texts that it takes at once
	fault atomic.Pointer[string] // one of faults; empty: it is well
	done  chan struct{}

	answers atomic.Int64 // that it gave
	stuck   atomic.Int64 // after so many it gives no more; 0: it does
	held    atomic.Int64 // requests that wait for one

	mu  sync.Mutex
	got []string
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{done: make(chan struct{})}
	e.dims.Store(64)
	e.most.Store(1000)
	well := ""
	e.fault.Store(&well)
	e.srv = httptest.NewServer(e)
	t.Cleanup(func() { close(e.done); e.srv.Close() })
	return e
}

// texts are those that it took, without the word with which it is asked whether it is there.
func (e *endpoint) texts() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.got), func(s string) bool { return s == "memory" })
}

// faults are the ways in which it answers badly.
var faults = []string{
	"401", "403", "402", "429", "500", "503", "hangs", "closes", "html", "no JSON", "cut", "none", "few", "empty", "zero", "uneven", "text",
}

func (e *endpoint) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var in struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if r.URL.Path != "/v1/embeddings" || json.NewDecoder(r.Body).Decode(&in) != nil || in.Model != "toy" {
		http.Error(rw, "not found", http.StatusNotFound)
		return
	}
	if len(in.Input) > int(e.most.Load()) || slices.ContainsFunc(in.Input, func(s string) bool { return strings.Contains(s, "poison") }) {
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = rw.Write([]byte(`{"error":{"message":"not these"}}`))
		return
	}
	if fault := *e.fault.Load(); fault != "" {
		e.fail(rw, r, fault, len(in.Input))
		return
	}
	if stuck := e.stuck.Load(); stuck > 0 && e.answers.Load() >= stuck {
		e.held.Add(1)
		e.fail(rw, r, "hangs", 0)
		return
	}
	e.answers.Add(1)
	e.mu.Lock()
	e.got = append(e.got, in.Input...)
	e.mu.Unlock()
	var data []map[string]any
	for i, text := range in.Input {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": toy(text, int(e.dims.Load()))})
	}
	slices.Reverse(data) // the protocol promises no order
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(map[string]any{ // a caller that left is no fault of ours
		"object": "list", "data": data, "model": in.Model, "usage": map[string]int{"prompt_tokens": 3, "total_tokens": 3},
	})
}

func (e *endpoint) fail(rw http.ResponseWriter, r *http.Request, fault string, texts int) {
	var status int
	if n, _ := fmt.Sscan(fault, &status); n == 1 {
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(status)
		_, _ = fmt.Fprintf(rw, `{"error":{"message":"no"}}`)
		return
	}
	one := `{"object":"embedding","index":%d,"embedding":%s}`
	every := func(vector func(i int) string) string {
		var all []string
		for i := range texts {
			all = append(all, fmt.Sprintf(one, i, vector(i)))
		}
		return `{"object":"list","data":[` + strings.Join(all, ",") + `]}`
	}
	kind, body := "application/json", ""
	switch fault {
	case "hangs":
		select {
		case <-r.Context().Done():
		case <-e.done:
		}
		return
	case "closes":
		panic(http.ErrAbortHandler)
	case "html":
		kind, body = "text/html", "<h1>Sign in</h1>"
	case "no JSON":
		body = "certainly! here are your vectors"
	case "cut":
		body = every(func(int) string { return "[0.5, 0.25]" })
		body = body[:len(body)-5]
	case "none":
		body = `{}`
	case "few":
		body = `{"data":[]}`
	case "empty":
		body = every(func(int) string { return "[]" })
	case "zero":
		body = every(func(int) string { return "[0, 0, 0]" })
	case "uneven":
		body = `{"data":[` + fmt.Sprintf(one, 0, "[1, 2]") + `,` + fmt.Sprintf(one, 1, "[1]") + `]}`
	case "text":
		body = every(func(int) string { return `"AACAPw=="` })
	}
	rw.Header().Set("Content-Type", kind)
	_, _ = rw.Write([]byte(body))
}

// same are words that mean the same.
var same = map[string]string{
	"outstanding": "owes", "bill": "invoice", "owe": "owes", "rechnung": "invoice",
}

// toy turns a text into a vector: each word, or the one that it means the same as, points somewhere of its own.
func toy(text string, dims int) []float32 {
	v := make([]float32, dims)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" .,:;", r) }) {
		if slices.Contains([]string{"the", "of", "a", "is", "to", "in", "at", "us"}, word) {
			continue
		}
		if other := same[word]; other != "" {
			word = other
		}
		h := fnv.New64a()
		for i := range dims {
			_, _ = fmt.Fprint(h, word, i)
			if h.Sum64()&(1<<17) != 0 {
				v[i]++
			} else {
				v[i]--
			}
		}
	}
	v[0] += 0.01 // a text without words points somewhere, too
	return v
}
