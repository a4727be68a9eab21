package usage_test

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/relay"
	"gatehouse/app/usage"
	"gatehouse/app/web/portal/portaltest"
	"gatehouse/db"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

// used has a customer's server report that an agent used tokens some hours ago.
func used(t *testing.T, h *portaltest.Hub, of portaltest.Customer, agent string, hoursAgo int, c usage.Counts) time.Time {
	t.Helper()
	at := time.Now().UTC().Truncate(time.Hour).Add(-time.Duration(hoursAgo) * time.Hour)
	_, err := (&db.Usage{DB: h.DB}).Keep(t.Context(), of.Server, []usage.Bucket{{
		Epoch: uuid.NewString(), Hour: at, Agent: agent, Model: "large", Profile: "main", Key: usage.House, Revision: 1, Counts: c,
	}})
	portaltest.Must(t, err)
	return at
}

// TestOverview: the page adds up what was used, names agents and models, and says how far it is complete; others see nothing of it.
func TestOverview(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of, other := h.NewCustomer(t), h.NewCustomer(t)
	b := h.Owner(t, of)
	empty := b.Get("/app/usage")
	text := empty.Find("main").Text()
	if !strings.Contains(text, "Nothing was used") || !strings.Contains(text, "has not reported any usage") {
		t.Errorf("before anything was used the page says %s", text)
	}
	portaltest.WantSound(t, "/app/usage", empty.Document)
	used(t, h, of, "secretary", 0, usage.Counts{
		Requests: 3, Input: 1_200_000, CacheRead: 34_567, Output: 20_000, Estimated: 1, EstOutput: 20_000,
	})
	used(t, h, of, "it-admin", 0, usage.Counts{Requests: 1, Input: 5})
	at := time.Now().UTC().Add(-time.Minute)
	_, err := (&db.Servers{DB: h.DB}).Beat(t.Context(), of.Server, wire.Heartbeat{Time: at, AgentdVersion: "test", UsageAt: &at}, at)
	portaltest.Must(t, err)
	for _, span := range []string{"", "?range=day", "?range=week", "?range=month", "?range=year&day=none"} {
		page := b.Get("/app/usage" + span)
		text := page.Find("main").Text()
		for _, want := range []string{
			"1.3 M", "1,254,572", "Secretary", "large", "20,000 of these tokens are estimated", "Complete up to", "Your plan",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page does not say %q: %s", span, want, text)
			}
		}
		if page.Find("#chart-usage svg rect.bar").Length() == 0 || page.Find(".chart-table td").Length() == 0 {
			t.Errorf("%s: there is no picture, or no table beside it", span)
		}
		portaltest.WantSound(t, "/app/usage"+span, page.Document)
	}
	if text := h.Owner(t, other).Get("/app/usage").Find("main").Text(); !strings.Contains(text, "Nothing was used") {
		t.Errorf("another customer sees %s", text)
	}
	past := b.Get("/app/usage?range=month&day=2020-02-10").Find("main").Text()
	if !strings.Contains(past, "Nothing was used") || !strings.Contains(past, "Later") {
		t.Errorf("a month of before: %s", past)
	}
}

// TestOverview_low: while most of the month's tokens are used, the page and the first one say so, and what happens then.
func TestOverview_low(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	h.Month(t, of, time.Now().AddDate(0, 0, -3), 15_000_000)
	used(t, h, of, "secretary", 1, usage.Counts{Requests: 1, Input: 12_300_000})
	says := func(yes bool, words ...string) {
		t.Helper()
		for _, path := range []string{"/app", "/app/usage"} {
			page := b.Get(path)
			for _, w := range words {
				if strings.Contains(page.Find("main .notice").Text(), w) != yes {
					t.Errorf("%s: says %q: %t", path, w, !yes)
				}
			}
			portaltest.WantSound(t, path, page.Document)
		}
	}
	says(false, "tokens are used")
	_, err := h.Bills.Watch(t.Context())
	portaltest.Must(t, err)
	says(true, "82 % of this month’s tokens are used", "12,300,000 of 15,000,000", "your team pauses until then", "Open Limits")
	portaltest.Must(t, h.Bills.Chose(t.Context(), of.ID, true, audit.Itself))
	used(t, h, of, "secretary", 1, usage.Counts{Requests: 1, Input: 3_000_000})
	_, err = h.DB.Pool.Exec(t.Context(), "UPDATE pool_fills SET next_at = now()")
	portaltest.Must(t, err)
	_, err = h.Bills.Watch(t.Context())
	portaltest.Must(t, err)
	says(true, "tokens are used up", "Your team works on")
}

