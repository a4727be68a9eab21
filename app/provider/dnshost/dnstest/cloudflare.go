package dnstest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// Token is the token that Cloudflare takes.
const Token = "cf-test-token-of-a-zone"

// maxPage is how many records a page holds at most: few, so that short lists have several pages.
const maxPage = 3

// Cloudflare answers as its API v4 is published: its envelope, pages, filters and codes of errors.
type Cloudflare struct {
	*httptest.Server
	mu      sync.Mutex
	zones   map[string]string // id by name
	records []cfRecord
}

type cfRecord struct {
	ID      string `json:"id"`
	ZoneID  string `json:"zone_id"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Content string `json:"content"`
	TTL     int    `json:"ttl"`
	Proxied bool   `json:"proxied"`
}

type cfError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// NewCloudflare starts one that has zones.
func NewCloudflare(zones ...string) *Cloudflare {
	c := &Cloudflare{zones: map[string]string{}}
	for _, z := range zones {
		c.zones[z] = strings.ReplaceAll(uuid.NewString(), "-", "")
	}
	m := http.NewServeMux()
	m.HandleFunc("GET /client/v4/zones", c.listZones)
	m.HandleFunc("GET /client/v4/zones/{zone}/dns_records", c.list)
	m.HandleFunc("POST /client/v4/zones/{zone}/dns_records", c.create)
	m.HandleFunc("DELETE /client/v4/zones/{zone}/dns_records/{id}", c.remove)
	c.Server = httptest.NewServer(c.signed(m))
	return c
}

// Put makes a record past the API, as somebody in the dashboard does.
func (c *Cloudflare) Put(zone, name, kind, content string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records = append(c.records, cfRecord{ID: uuid.NewString(), ZoneID: c.zones[zone], Type: kind, Name: name, Content: content, TTL: 1})
}

// All lists the records of a zone, each as NAME TYPE VALUE.
func (c *Cloudflare) All(zone string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, r := range c.records {
		if r.ZoneID == c.zones[zone] {
			all = append(all, r.Name+" "+r.Type+" "+r.Content)
		}
	}
	slices.Sort(all)
	return all
}

func refuse(w http.ResponseWriter, status, code int, message string) {
	write(w, status, map[string]any{"success": false, "errors": []cfError{{code, message}}, "messages": []any{}, "result": nil})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// signed lets in whoever has the token.
func (c *Cloudflare) signed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !ok || strings.ContainsAny(token, " \t"):
			refuse(w, http.StatusBadRequest, 6003, "Invalid request headers")
		case token != Token:
			refuse(w, http.StatusForbidden, 9109, "Invalid access token")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (c *Cloudflare) listZones(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	result := []map[string]any{}
	for name, id := range c.zones {
		if want := r.URL.Query().Get("name"); want == "" || want == name {
			result = append(result, map[string]any{"id": id, "name": name, "status": "active"})
		}
	}
	write(w, http.StatusOK, page(result, r, 50))
}

// page is one page of a list in the envelope.
func page[T any](all []T, r *http.Request, most int) map[string]any {
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	if size < 1 || size > most {
		size = most
	}
	number = max(number, 1)
	from := min((number-1)*size, len(all))
	some := all[from:min(from+size, len(all))]
	return map[string]any{
		"success": true, "errors": []cfError{}, "messages": []any{}, "result": some,
		"result_info": map[string]int{
			"page": number, "per_page": size, "count": len(some), "total_count": len(all), "total_pages": (len(all) + size - 1) / size,
		},
	}
}

// zone says which zone a call is about; unknown ones are refused.
func (c *Cloudflare) zone(w http.ResponseWriter, r *http.Request) (name, id string, ok bool) {
	for name, id := range c.zones {
		if id == r.PathValue("zone") {
			return name, id, true
		}
	}
	refuse(w, http.StatusNotFound, 7003, "Could not route to /zones/"+r.PathValue("zone")+", perhaps your object identifier is invalid?")
	return "", "", false
}

func (c *Cloudflare) list(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, id, ok := c.zone(w, r)
	if !ok {
		return
	}
	q := r.URL.Query()
	fits := func(rec cfRecord) bool {
		for filter, ok := range map[string]bool{
			"type": rec.Type == q.Get("type"), "name": rec.Name == q.Get("name"), "name.exact": rec.Name == q.Get("name.exact"),
			"name.endswith": strings.HasSuffix(rec.Name, q.Get("name.endswith")), "content.exact": rec.Content == q.Get("content.exact"),
		} {
			if q.Has(filter) && !ok {
				return false
			}
		}
		return rec.ZoneID == id
	}
	found := []cfRecord{}
	for _, rec := range c.records {
		if fits(rec) {
			found = append(found, rec)
		}
	}
	write(w, http.StatusOK, page(found, r, maxPage))
}

func (c *Cloudflare) create(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	zone, id, ok := c.zone(w, r)
	if !ok {
		return
	}
	var rec cfRecord
	if err := json.NewDecoder(r.Body).Decode(&rec); err != nil {
		refuse(w, http.StatusBadRequest, 9207, "Request body is invalid.")
		return
	}
	rec.Name = strings.ToLower(rec.Name)
	if rec.Name != zone && !strings.HasSuffix(rec.Name, "."+zone) {
		rec.Name += "." + zone
	}
	if rec.TTL != 1 && (rec.TTL < 60 || rec.TTL > 86400) {
		refuse(w, http.StatusBadRequest, 9021, "Invalid TTL. Must be between 60 and 86400 seconds, or 1 for Automatic.")
		return
	}
	if code, message := c.clash(id, rec); code != 0 {
		refuse(w, http.StatusBadRequest, code, message)
		return
	}
	rec.ID, rec.ZoneID = strings.ReplaceAll(uuid.NewString(), "-", ""), id
	c.records = append(c.records, rec)
	write(w, http.StatusOK, map[string]any{"success": true, "errors": []cfError{}, "messages": []any{}, "result": rec})
}

// clash is why a record cannot stand beside those that are there.
func (c *Cloudflare) clash(zone string, rec cfRecord) (code int, message string) {
	for _, o := range c.records {
		if o.ZoneID != zone || o.Name != rec.Name {
			continue
		}
		switch {
		case o.Type == rec.Type && o.Content == rec.Content:
			return 81058, "An identical record already exists."
		case o.Type == "CNAME":
			return 81054, "A CNAME record with that host already exists."
		case rec.Type == "CNAME":
			return 81053, "An A, AAAA, or CNAME record with that host already exists."
		}
	}
	return 0, ""
}

func (c *Cloudflare) remove(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, id, ok := c.zone(w, r)
	if !ok {
		return
	}
	i := slices.IndexFunc(c.records, func(o cfRecord) bool { return o.ZoneID == id && o.ID == r.PathValue("id") })
	if i < 0 {
		refuse(w, http.StatusNotFound, 81044, "Record does not exist.")
		return
	}
	rec := c.records[i]
	c.records = slices.Delete(c.records, i, i+1)
	write(w, http.StatusOK, map[string]any{"success": true, "errors": []cfError{}, "messages": []any{}, "result": rec})
}
