package stripetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Key is the secret key that is taken.
const Key = "sk_test_standin"

// Object is one object of the API, as JSON has it.
type Object = map[string]any

// Stripe is one account at Stripe.
type Stripe struct {
	URL string // of the API, and of its pages

	srv    *httptest.Server
	now    func() time.Time
	mu     sync.Mutex
	n      int
	all    map[string]Object // every object, by id
	ids    []string          // in the order in which they were made
	keys   map[string]answer // by idempotency key
	events []Object
	sent   int // of events
	faults []Fault
	away   bool
	cards  map[string]string // what a customer's bank says when nobody is there; empty: it pays
	asked  []string          // method and path of every request to the API
	gate   *gate
}

// gate keeps requests waiting until all of them are there.
type gate struct {
	path string
	left int
	open chan struct{}
}

type answer struct {
	of     string // what was asked
	status int
	body   []byte
}

// Fault is something that goes wrong with one request.
type Fault struct {
	Method string // of the request; empty: any
	Path   string // how the path of the request begins; empty: any
	Status int    // what is answered; 0: the connection ends
	Body   string // likewise; empty: as Stripe says it
	Does   bool   // what was asked for is done, and the answer is lost
}

// New starts an account. Close ends it.
func New(now func() time.Time) *Stripe {
	s := &Stripe{now: now, all: map[string]Object{}, keys: map[string]answer{}, cards: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/", s.serve)
	s.pages(mux)
	s.srv = httptest.NewServer(mux)
	s.URL = s.srv.URL
	return s
}

// Close ends it.
func (s *Stripe) Close() { s.srv.Close() }

// Fail has the next requests go wrong, each once.
func (s *Stripe) Fail(f ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f...)
}

// Away has every request fail until it is back.
func (s *Stripe) Away(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away
}

// ForgetKeys is what happens after a day.
func (s *Stripe) ForgetKeys() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = map[string]answer{}
}

// Together has the next n requests with this method and path answered only when all of them have come.
func (s *Stripe) Together(request string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = &gate{request, n, make(chan struct{})}
}

// wait is how a request passes the gate.
func (s *Stripe) wait(r *http.Request) {
	s.mu.Lock()
	g := s.gate
	if g == nil || g.path != r.Method+" "+r.URL.Path {
		s.mu.Unlock()
		return
	}
	if g.left--; g.left == 0 {
		close(g.open)
		s.gate = nil
	}
	s.mu.Unlock()
	<-g.open
}

// Asked counts the requests whose method and path begin so.
func (s *Stripe) Asked(prefix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, a := range s.asked {
		if strings.HasPrefix(a, prefix) {
			n++
		}
	}
	return n
}

