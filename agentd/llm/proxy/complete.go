package proxy

import (
	"errors"
	"net/http"
	"regexp"

	"github.com/google/uuid"

	"gatehouse/agentd/llm/jsontree"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/scrub"
)

// endpoint is one thing that models can be asked.
type endpoint struct {
	path     string // here
	protocol profile.Protocol
	upstream string // behind a profile's base URL
	free     bool   // it costs no tokens
}

// embeddings is the path at which texts become vectors.
const embeddings = "/v1/embeddings"

var endpoints = []endpoint{
	{"/v1/chat/completions", profile.OpenAI, "/chat/completions", false},
	{"/v1/responses", profile.OpenAI, "/responses", false},
	{embeddings, profile.OpenAI, "/embeddings", false},
	{"/v1/messages", profile.Anthropic, "/v1/messages", false},
	{"/v1/messages/count_tokens", profile.Anthropic, "/v1/messages/count_tokens", true},
}

// call is a request that was checked: what stands in it may leave.
type call struct {
	endpoint
	agent      string
	parent     string // for which a sub-agent asks
	run        string // the root run that it is for
	root       *jsontree.Value
	header     http.Header
	stream     bool
	beta       bool
	candidates []profile.Candidate
}

// complete answers a request to a model.
func (p *Proxy) complete(w http.ResponseWriter, r *http.Request, e endpoint) {
	c, no := p.check(w, r, e)
	if no != nil {
		if no.code == notReady {
			w.Header().Set(NotReadyHeader, "1")
		}
		no.write(w, r)
		return
	}
	p.forward(w, r, c)
}

const notReady = "not_ready"

// check reads a request and takes the secrets out. Without a registry nothing can be checked.
func (p *Proxy) check(w http.ResponseWriter, r *http.Request, e endpoint) (*call, *fault) {
	s := p.ready.Load()
	if s == nil {
		return nil, &fault{http.StatusServiceUnavailable, notReady, "The model proxy does not know this server's secrets yet, so it sends nothing."}
	}
	root, no := read(w, r)
	if no != nil {
		return nil, no
	}
	c := &call{endpoint: e, agent: agentOf(r), parent: parentOf(r), run: runOf(r), root: root, beta: r.URL.RawQuery != ""}
	if no = c.countable(); no != nil {
		return nil, no
	}
	if c.header, no = headers(r, s.Text); no != nil {
		return nil, no
	}
	if c.candidates = p.candidates(e, root.Str("model")); len(c.candidates) == 0 {
		return nil, &fault{http.StatusNotFound, "model_not_found", "No profile of this server has this model; only models that its operator listed are asked."}
	}
	if v := root.Get("stream"); v != nil {
		c.stream = v.Kind == jsontree.True
	}
	return c, p.clean(s, c)
}

// candidates are the ways to answer a request for a model.
func (p *Proxy) candidates(e endpoint, model string) []profile.Candidate {
	if e.path == embeddings {
		return p.opt.Set.Embedders(model)
	}
	return p.opt.Set.Candidates(e.protocol, model)
}

// clean takes the secrets out of the request. The name of the model is put in later, from the settings.
func (p *Proxy) clean(s *scrub.Scrubber, c *call) *fault {
	found, err := s.Clean(c.root)
	if errors.Is(err, scrub.ErrRefused) {
		return &fault{http.StatusBadRequest, "cannot_be_checked", "The request was not sent: " + err.Error() + "."}
	}
	if err != nil {
		return &fault{http.StatusInternalServerError, "internal", "The request could not be checked, so it was not sent."}
	}
	if found > 0 {
		p.opt.Log.Info("secrets taken out of a request", "agent", c.agent, "path", c.path, "secrets", found)
	}
	return nil
}

var agentName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// agentOf is who the caller says that it asks for; other programs say nothing.
func agentOf(r *http.Request) string {
	if name := r.Header.Get(AgentHeader); agentName.MatchString(name) {
		return name
	}
	return "-"
}

// parentOf is for which agent a sub-agent asks.
func parentOf(r *http.Request) string {
	if name := r.Header.Get(ParentHeader); agentName.MatchString(name) {
		return name
	}
	return ""
}

// runOf is for which root run is asked.
func runOf(r *http.Request) string {
	if id, err := uuid.Parse(r.Header.Get(RunHeader)); err == nil {
		return id.String()
	}
	return ""
}
