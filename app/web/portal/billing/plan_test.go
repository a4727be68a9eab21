package billing_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/audit"
	"gatehouse/app/usage"
	"gatehouse/app/web/portal/portaltest"
	"gatehouse/db"
)

// TestPlan: an owner sees what another plan costs before it holds, and what was seen is what is confirmed.
func TestPlan(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	for _, path := range []string{"/app/billing/plan", "/app/billing/cancel"} { // before there is a month
		if got := b.Get(path); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/app/billing" {
			t.Errorf("%s: %d, %s", path, got.StatusCode, got.Header.Get("Location"))
		}
		if got := b.Get("/app/billing"); !strings.Contains(got.Text(), "begins when your server is ready") {
			t.Errorf("%s says nothing of why it is not possible", path)
		}
	}
	billed(t, h, of)
	b = h.Owner(t, of)
	choose := b.Get("/app/billing/plan")
	portaltest.WantSound(t, "/app/billing/plan", choose.Document)
	if n := choose.Find("input[type=radio][name=plan]").Length(); n != 4 || choose.Find("#change").Length() != 0 {
		t.Errorf("%d plans; what changes is told before one is chosen", n)
	}
	if !choose.Find("input[value=build]").Is("[disabled]") {
		t.Error("the plan that holds can be chosen")
	}
	shown := b.Get("/app/billing/plan?plan=scale")
	portaltest.WantSound(t, "/app/billing/plan?plan=scale", shown.Document)
	for _, want := range []string{"45.00 €", "75.00 €", "15,000,000", "more than it would have", "Change to Scale"} {
		if !strings.Contains(shown.Find("#change").Text(), want) {
			t.Errorf("what changes lacks %q: %s", want, shown.Find("#change").Text())
		}
	}
	fields := url.Values{}
	shown.Find("#plan-form input[type=hidden]").Each(func(_ int, s *goquery.Selection) {
		fields.Set(s.AttrOr("name", ""), s.AttrOr("value", ""))
	})
	dearer := url.Values{"plan": {"scale"}, "was": {"build"}, "monthly": {"7400"}}
	follow(t, b, "/app/billing/plan", dearer, "Nothing was changed")
	follow(t, b, "/app/billing/plan", fields, "Your plan has changed")
	follow(t, b, "/app/billing/plan", fields, "Nothing was changed")
	if text := b.Get("/app/billing").Find("#month").Text(); !strings.Contains(text, "Scale, €75 a month") {
		t.Errorf("the page has another plan: %s", text)
	}
	if got := b.Get("/app/billing/plan?plan=gold"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("a plan that is not sold: %d", got.StatusCode)
	}
}

// TestPlan_smaller: a plan with a smaller pool can be chosen while it is known what was used and the pool holds that; else the page says
// from when, and has no button.
func TestPlan_smaller(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	billed(t, h, of)
	b := h.Owner(t, of)
	lite := func() (text string, can bool) {
		t.Helper()
		page := b.Get("/app/billing/plan")
		portaltest.WantSound(t, "/app/billing/plan", page.Document)
		input := page.Find("input[value=lite]")
		return input.Closest(".radio").Text(), input.Length() == 1 && !input.Is("[disabled]")
	}
	if text, can := lite(); can || !strings.Contains(text, "has not reported") {
		t.Errorf("before the server has reported: %t, %q", can, text)
	}
	exec(t, h, "UPDATE servers SET beat = jsonb_build_object('usage_at', now()), beat_at = now() WHERE id = $1", of.Server)
	if text, can := lite(); !can || strings.Contains(text, "From") {
		t.Errorf("while it holds what was used: %t, %q", can, text)
	}
	if text := b.Get("/app/billing/plan?plan=lite").Find("#change").Text(); !strings.Contains(text, "used 1,234,567 tokens") ||
		!strings.Contains(text, "Change to Lite") {
		t.Errorf("what changes: %s", text)
	}
	uses(t, h, of, 14_000_000)
	if text, can := lite(); can || !strings.Contains(text, "From ") {
		t.Errorf("after more was used: %t, %q", can, text)
	}
	wish := url.Values{"plan": {"lite"}, "was": {"build"}, "monthly": {"2900"}}
	follow(t, b, "/app/billing/plan", wish, "15\u202f234\u202f567 tokens were used this month")
	if got := b.Get("/app/billing/plan?plan=lite"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("an old link: %d", got.StatusCode)
	}
	if text := b.Get("/app/billing").Find("#month").Text(); !strings.Contains(text, "Build") {
		t.Errorf("the page has another plan: %s", text)
	}
}

