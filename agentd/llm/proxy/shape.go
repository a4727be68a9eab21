package proxy

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"gatehouse/agentd/llm/profile"
)

// shape is how a model at an endpoint wants to be asked, as far as its answers have taught. It is about what the proxy adds alone.
type shape struct {
	output  int64  // the limit for a request that names none
	limit   string // the word for it in chat completions; empty: by the endpoint
	noUsage bool   // it does not know stream_options

	tookLimit, tookUsage bool // it has answered with the limit, with the wish to hear the usage: a refusal is about something else
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

// learn keeps a shape that was answered. Others may have learned something else meanwhile.
func (s *shapes) learn(to profile.Candidate, h shape) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := [2]string{to.Profile.Name, to.Model}
	if known, ok := s.known[key]; ok {
		h.output = min(h.output, known.output)
		h.noUsage = h.noUsage || known.noUsage
		h.tookLimit, h.tookUsage = h.tookLimit || known.tookLimit, h.tookUsage || known.tookUsage
		if h.limit == "" {
			h.limit = known.limit
		}
	}
	if s.known == nil {
		s.known = map[[2]string]shape{}
	}
	s.known[key] = h
}

// attempt is how one request is asked. Its shape is worth keeping once it was answered; the rest is about this request alone.
type attempt struct {
	shape
	once    int64 // a limit below the shape's; 0: none
	lowered int   // how often the limit became lower because the request was too long
	guessed bool  // the refusal before did not say what is wrong
}

// mostLowered is how often a request that is too long is sent with a lower limit: no limit helps one that is too long by itself.
const mostLowered = 2

// output is the limit for a request that names none.
func (a attempt) output() int64 {
	if a.once > 0 {
		return a.once
	}
	return a.shape.output
}

// tooLong are words by which endpoints say that request and answer together are too long for the model.
var tooLong = []string{
	"context length", "context limit", "context window", "context size", "context_length", "maximum context",
	"prompt is too long", "input is too long",
}

// next is how to ask a request again that was refused, and whether that is worth it: for something that the proxy has added alone.
func (a attempt) next(c *call, to profile.Candidate, no *failed) (attempt, bool) {
	if a.guessed || no.limited == 0 && !no.told || no.status != http.StatusBadRequest && no.status != http.StatusUnprocessableEntity {
		return a, false
	}
	says := strings.ToLower(string(no.raw)) // the forms of errors are many, and words count in each of them
	names := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(says, w) })
	}
	word := a.word(c, to)
	switch {
	case no.told && names("stream_options", "include_usage"):
		a.noUsage = true
	case names(tooLong...):
		a.lowered++
		a.once = max(no.limited/4, leastOutput)
		return a, a.lowered <= mostLowered && a.once < no.limited
	case no.limited == 0:
		return a.guess(no)
	case word == oldLimit && c.path == "/v1/chat/completions" && names(newLimit):
		a.limit = newLimit
	case word == newLimit && a.limit == "" && names("extra", "unknown", "unrecognized", "unsupported"):
		a.limit = oldLimit
	case !names(word, "output tokens", "completion tokens"):
		return a.guess(no)
	case no.limited/2 >= leastOutput:
		a.shape.output, a.once = no.limited/2, 0
	default:
		return a, false
	}
	return a, true
}

// guess adds less, once, where nothing says what is wrong and the model has never answered with what was added.
func (a attempt) guess(no *failed) (attempt, bool) {
	a.guessed = true
	switch {
	case no.told && !a.tookUsage:
		a.noUsage = true
	case no.limited > leastOutput && !a.tookLimit:
		a.once = max(no.limited/4, leastOutput)
	default:
		return a, false
	}
	return a, true
}

// answered is the shape to keep once the attempt was answered.
func (a attempt) answered(limited int64, told bool) shape {
	if limited == a.shape.output {
		a.tookLimit = true
	} else {
		a.shape.output = usualOutput // a lower one is not shown to be of any use
	}
	a.tookUsage = a.tookUsage || told
	return a.shape
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
