package proxy

import (
	"encoding/json"
	"net/http"
	"strings"
)

// fault is an answer that is no answer of a model.
type fault struct {
	status int
	code   string
	says   string // for the caller, without anything of the request
}

// write puts it into the words of the protocol that the path belongs to.
func (f fault) write(w http.ResponseWriter, r *http.Request) {
	refusal{status: f.status, code: f.code, kind: kindOf(f.status), says: f.says}.write(w, protocolOf(r))
}

// refusal is an answer with an error status, the proxy's own or what a provider said.
type refusal struct {
	status int
	kind   string // the protocol's word for its class
	code   string
	says   string
}

func (f refusal) write(w http.ResponseWriter, anthropic bool) {
	var body any = map[string]any{"error": map[string]any{"message": f.says, "type": f.kind, "param": nil, "code": orNull(f.code)}}
	if anthropic {
		body = map[string]any{"type": "error", "error": map[string]any{"type": f.kind, "message": f.says}}
	}
	b, err := json.Marshal(body)
	if err != nil {
		panic("proxy: " + err.Error()) // maps of strings always marshal
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Should-Retry", "false") // the proxy has tried what there was to try
	w.WriteHeader(f.status)
	_, _ = w.Write(b) // a caller that left wants no answer
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// protocolOf says whether a request is in Anthropic's protocol.
func protocolOf(r *http.Request) (anthropic bool) {
	return strings.HasPrefix(r.URL.Path, "/v1/messages") || r.Header.Get("Anthropic-Version") != ""
}

// kindOf is the word for a class of errors; the two protocols share most of them.
func kindOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}
