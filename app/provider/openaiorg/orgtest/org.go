package orgtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"time"
)

// What the organization lets in, and where keys are made.
const (
	AdminKey = "sk-admin-standin"
	Project  = "proj_standin"
)

// Org is the organization.
type Org struct {
	URL string // of the API with its version

	mu       sync.Mutex
	n        int
	accounts []Account
	used     map[string]map[int64]Used // by key, then by the beginning of the hour
	fails    []int                     // what the next requests are answered with
	garble   string                    // what usage is answered with
	page     int                       // buckets a page
}

// Account is a service account.
type Account struct{ ID, Name, KeyID, Secret string }

// Used is what a key used within an hour.
type Used struct{ Input, Output, Embedded int64 }

// New starts an organization. Close ends it.
func New() (o *Org, closes func()) {
	o = &Org{used: map[string]map[int64]Used{}, page: 5}
	mux := http.NewServeMux()
	const accounts = "/v1/organization/projects/" + Project + "/service_accounts"
	mux.HandleFunc("POST "+accounts, o.make)
	mux.HandleFunc("GET "+accounts, o.list)
	mux.HandleFunc("DELETE "+accounts+"/{id}", o.end)
	mux.HandleFunc("GET /v1/organization/usage/{kind}", o.usage)
	srv := httptest.NewServer(o.guard(mux))
	o.URL = srv.URL + "/v1"
	return o, srv.Close
}

// Accounts are those that there are.
func (o *Org) Accounts() []Account {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.accounts)
}

// Use counts something for a key.
func (o *Org) Use(keyID string, at time.Time, u Used) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.used[keyID] == nil {
		o.used[keyID] = map[int64]Used{}
	}
	hour := at.UTC().Truncate(time.Hour).Unix()
	was := o.used[keyID][hour]
	o.used[keyID][hour] = Used{was.Input + u.Input, was.Output + u.Output, was.Embedded + u.Embedded}
}

// Fail has the next requests answered with these states.
func (o *Org) Fail(states ...int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fails = append(o.fails, states...)
}

// Garble has usage answered with a text.
func (o *Org) Garble(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.garble = text
}

// guard lets the admin key in, and nobody else.
func (o *Org) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		switch {
		case r.Header.Get("Authorization") != "Bearer "+AdminKey:
			refuse(w, http.StatusUnauthorized, "Incorrect API key provided: "+r.Header.Get("Authorization"))
		case len(o.fails) > 0:
			refuse(w, o.fails[0], "The server had an error.")
			o.fails = o.fails[1:]
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	answer(w, map[string]any{"error": map[string]any{"message": text, "type": "invalid_request_error"}})
}

func answer(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func (o *Org) make(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name string `json:"name"`
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.Name == "" {
		refuse(w, http.StatusBadRequest, "name is required")
		return
	}
	o.n++
	a := Account{
		ID: fmt.Sprintf("svc_acct_%d", o.n), Name: in.Name, KeyID: fmt.Sprintf("key_%d", o.n), Secret: fmt.Sprintf("sk-standin-%d", o.n),
	}
	o.accounts = append(o.accounts, a)
	answer(w, map[string]any{
		"object": "organization.project.service_account", "id": a.ID, "name": a.Name, "role": "member", "created_at": 1,
		"api_key": map[string]any{
			"object": "organization.project.service_account.api_key", "value": a.Secret, "name": "Secret Key",
			"created_at": 1, "id": a.KeyID,
		},
	})
}

func (o *Org) list(w http.ResponseWriter, r *http.Request) {
	from := 1 + slices.IndexFunc(o.accounts, func(a Account) bool { return a.ID == r.URL.Query().Get("after") })
	some := o.accounts[from:]
	more := len(some) > 2
	some = some[:min(2, len(some))]
	data, last := []any{}, ""
	for _, a := range some {
		data = append(data, map[string]any{"object": "organization.project.service_account", "id": a.ID, "name": a.Name, "role": "member"})
		last = a.ID
	}
	answer(w, map[string]any{"object": "list", "data": data, "last_id": last, "has_more": more})
}

func (o *Org) end(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	i := slices.IndexFunc(o.accounts, func(a Account) bool { return a.ID == id })
	if i < 0 {
		refuse(w, http.StatusNotFound, "No such service account")
		return
	}
	o.accounts = slices.Delete(o.accounts, i, i+1)
	answer(w, map[string]any{"object": "organization.project.service_account.deleted", "id": id, "deleted": true})
}

// usage answers the hours of a time in pages, also those in which nothing was used.
func (o *Org) usage(w http.ResponseWriter, r *http.Request) {
	if o.garble != "" {
		_, _ = w.Write([]byte(o.garble))
		return
	}
	q := r.URL.Query()
	from, _ := strconv.ParseInt(q.Get("start_time"), 10, 64)
	to, _ := strconv.ParseInt(q.Get("end_time"), 10, 64)
	if q.Get("bucket_width") != "1h" || from%3600 != 0 || to <= from || q.Get("group_by") != "api_key_id" {
		refuse(w, http.StatusBadRequest, "Invalid parameter")
		return
	}
	if at, err := strconv.ParseInt(q.Get("page"), 10, 64); err == nil {
		from = at
	}
	data := []any{}
	for ; from < to && len(data) < o.page; from += 3600 {
		data = append(data, map[string]any{
			"object": "bucket", "start_time": from, "end_time": from + 3600,
			"results": o.results(r.PathValue("kind"), q["api_key_ids"], from),
		})
	}
	out := map[string]any{"object": "page", "data": data, "has_more": from < to, "next_page": nil}
	if from < to {
		out["next_page"] = strconv.FormatInt(from, 10)
	}
	answer(w, out)
}

func (o *Org) results(kind string, keys []string, hour int64) []any {
	out := []any{}
	for _, key := range keys {
		u, ok := o.used[key][hour]
		switch {
		case ok && kind == "completions" && u.Input+u.Output > 0:
			out = append(out, map[string]any{
				"object": "organization.usage.completions.result", "input_tokens": u.Input, "output_tokens": u.Output,
				"input_cached_tokens": 0, "num_model_requests": 1, "api_key_id": key, "model": nil, "project_id": nil,
			})
		case ok && kind == "embeddings" && u.Embedded > 0:
			out = append(out, map[string]any{
				"object": "organization.usage.embeddings.result", "input_tokens": u.Embedded, "num_model_requests": 1, "api_key_id": key,
			})
		}
	}
	return out
}