// serve answers the API.
func (s *Stripe) serve(w http.ResponseWriter, r *http.Request) {
	s.wait(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	fault, wrong := s.fault(r)
	if wrong && !fault.Does {
		fault.answer(w)
		return
	}
	status, body := s.once(r)
	if wrong {
		fault.answer(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_"+strconv.Itoa(len(s.asked)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // who asked may be gone
}

func (s *Stripe) fault(r *http.Request) (Fault, bool) {
	if s.away {
		return Fault{}, true
	}
	for i, f := range s.faults {
		if strings.HasPrefix(r.URL.Path, f.Path) && (f.Method == "" || f.Method == r.Method) {
			s.faults = slices.Delete(s.faults, i, i+1)
			return f, true
		}
	}
	return Fault{}, false
}

func (f Fault) answer(w http.ResponseWriter) {
	if f.Status == 0 { // some of an answer, or a client would ask again by itself
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("{"))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	body := f.Body
	if body == "" {
		body = string(refusal(f.Status, "api_error", "", "Something is wrong.", nil))
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte(body)) // who asked may be gone
}

// once answers a request, and a repeat of it as before.
func (s *Stripe) once(r *http.Request) (int, []byte) {
	if r.Header.Get("Authorization") != "Bearer "+Key {
		return 401, refusal(401, "invalid_request_error", "", "Invalid API Key provided.", nil)
	}
	if r.Header.Get("Stripe-Version") != "2023-10-16" {
		return 400, refusal(400, "invalid_request_error", "", "No such version.", nil)
	}
	if err := r.ParseForm(); err != nil {
		return 400, refusal(400, "invalid_request_error", "", "The form cannot be read.", nil)
	}
	key, of := r.Header.Get("Idempotency-Key"), r.Method+" "+r.URL.Path+"?"+r.Form.Encode()
	if r.Method != http.MethodPost || key == "" {
		return s.do(r)
	}
	if was, repeated := s.keys[key]; repeated {
		if was.of != of {
			return 400, refusal(400, "idempotency_error", "", "Keys can only be used with the same parameters.", nil)
		}
		return was.status, was.body
	}
	status, body := s.do(r)
	if status < 500 && status != 429 {
		s.keys[key] = answer{of, status, body}
	}
	return status, body
}

func (s *Stripe) do(r *http.Request) (int, []byte) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	f := form{r.Form}
	switch r.Method + " " + parts[0] {
	case "POST customers":
		return s.made(s.newCustomer(f))
	case "DELETE customers":
		return s.remove(parts[1])
	case "GET customers":
		return s.customer(parts, f)
	case "POST checkout":
		if len(parts) == 4 {
			return s.expire(parts[2])
		}
		return s.newSession(f)
	case "GET checkout":
		return s.get(parts[2], f)
	case "POST payment_intents":
		return s.charge(f)
	case "GET payment_intents":
		return s.intents(parts, f)
	case "POST refunds":
		return s.refund(f)
	case "GET refunds":
		return s.list(f, "refund", func(o Object) bool { return o["payment_intent"] == f.Get("payment_intent") })
	case "GET disputes":
		return s.get(parts[1], f)
	case "POST billing_portal":
		return s.portal(f)
	case "GET events":
		return s.listEvents(f)
	}
	return 404, refusal(404, "invalid_request_error", "", "Unrecognized request URL.", nil)
}

// form is what was sent.
type form struct{ url.Values }

func (f form) int(name string) int64 {
	n, _ := strconv.ParseInt(f.Get(name), 10, 64)
	return n
}

// meta are the values under a name, as metadata[x].
func (f form) meta(name string) Object {
	out := Object{}
	for k := range f.Values {
		if rest, ok := strings.CutPrefix(k, name+"["); ok {
			out[strings.TrimSuffix(rest, "]")] = f.Get(k)
		}
	}
	return out
}

// add makes an object.
func (s *Stripe) add(prefix, kind string, o Object) Object {
	s.n++
	id := fmt.Sprintf("%s_%06d", prefix, s.n)
	o["id"], o["object"], o["created"], o["livemode"] = id, kind, s.now().Unix(), false
	s.all[id] = o
	s.ids = append(s.ids, id)
	return o
}

func (s *Stripe) made(o Object) (int, []byte) {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return 200, raw
}

func refusal(status int, kind, code, text string, more Object) []byte {
	e := Object{"type": kind, "message": text, "status": status}
	if code != "" {
		e["code"] = code
	}
	maps.Copy(e, more)
	raw, err := json.Marshal(Object{"error": e})
	if err != nil {
		panic(err)
	}
	return raw
}

// get answers one object, with what is asked for inside of it.
func (s *Stripe) get(id string, f form) (int, []byte) {
	o, ok := s.all[id]
	if !ok {
		return 404, refusal(404, "invalid_request_error", "resource_missing", "No such object: "+id, nil)
	}
	return s.made(s.expanded(o, f))
}

// expanded puts whole objects where their ids stand, as the request wants it.
func (s *Stripe) expanded(o Object, f form) Object {
	var paths []string
	for k, v := range f.Values {
		if strings.HasPrefix(k, "expand[") {
			for _, one := range v {
				paths = append(paths, strings.TrimPrefix(one, "data."))
			}
		}
	}
	return s.expand(o, paths)
}

func (s *Stripe) expand(o Object, paths []string) Object {
	out := maps.Clone(o)
	for _, path := range paths {
		field, rest, deeper := strings.Cut(path, ".")
		inner, isWhole := out[field].(Object)
		if id, isID := o[field].(string); isID && !isWhole {
			inner, isWhole = s.all[id]
		}
		if !isWhole {
			continue
		}
		if deeper {
			inner = s.expand(inner, []string{rest})
		}
		out[field] = inner
	}
	return out
}

// list answers the objects of a kind, newest first.
func (s *Stripe) list(f form, kind string, is func(Object) bool) (int, []byte) {
	out := []any{}
	for _, id := range slices.Backward(s.ids) {
		if o := s.all[id]; o["object"] == kind && is(o) {
			out = append(out, s.expanded(o, f))
		}
	}
	return s.made(Object{"object": "list", "data": out, "has_more": false, "url": "/v1/" + kind})
}
