package admin_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/uuid"

	"gatehouse/app/usage"
	"gatehouse/db"
)

// TestMarginsPage: our staff see what a month costs, what of it has no price, and have it as a file.
func TestMarginsPage(t *testing.T) {
	t.Parallel()
	h := start(t)
	holds(t, "before anything was used", h.doc(t, h.admin, "/admin/analytics").Find("main").Text(),
		[]string{"Nothing was used or invoiced", "provisional", "No agent costs out of proportion", "4 times the median", "1.00 €"}, nil)
	of := h.beaten(t, "used", false).ID
	_, err := (&db.Usage{DB: h.db}).Keep(t.Context(), of, []usage.Bucket{{
		Epoch: uuid.NewString(), Hour: time.Now().UTC().Truncate(time.Hour), Agent: "secretary", Model: "large", Profile: "main",
		Key: usage.House, Revision: 1, Counts: usage.Counts{Requests: 3, Input: 1000, Output: 234},
	}})
	must(t, err)
	holds(t, "a month that runs", h.doc(t, h.admin, "/admin/analytics").Find("main").Text(),
		[]string{"1,234", "1,234 tokens have no price", "large", "0.00 €"}, []string{"Nothing was used"})
	holds(t, "nobody of that name", h.doc(t, h.admin, "/admin/analytics?q=nobody-of-this-name&sort=name").Find("#margins").Text(),
		[]string{"Nothing matches"}, []string{"1,234"})
	for path, want := range map[string]int{
		"/admin/analytics?month=soon": http.StatusUnprocessableEntity, "/admin/analytics?month=2020-01": http.StatusUnprocessableEntity,
		"/admin/analytics?after=-1": http.StatusOK,
	} {
		if status, _ := h.get(t, h.admin, path); status != want {
			t.Errorf("%s: %d", path, status)
		}
	}
	status, file := h.get(t, h.admin, "/admin/analytics.csv")
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if status != http.StatusOK || err != nil || len(rows) != 2 {
		t.Fatalf("the file: %d, %v, %v", status, rows, err)
	}
	if got := rows[1]; got[1] != "true" || got[4] != "1234" || got[5] != "1234" {
		t.Errorf("the file has %v", got)
	}
}

// TestMargins_chart: months with anything in them stand as bars, and as tables with the figures that the page has.
func TestMargins_chart(t *testing.T) {
	t.Parallel()
	h := start(t)
	if n := h.doc(t, h.admin, "/admin/analytics").Find("#margin-months").Length(); n != 0 {
		t.Error("there is a chart of nothing")
	}
	of, now := h.beaten(t, "used", false).ID, time.Now().UTC()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	for _, at := range []time.Time{month, month.AddDate(0, -2, 0)} {
		_, err := (&db.Usage{DB: h.db}).Keep(t.Context(), of, []usage.Bucket{{
			Epoch: uuid.NewString(), Hour: at, Agent: "secretary", Model: "large", Profile: "main", Key: usage.House, Revision: 1,
			Counts: usage.Counts{Requests: 3, Input: 1000, Output: 234},
		}})
		must(t, err)
	}
	charts := h.doc(t, h.admin, "/admin/analytics").Find("#margin-months")
	for _, table := range []struct {
		title string
		rows  []string
	}{
		{"Costs, revenue and margin", []string{"0.00 €0.00 €0.00 €", "0.00 €0.00 €0.00 €", "0.00 €0.00 €0.00 €"}},
		{"Tokens that our keys paid", []string{"1,234", "0", "1,234"}},
	} {
		rows := charts.Find("table").FilterFunction(func(_ int, s *goquery.Selection) bool {
			return s.Find("caption").Text() == table.title
		}).Find("tbody tr")
		if rows.Length() != len(table.rows) {
			t.Fatalf("%s: %d months", table.title, rows.Length())
		}
		for i, want := range table.rows {
			row := rows.Eq(i)
			if name := month.AddDate(0, i-2, 0).Format("2006-01"); row.Find("th").Text() != name || row.Find("td").Text() != want {
				t.Errorf("%s, %s: %q", table.title, name, row.Text())
			}
		}
	}
	if bars := charts.Find("#chart-tokens rect.bar[x]").Length(); bars != 2 {
		t.Errorf("%d bars of tokens", bars)
	}
}