// uses has the customer's server report tokens of this hour.
func uses(t *testing.T, h *portaltest.Hub, of portaltest.Customer, input int64) {
	t.Helper()
	_, err := (&db.Usage{DB: h.DB}).Keep(t.Context(), of.Server, []usage.Bucket{{
		Epoch: "e", Hour: time.Now().UTC().Truncate(time.Hour), Agent: "bookkeeper", Model: "small", Profile: "p", Key: usage.House,
		Revision: 9, Counts: usage.Counts{Input: input},
	}})
	portaltest.Must(t, err)
}

// follow posts a form and wants the page that follows to say something.
func follow(t *testing.T, b *portaltest.Browser, path string, fields url.Values, says string) {
	t.Helper()
	got := b.Post(path, fields)
	if got.StatusCode != http.StatusSeeOther {
		t.Errorf("%s: %d", path, got.StatusCode)
		return
	}
	if text := b.Get(got.Header.Get("Location")).Text(); !strings.Contains(text, says) {
		t.Errorf("after %s the page does not say %q", path, says)
	}
}

// TestCancel: an owner reads what comes of it, cancels, takes it back, and cancels again; when the month is over the page says what is
// left to do. A second tab is told how it stands.
func TestCancel(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	billed(t, h, of)
	b := h.Owner(t, of)
	page := b.Get("/app/billing/cancel")
	portaltest.WantSound(t, "/app/billing/cancel", page.Document)
	for _, want := range []string{
		"Your plan ends on", "Kept for now: your sign-in", "for good: your server", "Your account is erased on", "stay 10 years",
		"Load your data first",
	} {
		if !strings.Contains(page.Find("main").Text(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if page.Find(`main a[href="/app/settings/data"]`).Length() != 1 {
		t.Error("nothing leads to the export")
	}
	follow(t, b, "/app/billing/cancel", url.Values{}, "Your plan is cancelled")
	follow(t, b, "/app/billing/cancel", url.Values{}, "cancelled already")
	now := b.Get("/app/billing")
	portaltest.WantSound(t, "/app/billing", now.Document)
	if text := now.Find("#leaving").Text(); !strings.Contains(text, "Cancelled, ends on") || !strings.Contains(text, "Keep my plan") {
		t.Errorf("cancelled: %s", text)
	}
	if now.Find("#plan").Length() != 0 {
		t.Error("a plan that ends can be changed")
	}
	follow(t, b, "/app/billing/keep", url.Values{}, "Your plan goes on")
	follow(t, b, "/app/billing/keep", url.Values{}, "nothing to take back")
	follow(t, b, "/app/billing/cancel", url.Values{}, "Your plan is cancelled")
	orders := h.Orders()
	o, err := orders.Of(t.Context(), of.ID)
	portaltest.Must(t, err)
	_, err = orders.End(t.Context(), of.ID, o.ID, "closed", audit.Itself)
	portaltest.Must(t, err)
	over := b.Get("/app/billing")
	portaltest.WantSound(t, "/app/billing", over.Document)
	erased := time.Now().AddDate(0, 0, 30).Format("2006")
	if text := over.Find("#leaving").Text(); !strings.Contains(text, "Your plan has ended on") || !strings.Contains(text, erased) {
		t.Errorf("ended: %s", text)
	}
	if over.Find(`#leaving a[href="/onboard"]`).Length() != 1 {
		t.Error("nothing leads to where it goes on")
	}
	follow(t, b, "/app/billing/keep", url.Values{}, "Your plan has ended")
}
