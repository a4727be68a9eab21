package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"gatehouse/agentd/llm"
)

// mustBe refuses a success of another media type than was asked for: a proxy's log-in page, or an endpoint that does not stream.
func mustBe(res *http.Response, want string) error {
	if res.StatusCode != http.StatusOK {
		return nil // the SDK reads errors
	}
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err == nil && kind == want {
		return nil
	}
	if kind == "" {
		kind = "something without a type"
	}
	return &llm.Error{Kind: llm.BadResponse, Status: res.StatusCode, Detail: "the endpoint sent " + kind + " instead of " + wanted[want]}
}

// wanted are the words for a media type.
var wanted = map[string]string{"application/json": "JSON", "text/event-stream": "a stream"}

// failure says what err means. ctx is the request's own: its cause is the watcher's when time ran out.
func failure(ctx context.Context, err error) error {
	var known *llm.Error
	if errors.As(context.Cause(ctx), &known) || errors.As(err, &known) {
		return known
	}
	var api *sdk.Error
	if errors.As(err, &api) {
		return refusal(api)
	}
	var inStream *ssestream.StreamError
	if errors.As(err, &inStream) {
		return fault(inStream.Event.Data)
	}
	return broken(err)
}

// broken is a failure below the protocol: no connection, or a body that is not what it should be.
func broken(err error) *llm.Error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) || strings.Contains(err.Error(), "unexpected end of JSON") {
		return &llm.Error{Kind: llm.BadResponse, Detail: "a piece of the answer is not JSON", Err: err}
	}
	return &llm.Error{Kind: llm.Unavailable, Detail: "the connection to the endpoint failed", Err: err}
}

// refusal is an answer with an error status.
func refusal(e *sdk.Error) *llm.Error {
	out := &llm.Error{Kind: kindOf(e.StatusCode), Status: e.StatusCode, Detail: fmt.Sprintf("HTTP %d", e.StatusCode), Err: e}
	if e.Response != nil {
		out.RetryAfter = retryAfter(e.Response.Header)
	}
	if e.Code == llm.BudgetCode {
		out.Kind, out.Detail = llm.Budget, line(e.Message, out.Detail)
	}
	if out.Kind == llm.Rejected {
		if tooLong(e.Code, e.Message) {
			out.Kind = llm.Context
		}
		out.Detail = line(e.Message, out.Detail)
	}
	return out
}

func kindOf(status int) llm.Kind {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return llm.Auth
	case status == http.StatusTooManyRequests || status == http.StatusPaymentRequired:
		return llm.Rate
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		return llm.Timeout
	case status >= 500:
		return llm.Unavailable
	case status >= 400:
		return llm.Rejected
	}
	return llm.BadResponse
}

// fault is an error that arrives inside a stream that began well.
func fault(data []byte) *llm.Error {
	var body struct {
		Error struct {
			Message string          `json:"message"`
			Code    json.RawMessage `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return &llm.Error{Kind: llm.Unavailable, Detail: "the endpoint reported a fault in the middle of its answer", Err: err}
	}
	code := strings.Trim(string(body.Error.Code), `"`)
	if tooLong(code, body.Error.Message) {
		return &llm.Error{Kind: llm.Context, Detail: line(body.Error.Message, "too long")}
	}
	if status, err := strconv.Atoi(code); err == nil && status >= 400 {
		return &llm.Error{Kind: kindOf(status), Status: status, Detail: fmt.Sprintf("HTTP %d within the answer", status)}
	}
	return &llm.Error{Kind: llm.Unavailable, Detail: "the endpoint reported a fault in the middle of its answer"}
}

func tooLong(code, message string) bool {
	m := strings.ToLower(message)
	return code == "context_length_exceeded" || strings.Contains(m, "context length") ||
		strings.Contains(m, "maximum context") || strings.Contains(m, "prompt is too long") || strings.Contains(m, "context window")
}

func retryAfter(h http.Header) time.Duration {
	s, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || s < 0 {
		return 0
	}
	return min(time.Duration(s)*time.Second, 24*time.Hour)
}

// line is the first line of what an endpoint said, cut to what fits on a page.
func line(s, otherwise string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if s == "" {
		return otherwise
	}
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
