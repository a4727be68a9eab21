package proxy

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"gatehouse/agentd/wire"
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

// Usage is the answer of GET /usage?after=REVISION: rows that changed after that, at most wire.MaxUsageRows. With day=RFC3339 only
// those of that day, UTC.
type Usage struct {
	Items []wire.UsageRow `json:"items"`
}

func (p *Proxy) usage(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	if err != nil {
		fault{http.StatusBadRequest, "after", "after must be a number."}.write(w, r)
		return
	}
	items, err := p.rows(r, after)
	if err != nil {
		p.unread(w, r, err)
		return
	}
	write(w, r, Usage{items})
}

func (p *Proxy) rows(r *http.Request, after int64) ([]wire.UsageRow, error) {
	named := r.URL.Query().Get("day")
	if named == "" {
		return p.book.Changed(r.Context(), after, wire.MaxUsageRows)
	}
	day, err := time.Parse(time.RFC3339, named)
	if err != nil {
		return nil, err
	}
	return p.book.OfDay(r.Context(), day, after, wire.MaxUsageRows)
}

// Sums is the answer of GET /usage/sums?from=RFC3339&to=RFC3339.
type Sums struct {
	Items []wire.UsageSum `json:"items"`
}

func (p *Proxy) sums(w http.ResponseWriter, r *http.Request) {
	from, err1 := time.Parse(time.RFC3339, r.URL.Query().Get("from"))
	to, err2 := time.Parse(time.RFC3339, r.URL.Query().Get("to"))
	if errors.Join(err1, err2) != nil {
		fault{http.StatusBadRequest, "from_to", "from and to must be times in RFC 3339."}.write(w, r)
		return
	}
	items, err := p.book.Sums(r.Context(), from, to)
	if err != nil {
		p.unread(w, r, err)
		return
	}
	write(w, r, Sums{items})
}

// RunUses is the answer of GET /usage/run?run=ID.
type RunUses struct {
	Items []wire.RunUse `json:"items"`
}

func (p *Proxy) ofRun(w http.ResponseWriter, r *http.Request) {
	items, err := p.book.OfRun(r.Context(), r.URL.Query().Get("run"))
	if err != nil {
		p.unread(w, r, err)
		return
	}
	write(w, r, RunUses{items})
}

func (p *Proxy) unread(w http.ResponseWriter, r *http.Request, err error) {
	p.opt.Log.ErrorContext(r.Context(), "usage not read", "error", err)
	fault{http.StatusInternalServerError, "internal", "What was used cannot be read."}.write(w, r)
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
