package hook

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"gatehouse/agentd/wire"
)

// Handler answers POST /hooks/{name} for programs on the server itself.
func (h *Hooks) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /hooks/{name}", func(w http.ResponseWriter, r *http.Request) {
		d, err := Read(r, r.PathValue("name"))
		if err != nil {
			http.Error(w, "The delivery could not be read.", http.StatusBadRequest)
			return
		}
		a, err := h.Deliver(r.Context(), d)
		if err != nil {
			h.d.Log.ErrorContext(r.Context(), "delivery not taken", "hook", d.Name, "error", err)
			a = unavailable("This server cannot take it now.", later).HookAnswer
		}
		answer(w, a)
	})
	return mux
}

// Read makes a delivery of a request. Of its headers only wire.HookHeaders are read, and of a body that is too long only the length.
func Read(r *http.Request, name string) (wire.HookDelivery, error) {
	d := wire.HookDelivery{Name: name, Headers: map[string]string{}}
	for _, header := range wire.HookHeaders {
		if v := r.Header.Get(header); v != "" {
			d.Headers[header] = v
		}
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, wire.MaxHookBody+1))
	if err != nil {
		return d, err
	}
	if d.Size = len(body); d.Size <= wire.MaxHookBody {
		d.Body = body
	}
	return d, nil
}

// answer tells a sender what became of a delivery.
func answer(w http.ResponseWriter, a wire.HookAnswer) {
	if a.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(a.RetryAfter))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.Status)
	_ = json.NewEncoder(w).Encode(struct { // the sender may have left
		Verdict wire.HookVerdict `json:"verdict"`
		Reason  string           `json:"reason,omitempty"`
		RunID   string           `json:"run_id,omitempty"`
	}{a.Verdict, a.Reason, a.RunID})
}
