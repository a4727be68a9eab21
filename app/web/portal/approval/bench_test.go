package approval_test

import (
	"io"
	"net/http"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

// BenchmarkApprovals is the inbox of a customer with forty open approvals, over HTTP.
func BenchmarkApprovals(b *testing.B) {
	h := portaltest.Start(b)
	of := h.NewCustomer(b)
	p := h.Link(b, of)
	for range 40 {
		p.Propose(b)
	}
	page := h.Owner(b, of)
	page.Transport = &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	size := int64(0)
	b.SetParallelism(16)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			resp, err := page.Client.Get(h.URL + "/app/approvals")
			if err != nil {
				b.Fatal(err)
			}
			n, _ := io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			size = n
			if resp.StatusCode != http.StatusOK {
				b.Fatal(resp.StatusCode)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
	b.ReportMetric(float64(size), "page-bytes")
}
