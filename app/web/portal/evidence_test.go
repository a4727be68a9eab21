package portal_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// TestEvidence_guardianAndLeases: what an answer rests on says what the guardian thought of a call, and which secret it
// used where, on the panel and on the run's page.
func TestEvidence_guardianAndLeases(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, _, run := h.demo(t, of)
	log := p.receipts[run]
	add := func(kind, body string) {
		seq := int64(10 + len(log.Items))
		log.Items = append(log.Items, wire.Receipt{Seq: seq, Time: time.Now(), Type: kind, RunID: run, CallID: log.Items[0].CallID, Tool: "http_request", Tier: "red", Hash: "h", PrevHash: "h", Body: []byte(body)})
	}
	add("call.judged", `{"verdict":"escalate","reason":"It deletes more than was asked.","model":"small","ms":90}`)
	add("call.judged", `{"verdict":"escalate","failed":true}`)
	add("credential.leased", `{"name":"shop.api_key","version":3,"destination":"https://shop.example.com:443 header Authorization","agent":"it-admin"}`)
	p.receipts[run] = log

	b := h.owner(t, of)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/app/runs/"+run+"/evidence", nil)
	must(t, err)
	r.Header.Set("HX-Request-Type", "partial")
	for where, text := range map[string]string{
		"panel": b.send(r).Find("#evidence-" + run).Text(), "page": b.get("/app/runs/" + run).Find("main").Text(),
	} {
		for _, want := range []string{"Is in doubt: It deletes more than was asked.", "Gave no answer in time", "shop.api_key", "https://shop.example.com:443 header Authorization"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s does not say %q", where, want)
			}
		}
	}
	if n := b.send(r.Clone(t.Context())).Find("#evidence-" + run + " .receipt").Length(); n != 5 {
		t.Errorf("%d receipts", n)
	}
}
