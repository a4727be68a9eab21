package story

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"gatehouse/agentd/schedule/webhook"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// receiving is a program outside that takes results, and answers 503 while it is busy.
type receiving struct {
	mu     sync.Mutex
	busy   bool
	bodies []string
	head   http.Header
}

func (r *receiving) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies, r.head = append(r.bodies, string(body)), req.Header.Clone()
	if r.busy {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func (r *receiving) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

// TestWebhook: an owner has the results of a schedule sent to a program outside, with a secret that no table and no log holds. It gets each
// of them signed; one that it does not take is tried again and says so. A change of the task holds them until the owner signs again.
func TestWebhook(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	r := &receiving{}
	s := httptest.NewServer(r)
	defer s.Close()
	h.Own(t, h.Server("state", webhook.LocalFile), "local: ['"+s.URL+"']\n", 0o600)

	p.Open("/app/schedules/new")
	p.Write("[name=spec]", "every day at 8")
	p.Write("[name=task]", "Count. "+e2e.Script(t, e2e.Step{Say: "There are seven orders."}))
	p.Choose("agent", "it-admin")
	p.Click("#schedule-form button[type=submit]")
	p.See("#webhook", "Send results to an address")
	page := e2e.Eval[string](p, "location.pathname")
	p.Click("#webhook details.more > summary")
	p.Write("#webhook-form [name=url]", "http://127.0.0.1:1/in")
	p.Until("a secret is made", `document.querySelector("#webhook-secret").value.startsWith("ghk_")`)
	secret := e2e.Eval[string](p, `document.querySelector("#webhook-secret").value`)
	h.Plant("secret of a webhook", secret)
	p.Click("#webhook-form [name=copied]")
	p.InspectOpen("an address for results")
	p.Shots("webhook-form")
	p.Click("#webhook-form button[type=submit]")
	p.See("main", "This is no address to which results can go")

	p.Open(page)
	p.Click("#webhook details.more > summary")
	p.Write("#webhook-form [name=url]", s.URL+"/in")
	p.Until("a secret is made", `document.querySelector("#webhook-secret").value.startsWith("ghk_")`)
	secret = e2e.Eval[string](p, `document.querySelector("#webhook-secret").value`)
	h.Plant("the other secret of a webhook", secret)
	p.Click("#webhook-form [name=copied]")
	p.Click("#webhook-form button[type=submit]")
	p.See("[data-toast]", "Results go to this address from now on.")
	p.See("#webhook", s.URL+"/…")

	p.Click("#schedule button[value=run]")
	e2e.Until(t, "the result is there", func() bool { return r.count() == 1 })
	p.Open(page)
	p.See("#history", "Delivered")
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(r.head.Get(wire.HeaderWebhookTime) + "." + r.bodies[0]))
	if got := r.head.Get(wire.HeaderWebhookSignature); got != "sha256="+hex.EncodeToString(m.Sum(nil)) {
		t.Errorf("signature %q", got)
	}
	var result wire.WebhookResult
	if err := json.Unmarshal([]byte(r.bodies[0]), &result); err != nil || result.Text != "There are seven orders." {
		t.Errorf("%+v, %v", result, err)
	}

	r.mu.Lock()
	r.busy = true
	r.mu.Unlock()
	p.Click("#schedule button[value=run]")
	e2e.Until(t, "the second result is tried", func() bool { return r.count() == 2 })
	p.Open(page)
	p.See("#history", "On its way")
	p.See("#history", "HTTP 503")
	p.InspectOpen("results on their way")
	p.Shots("webhook")

	p.Open(page + "/edit")
	p.Write("[name=task]", "Count again. "+e2e.Script(t, e2e.Step{Say: "There are eight orders."}))
	p.Click("#schedule-form button[type=submit]")
	p.See("#webhook", "Nothing is sent until you sign again")
	p.Click("#schedule button[value=run]")
	p.See("#history", "Not sent")
	p.Click("#webhook-confirm button")
	p.See("[data-toast]", "Results go to this address from now on.")
	p.Click("#webhook-remove button")
	p.See("[data-toast]", "Results stay in their conversation")
}
