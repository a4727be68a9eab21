package proxy

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"gatehouse/agentd/llm/profile"
)

// shape is how a model at an endpoint wants to be asked, as far as its refusals have taught. It is about what the proxy adds alone.
type shape struct {
	output  int64  // the limit for a request that names none
	limit   string // the word for it in chat completions; empty: by the endpoint
	noUsage bool   // it does not know stream_options
}

// shapes are known per profile and model. The process that has learned them forgets them at its end: endpoints change.
type shapes struct {
	mu    sync.Mutex
	known map[[2]string]shape
}

func (s *shapes) of(to profile.Candidate) shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.known[[2]string{to.Profile.Name, to.Model}]; ok {
		return known
	}
	return shape{output: usualOutput}
}

// learn takes from a refusal how to ask instead, and says whether that is worth another try.
func (s *shapes) learn(c *call, to profile.Candidate, as shape, no *failed) bool {
	next, ok := as.after(c, to, no)
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[[2]string]shape{}
	}
	s.known[[2]string{to.Profile.Name, to.Model}] = next
	return true
}

// after is the shape once a request of this one was refused for something that the proxy has added.
func (h shape) after(c *call, to profile.Candidate, no *failed) (shape, bool) {
	if no.status != http.StatusBadRequest && no.status != http.StatusUnprocessableEntity {
		return h, false
	}
	says := strings.ToLower(no.says)
	names := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(says, w) })
	}
	word := h.word(c, to)
	switch {
	case no.told && names("stream_options", "include_usage"):
		h.noUsage = true
	case !no.limited:
		return h, false // it is about what the caller wrote
	case word == oldLimit && c.path == "/v1/chat/completions" && names(newLimit):
		h.limit = newLimit
	case word == newLimit && h.limit == "" && names("extra", "unknown", "unrecognized", "unsupported"):
		h.limit = oldLimit
	case h.output/2 >= leastOutput && names(word, "context length", "maximum context", "output tokens", "completion tokens"):
		h.output /= 2
	default:
		return h, false
	}
	return h, true
}

// newWords are the hosts whose models refuse the old word for the limit.
var newWords = []string{"api.openai.com", ".openai.azure.com"}

// word is what a request calls its limit.
func (h shape) word(c *call, to profile.Candidate) string {
	names := namedOutput[c.path]
	switch {
	case len(names) == 0:
		return ""
	case len(names) == 1:
		return names[0]
	case h.limit != "":
		return h.limit
	}
	if u, err := url.Parse(to.Profile.BaseURL); err == nil {
		host := "." + strings.ToLower(u.Hostname())
		if slices.ContainsFunc(newWords, func(w string) bool { return strings.HasSuffix(host, "."+strings.TrimPrefix(w, ".")) }) {
			return newLimit
		}
	}
	return oldLimit
}
