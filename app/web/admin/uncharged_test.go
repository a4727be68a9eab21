package admin_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/order"
	"gatehouse/app/usage"
	"gatehouse/db"
)

// TestUncharged: what a customer used before the first month began stands on a page with its reason, narrowed and as a file.
func TestUncharged(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "The baker", "baker@example.com", "baker", order.Fulfilled)
	began := time.Now().UTC().AddDate(0, 0, -3)
	h.works(t, o, began)
	h.run(t)
	path := "/admin/customers/" + string(o.CustomerID)
	if link := h.doc(t, h.manager, path+"/billing").Find("a[href='" + path + "/uncharged']"); link.Length() != 1 {
		t.Error("the billing of the customer does not lead there")
	}
	path += "/uncharged"
	holds(t, "at first", h.doc(t, h.manager, path).Find("main").Text(), []string{"Everything stands in a month"}, nil)
	s, err := h.servers.Of(t.Context(), o.CustomerID)
	must(t, err)
	hour := began.Truncate(time.Hour).Add(-2 * time.Hour)
	_, err = (&db.Usage{DB: h.db}).Keep(t.Context(), s.ID, []usage.Bucket{{
		Epoch: uuid.NewString(), Hour: hour, Agent: "secretary", Model: "large", Profile: "main", Key: usage.House, Revision: 1,
		Counts: usage.Counts{Requests: 1, Input: 1234},
	}})
	must(t, err)
	day := hour.Format(time.DateOnly)
	for query, want := range map[string][]string{
		"": {"1,234", "Before the first month began", "1,234 tokens in these rows"}, "?why=before&q=" + day: {"1,234"},
		"?why=late": {"Nothing matches"}, "?q=1999-01": {"Nothing matches"},
	} {
		holds(t, query, h.doc(t, h.manager, path+query).Find("main").Text(), want, nil)
	}
	status, file := h.get(t, h.manager, path+".csv?why=before")
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if status != http.StatusOK || err != nil || len(rows) != 2 {
		t.Fatalf("the file: %d, %v, %v", status, rows, err)
	}
	if got := rows[1]; got[0] != string(o.CustomerID) || got[1] != hour.Format(time.RFC3339) || got[3] != "1234" || got[4] != "before" {
		t.Errorf("the file has %v", got)
	}
	for _, p := range []string{path, path + ".csv"} {
		if status, _ := h.get(t, h.staff, p); status != http.StatusForbidden {
			t.Errorf("support: %d", status)
		}
	}
}