// TestOverview_pool: the page says how much of the month's tokens is used, how long the month goes on and how it will end, and is told
// of what is used while it is open.
func TestOverview_pool(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of, young, none := h.NewCustomer(t), h.NewCustomer(t), h.NewCustomer(t)
	now := time.Now().UTC().Truncate(time.Hour)
	h.Month(t, of, now.Add(-10*24*time.Hour), 20_000_000)
	used(t, h, of, "secretary", 9*24, usage.Counts{Requests: 1, Input: 2_000_000}) // before the last seven days
	used(t, h, of, "secretary", 2, usage.Counts{Requests: 1, Input: 7_000_000})
	h.Month(t, young, now.Add(-47*time.Hour), 20_000_000)
	pool := func(of portaltest.Customer) string {
		return h.Owner(t, of).Get("/app/usage").Find("#usage-pool").Text()
	}
	text := pool(of)
	for _, want := range []string{"9,000,000 of 20,000,000 tokens", "45 % used", "days left", "At this pace the pool ends on"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	if text := pool(young); !strings.Contains(text, "after the first two days") || !strings.Contains(text, "0 % used") {
		t.Errorf("too early: %s", text)
	}
	if text := pool(none); strings.TrimSpace(text) != "" {
		t.Errorf("without a month: %s", text)
	}
	b := h.Owner(t, of)
	page := b.Get("/app/usage")
	portaltest.WantSound(t, "/app/usage", page.Document)
	s := b.Open(page.Live(), "")
	s.Until("45 % used")
	used(t, h, of, "secretary", 1, usage.Counts{Requests: 1, Input: 12_000_000})
	portaltest.Must(t, h.Relay.Notify(relay.Notice{Kind: relay.KindUsage, CustomerID: string(of.ID), ID: string(of.Server)}))
	got := portaltest.Part(s.Until("105 % used"), "#usage-pool").Text()
	if !strings.Contains(got, "1,000,000 tokens were used beyond the pool") || strings.Contains(got, "pool ends on") {
		t.Errorf("when it is used up the page is told %s", got)
	}
}

// TestBreakdown: each hour is listed once, page by page, and the file holds the same.
func TestBreakdown(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of, other := h.NewCustomer(t), h.NewCustomer(t)
	b := h.Owner(t, of)
	const hours = 60
	var first time.Time
	for i := range hours {
		first = used(t, h, of, []string{"secretary", "it-admin"}[i%2], i, usage.Counts{Requests: 1, Input: int64(i)})
	}
	used(t, h, other, "=theirs", 1, usage.Counts{Requests: 1, Input: 777})
	from := "from=" + first.AddDate(0, 0, -1).Format(time.DateOnly)
	page := b.Get("/app/usage/breakdown?" + from)
	portaltest.WantSound(t, "/app/usage/breakdown", page.Document)
	rows := page.Find("#hours tbody tr").Length()
	next, ok := page.Find("#hours a[rel=next]").Attr("href")
	if rows != 50 || !ok {
		t.Fatalf("%d rows, next %q", rows, next)
	}
	if rest := b.Get(next).Find("#hours tbody tr").Length(); rest != hours-50 {
		t.Errorf("%d rows on the last page", rest)
	}
	if n := b.Get("/app/usage/breakdown?agent=secretary&" + from).Find("#hours tbody tr").Length(); n != hours/2 {
		t.Errorf("%d rows of one agent", n)
	}
	if got := b.Get("/app/usage/breakdown?after=none"); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a cursor of somebody else's: %d", got.StatusCode)
	}
	file := b.Get("/app/usage/breakdown.csv?" + from)
	if kind := file.Header.Get("Content-Type"); file.StatusCode != http.StatusOK || kind != "text/csv; charset=utf-8" {
		t.Fatalf("the file: %d, %s", file.StatusCode, kind)
	}
	all, err := csv.NewReader(strings.NewReader(file.Source)).ReadAll()
	portaltest.Must(t, err)
	sum := 0
	for _, row := range all[1:] {
		n, err := strconv.Atoi(row[6])
		portaltest.Must(t, err)
		sum += n
	}
	if len(all) != hours+1 || sum != hours*(hours-1)/2 {
		t.Errorf("the file has %d rows with %d tokens", len(all), sum)
	}
	theirs := h.Owner(t, other).Get("/app/usage/breakdown.csv?" + from).Source
	if !strings.Contains(theirs, ",'=theirs,") || !strings.Contains(theirs, ",777,") {
		t.Errorf("the other customer's file: %s", theirs)
	}
}
