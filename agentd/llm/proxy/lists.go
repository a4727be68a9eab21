package proxy

import (
	"encoding/json"
	"net/http"
	"time"

	"gatehouse/agentd/llm/meter"
)

// models lists what may be asked for, from the settings: no provider is asked.
func (p *Proxy) models(w http.ResponseWriter, r *http.Request) {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
		Type    string `json:"type"`
		Name    string `json:"display_name"`
		At      string `json:"created_at"`
	}
	list := struct {
		Object  string  `json:"object"`
		Data    []model `json:"data"`
		HasMore bool    `json:"has_more"`
	}{Object: "list", Data: []model{}}
	for _, m := range p.opt.Set.Models() {
		list.Data = append(list.Data, model{m, "model", 0, "gatehouse", "model", m, time.Unix(0, 0).UTC().Format(time.RFC3339)})
	}
	write(w, r, list)
}

// Usage is the answer of GET /usage?from=RFC3339.
type Usage struct {
	Items []meter.Entry `json:"items"`
}

func (p *Proxy) usage(w http.ResponseWriter, r *http.Request) {
	from, err := time.Parse(time.RFC3339, r.URL.Query().Get("from"))
	if err != nil {
		fault{http.StatusBadRequest, "from", "from must be a time in RFC 3339."}.write(w, r)
		return
	}
	items, err := p.book.Since(r.Context(), from)
	if err != nil {
		p.opt.Log.Error("usage not read", "error", err)
		fault{http.StatusInternalServerError, "internal", "What was used cannot be read."}.write(w, r)
		return
	}
	write(w, r, Usage{items})
}

func write(w http.ResponseWriter, r *http.Request, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		fault{http.StatusInternalServerError, "internal", "The answer cannot be written."}.write(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // a caller that left wants no answer
}
