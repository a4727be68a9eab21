package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/openai"
	"gatehouse/agentd/tool"
)

// endpoint is a chat completions server whose answer is a script.
func endpoint(t *testing.T, answer http.HandlerFunc) *openai.Provider {
	t.Helper()
	return within(t, patient, answer)
}

// patient are limits that no answer of these tests comes near, however busy the machine.
var patient = llm.Limits{FirstByte: time.Minute, Stall: time.Minute}

func within(t *testing.T, limits llm.Limits, answer http.HandlerFunc) *openai.Provider {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body) // net/http notices a closed connection only once the body was read
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(b))
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return provider(t, s.URL+"/v1", limits)
}

func provider(t *testing.T, url string, limits llm.Limits) *openai.Provider {
	t.Helper()
	p, err := openai.New(openai.Config{BaseURL: url, Model: "test-model", Key: "k-123", Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func stream(w http.ResponseWriter, chunks ...string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, c := range chunks {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", c)
		w.(http.Flusher).Flush()
	}
}

func chunk(delta, finish string) string {
	reason := "null"
	if finish != "" {
		reason = `"` + finish + `"`
	}
	return `{"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + reason + `}]}`
}

var question = llm.Request{
	Messages: []llm.Message{
		{Role: llm.System, Text: "be brief"},
		{Role: llm.User, Text: "how full?"},
		{Role: llm.Assistant, Text: "looking", Calls: []llm.Call{{ID: "a", Name: "shell", Args: `{"command":"df"}`}, {ID: "b", Name: "shell", Args: `{"comm`}}},
		{Role: llm.ToolReply, Text: "40%", CallID: "a"},
		{Role: llm.ToolReply, Text: "not JSON", CallID: "b"},
	},
	Tools: []tool.Definition{{Name: "shell", Doc: "run", Args: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)}},
}

func TestStream_textCallsUsage(t *testing.T) {
	t.Parallel()
	p := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		stream(w,
			chunk(`{"role":"assistant","content":"Let "}`, ""), chunk(`{"content":"me see."}`, ""),
			chunk(`{"tool_calls":[{"index":0,"id":"x1","type":"function","function":{"name":"shell","arguments":""}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"command\":"}}]}`, ""),
			chunk(`{"tool_calls":[{"index":1,"id":"x2","type":"function","function":{"name":"file_read","arguments":"{\"path\":\"a\"}"}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"\"df\"}"}}]}`, ""),
			chunk(`{}`, "tool_calls"),
			`{"id":"c1","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`,
			"[DONE]")
	})
	var pieces []string
	r, err := llm.Ask(t.Context(), p, question, func(s string) { pieces = append(pieces, s) })
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(pieces, "|"); got != "Let |me see." || r.Text != "Let me see." {
		t.Errorf("pieces %q, text %q", got, r.Text)
	}
	want := []llm.Call{{ID: "x1", Name: "shell", Args: `{"command":"df"}`}, {ID: "x2", Name: "file_read", Args: `{"path":"a"}`}}
	if len(r.Calls) != 2 || r.Calls[0] != want[0] || r.Calls[1] != want[1] {
		t.Errorf("calls %+v", r.Calls)
	}
	if r.Usage != (llm.Usage{Input: 11, Output: 7}) {
		t.Errorf("usage %+v", r.Usage)
	}
}

func TestStream_request(t *testing.T) {
	t.Parallel()
	var body map[string]any
	var path, auth string
	p := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		path, auth = r.URL.Path, r.Header.Get("Authorization")
		b, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(b, &body); err != nil {
			t.Error(err)
		}
		stream(w, chunk(`{"content":"ok"}`, "stop"), "[DONE]")
	})
	if _, err := llm.Ask(t.Context(), p, question, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if path != "/v1/chat/completions" || auth != "Bearer k-123" {
		t.Errorf("path %q, auth %q", path, auth)
	}
	if body["model"] != "test-model" || body["stream"] != true {
		t.Errorf("body %v", body)
	}
	if opts, _ := body["stream_options"].(map[string]any); opts["include_usage"] != true {
		t.Errorf("no usage asked for: %v", body["stream_options"])
	}
	messages := body["messages"].([]any)
	calls := messages[2].(map[string]any)["tool_calls"].([]any)
	broken := calls[1].(map[string]any)["function"].(map[string]any)["arguments"].(string)
	if !json.Valid([]byte(broken)) || !strings.Contains(broken, "comm") {
		t.Errorf("broken arguments went out as %q", broken)
	}
}

