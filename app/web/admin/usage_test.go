package admin_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/usage"
	"gatehouse/db"
)

// TestUsage: our staff see sums of all customers, how much came out of caches, and which servers are late or differ.
func TestUsage(t *testing.T) {
	t.Parallel()
	h := start(t)
	if text := h.doc(t, h.admin, "/admin/usage").Find("main").Text(); text == "" {
		t.Error("the page is empty before anything was used")
	}
	of := h.beaten(t, "used", false).ID
	keep := &db.Usage{DB: h.db}
	now := time.Now().UTC()
	_, err := keep.Keep(t.Context(), of, []usage.Bucket{{
		Epoch: uuid.NewString(), Hour: now.Truncate(time.Hour), Agent: "secretary", Model: "large", Profile: "main", Key: usage.House,
		Revision: 1,
		Counts:   usage.Counts{Requests: 3, Input: 1000, CacheRead: 3000, Output: 234},
	}})
	must(t, err)
	_, err = keep.Checked(t.Context(), of, "2026-03-01: 5 tokens here, 6 there", now)
	must(t, err)
	holds(t, "usage", h.doc(t, h.admin, "/admin/usage").Find("main").Text(),
		[]string{"4,234", "75 %", "secretary", "large", "Never reported", "5 tokens here, 6 there"}, nil)
	holds(t, "of another time", h.doc(t, h.admin, "/admin/usage?from=2020-01-01&to=2020-01-31").Find("main").Text(),
		[]string{"Nothing was used"}, []string{"4,234"})
	if status, _ := h.get(t, h.admin, "/admin/usage?from=soon"); status != http.StatusUnprocessableEntity {
		t.Errorf("a day that is none: %d", status)
	}
}
