package httprequest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/tools/httprequest"
	"gatehouse/agentd/tools/registry"
	"gatehouse/agentd/vault/vaulttest"
)

// TestWatch: of each request somebody hears whether the business tool was reached: an answer says so, also one that refuses; a gateway
// without the tool behind it does not, nor does a connection that breaks or cannot be made.
func TestWatch(t *testing.T) {
	t.Parallel()
	var heard []string
	crm := newSink(t)
	w := vaulttest.New(t, func(v *vaulttest.World) []gate.Tool {
		requests := httprequest.New(registry.New(v.Dir))
		requests.Watch(func(p gate.Permit, business, why string) {
			if p.RunID() == "" || business != "crm" {
				t.Errorf("%s of %q", business, p.RunID())
			}
			heard = append(heard, why)
		})
		return []gate.Tool{requests}
	})
	register(t, w.Dir, entry("crm", crm.URL, nil))
	for _, status := range []int{200, 404, 500, 503} {
		crm.say = func(rw http.ResponseWriter, _ *http.Request, _ string) { rw.WriteHeader(status) }
		w.Do("http_request", get("/api/contacts"))
	}
	crm.say = func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) }
	w.Do("http_request", get("/api/contacts"))
	crm.Close()
	w.Do("http_request", get("/api/contacts"))
	if len(heard) != 6 || !slices.Equal(heard[:4], []string{"", "", "", "It answered with HTTP 503."}) ||
		!strings.Contains(heard[4], "gave no answer") || !strings.Contains(heard[5], "was not reached") {
		t.Errorf("%q", heard)
	}
}
