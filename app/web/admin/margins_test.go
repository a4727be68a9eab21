package admin_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"

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
