package db_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/db"
)

// TestApprovals_ListAll_search: staff find an approval by who the customer is and by what their list shows of it, and by
// nothing that only the customer may see: a search that looked there would tell it.
func TestApprovals_ListAll_search(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	m, other := withServer(t, d)
	rename := "UPDATE customers SET name = $2 WHERE id = $1"
	for of, name := range map[string]string{string(n.Order.CustomerID): "Ümlaut & Söhne 100%", string(m.Order.CustomerID): "Quiet Garage"} {
		_, err := d.Pool.Exec(t.Context(), rename, of, name)
		must(t, err)
	}
	s := &db.Approvals{DB: d}
	a := pendingOf(t, d, n.Order.CustomerID, srv.ID)
	b := askedOf(t, d, m.Order.CustomerID, other.ID, func(b *approval.Item) {
		b.Code, b.Agent, b.Tool, b.Tier = "ZZ9PLR", "secretary", "message", "yellow_external"
		b.Args, b.Summary, b.Reason, b.WhyAsked = json.RawMessage(`{"to":"oddword@example.net"}`), "Write about oddword", "oddword", "oddword"
		b.Facts, b.Destination = []wire.Fact{{Name: "oddword", Value: 1, Text: "oddword"}}, "oddword"
		b.SessionID, b.StagedHash = "oddword", "oddword"
	})
	email := n.Account.Owner.Email
	for text, want := range map[string]string{
		"ümlaut & s": a.ID, "SÖHNE": a.ID, "100%": a.ID, strings.ToUpper(email): a.ID, n.Order.Slug: a.ID, a.ID: a.ID, a.ID[24:]: a.ID,
		"k7m2": a.ID, "FILE_DEL": a.ID, "it-adm": a.ID, "IT admin": a.ID, " file_delete ": a.ID,
		"garage": b.ID, "zz9plr": b.ID, "Secretary": b.ID, "message": b.ID, m.Order.Slug: b.ID,
		"oddword": "", "yellow_external": "", "mail.message": "", "1_0": "", `\`: "", "' OR true --": "", "nobody of that name": "",
		"": a.ID + b.ID, "e": a.ID + b.ID,
	} {
		for _, status := range []string{"", "pending"} {
			ask, err := page.Ask{Search: text}.Clean()
			must(t, err)
			got, err := s.ListAll(t.Context(), approval.Query{Status: status, Page: ask})
			must(t, err)
			ids := ""
			for _, it := range got.Items {
				ids = it.ID + ids
			}
			if ids != want {
				t.Errorf("%q finds %q, want %q", text, ids, want)
			}
		}
	}
	for _, q := range []approval.Query{{ID: a.ID}, {Agent: "it-admin"}, {Status: "decided"}} {
		q.Page = page.Ask{Limit: 10, Search: "garage"}
		if got, err := s.ListAll(t.Context(), q); err != nil || len(got.Items) != 0 {
			t.Errorf("%+v and a search of another: %d, %v", q, len(got.Items), err)
		}
	}
}

// TestApprovals_ListAll_searchPages turns over what was found: each comes once, newest first.
func TestApprovals_ListAll_searchPages(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	s := &db.Approvals{DB: d}
	var want []string
	for i := range 7 {
		a := askedOf(t, d, n.Order.CustomerID, srv.ID, func(a *approval.Item) { a.Tool = fmt.Sprintf("tool%d", i%2) })
		if i%2 == 1 {
			want = append([]string{a.ID}, want...)
		}
	}
	var got []string
	ask := page.Ask{Limit: 2, Search: "TOOL1"}
	for more := true; more; more = ask.After != "" {
		of, err := s.ListAll(t.Context(), approval.Query{Page: ask})
		must(t, err)
		for _, it := range of.Items {
			got = append(got, it.ID)
		}
		ask.After = of.Next
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// TestApprovals_ListAll_facts: of what was measured staff are told how much of what, and nothing that names a thing.
func TestApprovals_ListAll_facts(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	a := askedOf(t, d, n.Order.CustomerID, srv.ID, func(a *approval.Item) {
		a.Facts = []wire.Fact{
			{Name: "files", Value: 14, Text: "14 files: oddword"},
			{Name: "in oddword", Value: 3, Text: "oddword"},
			{Name: "oddword@example.net", Value: 1},
			{Name: "recipients", Value: 1, Text: "1 recipient: oddword"},
			{Name: "money", Value: 12050, Text: "moves 120.50 EUR"},
			{Name: "money", Text: "moves an amount that cannot be read from the request"},
		}
	})
	got, err := (&db.Approvals{DB: d}).Find(t.Context(), a.ID)
	must(t, err)
	const want = "[{files 14 14 files} { 3 3} { 1 1} {recipients 1 1 recipient} {money 12050 moves 120.50} {money 0 moves money}]"
	if text := fmt.Sprint(got.Facts); text != want {
		t.Errorf("staff are told %s", text)
	}
}
