package usage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/usage"
	"gatehouse/app/web/portal/portaltest"
	"gatehouse/db"
)

// TestOverview_for: what a sub-agent used is a row of its own, which says for whom it worked, beside the row of that agent. Both pages and
// the file say so.
func TestOverview_for(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	at := time.Now().UTC().Truncate(time.Hour)
	row := usage.Bucket{Epoch: uuid.NewString(), Hour: at, Model: "large", Profile: "main", Key: usage.House, Revision: 1}
	own, sub, other := row, row, row
	own.Agent, own.Counts = "secretary", usage.Counts{Requests: 1, Input: 1_000}
	sub.Agent, sub.Parent, sub.Counts = "researcher", "secretary", usage.Counts{Requests: 1, Input: 200}
	other.Agent, other.Parent, other.Counts = "researcher", "it-admin", usage.Counts{Requests: 1, Input: 30}
	_, err := (&db.Usage{DB: h.DB}).Keep(t.Context(), of.Server, []usage.Bucket{own, sub, other})
	portaltest.Must(t, err)
	for path, list := range map[string]string{"/app/usage": "#usage-agents", "/app/usage/breakdown": "#hours"} {
		page := b.Get(path)
		portaltest.WantSound(t, path, page.Document)
		rows := map[string]string{}
		for _, tr := range page.Find(list + " tbody tr").EachIter() {
			text := " "
			for _, cell := range tr.Find("td, th, .hint").EachIter() {
				text += strings.TrimSpace(cell.Text()) + " "
			}
			for _, n := range []string{"1,000", "200", "30"} {
				if strings.Contains(text, " "+n+" ") {
					rows[n] = text
				}
			}
		}
		if !strings.Contains(rows["200"], "for Secretary") || !strings.Contains(rows["30"], "for ") || rows["30"] == rows["200"] ||
			rows["1,000"] == "" || strings.Contains(rows["1,000"], "for ") {
			t.Errorf("%s: %q", path, rows)
		}
	}
	file := b.Get("/app/usage/breakdown.csv").Source
	if !strings.Contains(file, "researcher,secretary,") || !strings.Contains(file, "researcher,it-admin,") {
		t.Errorf("the file: %s", file)
	}
}
