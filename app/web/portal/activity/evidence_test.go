package activity_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestEvidence_guardianAndLeases: what an answer rests on says what the guardian thought of a call, and which secret it
// used where, on the panel and on the run's page.
func TestEvidence_guardianAndLeases(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	log := p.Receipts[run]
	add := func(kind, body string) {
		seq := int64(10 + len(log.Items))
		log.Items = append(log.Items, wire.Receipt{Seq: seq, Time: time.Now(), Type: kind, RunID: run, CallID: log.Items[0].CallID, Tool: "http_request", Tier: "red", Hash: "h", PrevHash: "h", Body: []byte(body)})
	}
	add("call.judged", `{"verdict":"escalate","reason":"It deletes more than was asked.","model":"small","ms":90}`)
	add("call.judged", `{"verdict":"escalate","failed":true}`)
	add("credential.leased", `{"name":"shop.api_key","version":3,"destination":"https://shop.example.com:443 header Authorization","agent":"it-admin"}`)
	p.Receipts[run] = log

	b := h.Owner(t, of)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/app/runs/"+run+"/evidence", nil)
	portaltest.Must(t, err)
	r.Header.Set("HX-Request-Type", "partial")
	for where, text := range map[string]string{
		"panel": b.Send(r).Find("#evidence-" + run).Text(), "page": b.Get("/app/runs/" + run).Find("main").Text(),
	} {
		for _, want := range []string{"Has doubts: It deletes more than was asked.", "Did not answer in time", "shop.api_key", "https://shop.example.com:443 header Authorization"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s does not say %q", where, want)
			}
		}
	}
	if n := b.Send(r.Clone(t.Context())).Find("#evidence-" + run + " .receipt").Length(); n != 5 {
		t.Errorf("%d receipts", n)
	}
}

func TestEvidence_panelIsFetchedWhenOpened(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	_, _, run := h.Demo(t, of)
	b := h.Owner(t, of)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/app/runs/"+run+"/evidence", nil)
	portaltest.Must(t, err)
	r.Header.Set("HX-Request-Type", "partial")
	if got := b.Send(r); got.Find("#evidence-"+run+" .receipt").Length() != 2 {
		t.Errorf("htmx got %s", got.Source)
	}
	if got := b.Get("/app/runs/" + run + "/evidence"); got.Header.Get("Location") != "/app/runs/"+run+"#receipts" {
		t.Errorf("a browser without scripts is led to %q", got.Header.Get("Location"))
	}
}

// TestEvidence_denials: a denial whose signature did not hold is no end of the call, and one of a person is, whatever they gave
// as their reason.
func TestEvidence_denials(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	add := func(call, body string) {
		log := p.Receipts[run]
		for _, kind := range []string{"call.asked", "call.denied"} {
			log.Items = append(log.Items, wire.Receipt{
				Seq: int64(10 + len(log.Items)), Time: time.Now(), Type: kind, RunID: run, CallID: call, Tool: "file_delete", Tier: "red",
				Hash: "h", PrevHash: "h", Body: []byte(body),
			})
		}
		p.Receipts[run] = log
	}
	add("forged", `{"reason":"signature","state":"pending","why":"nobody signed it","decided_by":{"name":"a stranger"}}`)
	add("real", `{"reason":"signature","decided_by":{"name":"the owner"}}`)
	acts := h.Owner(t, of).Get("/app/runs/" + run).Find(".act > details > summary").Text()
	if strings.Contains(acts, "denied by a stranger") || !strings.Contains(acts, "denied by the owner") {
		t.Errorf("the calls end so: %s", acts)
	}
}
