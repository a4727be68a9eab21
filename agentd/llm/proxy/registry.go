package proxy

import (
	"encoding/json"
	"io"
	"net/http"

	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/scrub"
	"gatehouse/agentd/redact"
)

// Registry is the body of PUT /registry: every secret of the vault, and what the team may use. An empty one is one, too.
type Registry struct {
	Known  []redact.Known `json:"known"`
	Limits budget.Limits  `json:"limits"`
}

const maxRegistry = 16 << 20

// engine is agentd/redact with these secrets.
func engine(known []redact.Known) scrub.Engine {
	e := redact.New()
	e.SetSecrets(known)
	return e
}

// putRegistry learns the secrets, in place of those before. When it answers, every request that begins is free of them.
// One that cannot be read ends those before, too: there is a secret now that they lack.
func (p *Proxy) putRegistry(w http.ResponseWriter, r *http.Request) {
	var in Registry
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRegistry))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		p.ready.Store(nil)
		fault{http.StatusBadRequest, "registry", "The registry cannot be read."}.write(w, r)
		return
	}
	if err := p.ledger.Set(r.Context(), in.Limits); err != nil {
		p.ready.Store(nil)
		p.opt.Log.ErrorContext(r.Context(), "limits not taken over", "error", err)
		fault{http.StatusServiceUnavailable, "limits", "What was used cannot be read, so nothing more is sent."}.write(w, r)
		return
	}
	p.learn(in.Known)
	w.WriteHeader(http.StatusNoContent)
}

// learn puts the secrets in force, the providers' own keys among them. If the engine fails, the one before must not go
// on: it lacks what is new.
func (p *Proxy) learn(known []redact.Known) {
	whole := false
	defer func() {
		if !whole {
			p.ready.Store(nil)
		}
	}()
	for name, key := range p.opt.Keys {
		if key != "" {
			known = append(known, redact.Known{Name: "model." + name, Value: key})
		}
	}
	longest := 0
	for _, k := range known {
		longest = max(longest, len(k.Value))
	}
	p.ready.Store(scrub.New(p.opt.Engine(known), longest))
	whole = true
	p.opt.Log.Info("registry of secrets taken over", "secrets", len(known))
}

// alive is open for as long as the proxy is: whoever reads it knows at once when it ends.
func (p *Proxy) alive(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, "alive\n") // a reader that left wants to know nothing
	_ = http.NewResponseController(w).Flush()
	select {
	case <-p.ends.Done():
	case <-r.Context().Done():
	}
}
