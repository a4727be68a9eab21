package openai_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/openai"
)

// TestStream_usage: what an endpoint says that it used is taken only as far as it can be: budgets count with it.
func TestStream_usage(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]llm.Usage{
		`{"prompt_tokens":7,"completion_tokens":-1000000,"total_tokens":7}`:                                                {Input: 7},
		`{"prompt_tokens":-7,"completion_tokens":3,"total_tokens":3}`:                                                      {Output: 3},
		`{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807,"total_tokens":9223372036854775807}`: {Input: 1 << 30, Output: 1 << 30},
		`{"prompt_tokens":1e30,"completion_tokens":3,"total_tokens":3}`:                                                    {Output: 3},
	} {
		r, err := llm.Ask(t.Context(), endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
			stream(w, `{"choices":[{"index":0,"delta":{"content":"Half full."},"finish_reason":"stop"}],"usage":`+said+`}`, "[DONE]")
		}), question, func(string) {})
		if err != nil || r.Usage != want {
			t.Errorf("%s: %+v, %v", said, r.Usage, err)
		}
	}
}

// TestStream_noEnd: what an endpoint can make agentd hold is bounded, wherever in an answer it puts it.
func TestStream_noEnd(t *testing.T) {
	t.Parallel()
	part := strings.Repeat("x", 64<<10)
	const most = 48 << 20 // bytes that are taken until it is left, with what is on its way
	for what, c := range map[string]struct{ kind, piece string }{
		"an event":          {"text/event-stream", "data: " + part + "\n"},
		"a line":            {"text/event-stream", part},
		"an event, by CRLF": {"text/event-stream", "data: " + part + "\r\n"},
		"names":             {"text/event-stream", "data: " + chunk(`{"tool_calls":[{"index":0,"function":{"name":"`+part+`"}}]}`, "") + "\n\n"},
		"no stream":         {"application/json", part},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			sent := make(chan int, 1)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				if c.kind != "text/event-stream" {
					w.WriteHeader(http.StatusInternalServerError)
				}
				n := 0
				for n < 2*most {
					m, err := io.WriteString(w, c.piece)
					if n += m; err != nil {
						break
					}
				}
				sent <- n
			}))
			t.Cleanup(srv.Close)
			p, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = llm.Ask(t.Context(), p, question, func(string) {})
			var known *llm.Error
			if n := <-sent; n > most || !errors.As(err, &known) || known.Kind != llm.BadResponse {
				t.Errorf("%d MB were taken, %v", n>>20, err)
			}
		})
	}
}
