package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/app/push"
	"gatehouse/app/push/pushtest"
	"gatehouse/app/web/portal/portaltest"
)

const notificationsPath = "/app/settings/notifications"

// sentBy is what a browser sends when it has subscribed at a push service on the Internet.
func sentBy(t *testing.T) string {
	t.Helper()
	b := pushtest.Start(t, time.Now).Subscribe("")
	b.Endpoint = "https://push.example.com/" + portaltest.NewID()
	return b.JSON()
}

// TestNotifications: a device is turned on, renamed, tested and turned off with plain forms, and each answer says what is true
// now; what does not fit is said beside its field.
func TestNotifications(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	b := h.Owner(t, h.NewCustomer(t))
	page := b.Get(notificationsPath)
	portaltest.WantSound(t, notificationsPath, page.Document)
	key := page.Find("form[data-push-on]").AttrOr("data-key", "")
	if key != h.Devices.PublicKey() || page.Find("[data-device]").Length() != 0 {
		t.Errorf("at first the key is %q", key)
	}
	says := func(a portaltest.Answer, text string) portaltest.Answer {
		t.Helper()
		next := b.Get(a.Header.Get("Location"))
		if a.StatusCode != http.StatusSeeOther || !strings.Contains(next.Find(".toast").Text(), text) {
			t.Errorf("%d to %s, and then: %s", a.StatusCode, a.Header.Get("Location"), next.Find(".toast").Text())
		}
		return next
	}
	made := b.Post(notificationsPath, url.Values{"name": {"Phone"}, "subscription": {sentBy(t)}})
	listed := says(made, "Phone now gets notifications.")
	portaltest.WantSound(t, notificationsPath, listed.Document)
	item := listed.Find("[data-device]")
	action, _ := strings.CutSuffix(item.Find("form[data-push-off]").AttrOr("action", ""), "/off")
	id := strings.TrimPrefix(action, notificationsPath+"/")
	if item.Length() != 1 || item.Find("strong").Text() != "Phone" || len(item.AttrOr("data-device", "")) != 43 || id == action {
		t.Fatalf("listed is %s", item.Text())
	}
	says(b.Post(action+"/name", url.Values{"name-" + id: {"Work phone"}}), "The device is now called Work phone.")
	refused := b.Post(action+"/name", url.Values{"name-" + id: {""}})
	if refused.StatusCode != http.StatusUnprocessableEntity || refused.Find("details[open] .error").Length() != 1 {
		t.Errorf("an empty name: %d", refused.StatusCode)
	}
	says(b.Post(action+"/test", url.Values{}), "on its way")
	other := h.Owner(t, h.NewCustomer(t))
	for _, act := range []string{"/name", "/test", "/off"} {
		if a := other.Post(action+act, url.Values{"name-" + id: {"x"}}); a.StatusCode != http.StatusNotFound {
			t.Errorf("another's %s: %d", act, a.StatusCode)
		}
	}
	if gone := says(b.Post(action+"/off", url.Values{}), "no longer"); gone.Find("[data-device]").Length() != 0 {
		t.Error("a device that was turned off is listed")
	}
}

// TestNotifications_refused: an address inside the network is no device, and neither is one too many; what was typed stays.
func TestNotifications_refused(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	b := h.Owner(t, h.NewCustomer(t))
	inside := strings.Replace(sentBy(t), "push.example.com", "169.254.169.254", 1)
	for name, c := range map[string]struct {
		form url.Values
		says string
	}{
		"an address inside": {url.Values{"name": {"Phone"}, "subscription": {inside}}, "cannot use"},
		"nothing":           {url.Values{"name": {"Phone"}}, "cannot use"},
		"no name":           {url.Values{"subscription": {sentBy(t)}}, "Give this device a name"},
	} {
		a := b.Post(notificationsPath, c.form)
		if a.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(a.Find("main").Text(), c.says) {
			t.Errorf("%s: %d, %s", name, a.StatusCode, a.Find("main").Text())
		}
		if typed := a.Find("form[data-push-on] [name=name]").AttrOr("value", ""); typed != c.form.Get("name") {
			t.Errorf("%s: the name is now %q", name, typed)
		}
	}
	for range push.MaxDevices {
		b.Post(notificationsPath, url.Values{"name": {"Phone"}, "subscription": {sentBy(t)}})
	}
	if a := b.Post(notificationsPath, url.Values{"name": {"One more"}, "subscription": {sentBy(t)}}); a.StatusCode != http.StatusConflict {
		t.Errorf("one device too many: %d", a.StatusCode)
	}
}

// TestNotifications_quiet: quiet hours are set, shown and taken away; times that are none are said beside their fields.
func TestNotifications_quiet(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	b := h.Owner(t, h.NewCustomer(t))
	set := func(from, to string) (status int, shown [2]string, page portaltest.Answer) {
		t.Helper()
		page = b.Post("/app/settings/quiet-hours", url.Values{"from": {from}, "to": {to}})
		if status = page.StatusCode; status == http.StatusSeeOther {
			page = b.Get(page.Header.Get("Location"))
		}
		return status, [2]string{page.Find("#f-from").AttrOr("value", ""), page.Find("#f-to").AttrOr("value", "")}, page
	}
	status, shown, page := set("22:00", "07:00")
	if status != http.StatusSeeOther || shown != [2]string{"22:00", "07:00"} {
		t.Errorf("set: %d, %v", status, shown)
	}
	if text := page.Find("#quiet").Text(); !strings.Contains(text, "Europe/Vienna") {
		t.Errorf("they hold in %s", text)
	}
	if said := page.Find(".toast").Text(); !strings.Contains(said, "from 22:00 to 07:00") {
		t.Errorf("said is %s", said)
	}
	status, shown, page = set("22:00", "")
	if status != http.StatusUnprocessableEntity || shown != [2]string{"22:00", ""} || page.Find("#f-to-error").Length() != 1 {
		t.Errorf("half: %d, %v", status, shown)
	}
	if status, shown, _ := set("", ""); status != http.StatusSeeOther || shown != [2]string{} {
		t.Errorf("taken away: %d, %v", status, shown)
	}
}