// A model may write arguments that are not JSON. They are handed on whole, for the gate to judge.
func TestStream_malformedArguments(t *testing.T) {
	t.Parallel()
	p := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		stream(w, chunk(`{"tool_calls":[{"index":0,"function":{"name":"shell","arguments":"{\"command\": df"}}]}`, "tool_calls"), "[DONE]")
	})
	r, err := llm.Ask(t.Context(), p, question, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Calls) != 1 || r.Calls[0].Args != `{"command": df` || r.Calls[0].ID == "" {
		t.Errorf("calls %+v", r.Calls)
	}
}

// Some endpoints number every call 0.
func TestStream_callsWithoutIndex(t *testing.T) {
	t.Parallel()
	p := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		stream(w,
			chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"two","arguments":"{}"}}]}`, "tool_calls"), "[DONE]")
	})
	r, err := llm.Ask(t.Context(), p, question, func(string) {})
	if err != nil || len(r.Calls) != 2 || r.Calls[1].Name != "two" {
		t.Errorf("calls %+v, err %v", r.Calls, err)
	}
}

func TestStream_misbehaviour(t *testing.T) {
	t.Parallel()
	status := func(code int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	chunks := func(c ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { stream(w, c...) }
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   llm.Kind
		detail string
	}{
		"key refused":         {status(401, "application/json", `{"error":{"message":"bad key k-123"}}`), llm.Auth, "HTTP 401"},
		"account dry":         {status(402, "application/json", `{"error":{"message":"pay"}}`), llm.Rate, "HTTP 402"},
		"too many":            {status(429, "application/json", `{"error":{"message":"slow"}}`), llm.Rate, "HTTP 429"},
		"too long":            {status(400, "application/json", `{"error":{"message":"too long","code":"context_length_exceeded"}}`), llm.Context, "too long"},
		"no such model":       {status(404, "application/json", `{"error":{"message":"model 'x' not found"}}`), llm.Rejected, "model 'x' not found"},
		"server fault":        {status(500, "text/html", `<h1>Oops</h1>`), llm.Unavailable, "HTTP 500"},
		"gateway":             {status(504, "text/html", `<h1>Oops</h1>`), llm.Timeout, "HTTP 504"},
		"log-in page":         {status(200, "text/html", `<h1>Please sign in</h1>`), llm.BadResponse, "text/html"},
		"whole JSON":          {status(200, "application/json", `{"choices":[]}`), llm.BadResponse, "application/json"},
		"garbage in stream":   {chunks("{]"), llm.BadResponse, "not JSON"},
		"empty stream":        {chunks("[DONE]"), llm.BadResponse, "broke off"},
		"empty answer":        {chunks(chunk(`{}`, "stop"), "[DONE]"), llm.BadResponse, "empty"},
		"cut in text":         {chunks(chunk(`{"content":"I wi"}`, "")), llm.BadResponse, "broke off"},
		"cut in a call":       {chunks(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"file_delete","arguments":"{\"path\":\"tmp"}}]}`, "")), llm.BadResponse, "broke off"},
		"length in a call":    {chunks(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"file_delete","arguments":"{\"path\":\"tmp"}}]}`, "length")), llm.BadResponse, "length limit"},
		"filtered":            {chunks(chunk(`{"content":"I"}`, "content_filter")), llm.Rejected, "filter"},
		"fault within stream": {chunks(chunk(`{"content":"I"}`, ""), `{"error":{"message":"overloaded","code":529}}`), llm.Unavailable, "HTTP 529"},
		"limit within stream": {chunks(`{"error":{"message":"maximum context reached","code":"x"}}`), llm.Context, "maximum context"},
		"connection cut": {func(w http.ResponseWriter, _ *http.Request) {
			stream(w, chunk(`{"content":"I"}`, ""))
			panic(http.ErrAbortHandler)
		}, llm.Unavailable, "connection"},
		"endless text": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				stream(w, chunk(`{"content":"`+strings.Repeat("x", 60<<10)+`"}`, ""))
			}
		}, llm.BadResponse, "larger"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := llm.Ask(t.Context(), endpoint(t, c.answer), question, func(string) {})
			var known *llm.Error
			if !errors.As(err, &known) || known.Kind != c.want || !strings.Contains(known.Detail, c.detail) {
				t.Fatalf("got %v, want %s with %q", err, c.want, c.detail)
			}
			if len(r.Calls) != 0 {
				t.Errorf("a failed answer holds calls: %+v", r.Calls)
			}
			if strings.Contains(err.Error(), "k-123") {
				t.Errorf("the key stands in the error: %v", err)
			}
			if known.Kind == llm.Rate && known.RetryAfter != 7*time.Second {
				t.Errorf("retry after %v", known.RetryAfter)
			}
		})
	}
}

func TestStream_refusedConnection(t *testing.T) {
	t.Parallel()
	_, err := llm.Ask(t.Context(), provider(t, "http://127.0.0.1:1", patient), question, func(string) {})
	var known *llm.Error
	if !errors.As(err, &known) || known.Kind != llm.Unavailable {
		t.Fatalf("got %v", err)
	}
}

func TestStream_silence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before []string
		limits llm.Limits
		detail string
	}{
		"from the start": {nil, llm.Limits{FirstByte: 200 * time.Millisecond, Stall: time.Minute}, "no answer within"},
		"in the middle":  {[]string{chunk(`{"content":"I"}`, "")}, llm.Limits{FirstByte: time.Minute, Stall: 200 * time.Millisecond}, "stood still"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := within(t, c.limits, func(w http.ResponseWriter, r *http.Request) {
				if len(c.before) > 0 {
					stream(w, c.before...)
				}
				<-r.Context().Done()
			})
			_, err := llm.Ask(t.Context(), p, question, func(string) {})
			var known *llm.Error
			if !errors.As(err, &known) || known.Kind != llm.Timeout || !strings.Contains(known.Detail, c.detail) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

// Comments are a sign of life: they keep a slow answer open beyond the stall limit. The clock is that of the bubble, which
// stands still while anything is at work.
func TestStream_commentsKeepAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var e thinks
		defer e.Wait()
		p, err := openai.New(openai.Config{
			BaseURL: "http://bubble.example.com/v1", Model: "test-model", Transport: &e,
			Limits: llm.Limits{FirstByte: time.Minute, Stall: 2 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		r, err := llm.Ask(t.Context(), p, question, func(string) {})
		if took := time.Since(begun); err != nil || r.Text != "42" || took <= 2*time.Second {
			t.Fatalf("%q after %s, %v", r.Text, took, err)
		}
	})
}

// thinks answers without a network: a bubble cannot wait for one.
type thinks struct{ sync.WaitGroup }

func (e *thinks) RoundTrip(r *http.Request) (*http.Response, error) {
	body, w := io.Pipe()
	context.AfterFunc(r.Context(), func() { _ = w.CloseWithError(context.Cause(r.Context())) })
	e.Go(func() {
		for range 8 { // 2.4 s
			time.Sleep(300 * time.Millisecond)
			_, _ = io.WriteString(w, ": thinking\n\n")
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk(`{"content":"42"}`, "stop"))
		_ = w.Close()
	})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, Request: r}, nil
}

func TestStream_cancel(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	p := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		stream(w, chunk(`{"content":"I"}`, ""))
		<-r.Context().Done()
		close(gone)
	})
	why := errors.New("stopped by the owner")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := llm.Ask(ctx, p, question, func(string) { cancel(why) })
	if !errors.Is(err, why) { // not that of an endpoint which went silent
		t.Fatalf("got %v", err)
	}
	<-gone // the endpoint noticed, too
}

func TestNew_refusesBadConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []openai.Config{{BaseURL: "", Model: "m"}, {BaseURL: "ftp://x", Model: "m"}, {BaseURL: "http://x", Model: ""}} {
		if _, err := openai.New(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}

// TestStream_oddKinds: what an endpoint puts in place of a text, beside the protocol, is passed over; the texts count.
func TestStream_oddKinds(t *testing.T) {
	t.Parallel()
	r, err := llm.Ask(t.Context(), endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		stream(w,
			`{"choices":[],"usage":null}`,
			chunk(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}]}`, ""),
			chunk(`{"content":null,"refusal":null,"tool_calls":null}`, ""),
			chunk(`{"content":"Half full."}`, ""),
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,"prompt_tokens_details":{"cached_tokens":1}}}`,
			"[DONE]")
	}), question, func(string) {})
	if err != nil || r.Text != "Half full." || r.Usage != (llm.Usage{Input: 7, Output: 3}) {
		t.Errorf("got %+v, %v", r, err)
	}
	_, err = llm.Ask(t.Context(), endpoint(t, func(w http.ResponseWriter, _ *http.Request) { stream(w, `["no object"]`, "[DONE]") }), question, func(string) {})
	var known *llm.Error
	if !errors.As(err, &known) || known.Kind != llm.BadResponse {
		t.Errorf("a piece that is no object gave %v", err)
	}
}
