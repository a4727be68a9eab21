package portal_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web/portal/portaltest"
)

// form is what a person sends, and what the next page says is true now.
type form struct {
	path   string // that the route is reached by; empty: the route has no parameter
	fields url.Values
	says   string
	undo   string // where the notice takes it back; empty: it cannot
}

// shown are the forms that answer with no notice, and why.
var shown = map[string]string{
	"/app/approvals/:id":                         "the card, or its page, says how it was decided",
	"/app/approvals/:id/edit":                    "the same",
	"/app/chat":                                  "the message stands in the conversation",
	"/app/changes/:call":                         "leads to the order in the conversation, and what comes of it",
	"/app/credentials/open":                      "asked by the script alone, which goes on",
	"/app/credentials/share":                     "asked by the script alone, which shows the link",
	"/app/credentials/:name/reveal":              "asked by the script alone, which shows the value",
	"/app/files/upload":                          "asked by the script alone, which shows how far it has come",
	"/app/files/part":                            "the same",
	"/app/files/finish":                          "asked by the script alone, which shows the file in the list",
	"/app/memory/change":                         "needs notes on the server: TestChange of the section reads its notice",
	"/app/channels/change":                       "needs a channel on the server: TestChannels of the section reads its notice",
	"/app/channels/test":                         "says its result on the page itself: TestChannels of the section reads it",
	"/app/hooks/change":                          "needs hooks on the server: TestHooks of the section reads its notice",
	"/app/hooks/rules/change":                    "needs rules on the server: TestRules of the section reads its notice",
	"/app/agents/change":                         "needs the agents of a server: TestLibrary of the section reads its notice",
	"/app/agents/new":                            "the page that answers shows what will be made: TestOwn of the section reads it",
	"/app/agents/:agent/edit":                    "the page that answers shows what would change: TestOwn of the section reads it",
	"/app/files/change":                          "needs files on the server: TestChange of the section reads its notice",
	"/app/settings/notifications":                "asked by the script alone, which shows the device in the list",
	"/app/settings/notifications/:device/name":   "needs a device of a push service: the browser test of notifications reads it",
	"/app/settings/notifications/:device/off":    "the same",
	"/app/settings/notifications/:device/test":   "the same",
	"/app/billing/card":                          "leads to the payment provider: the test of the section reads what is said instead",
	"/app/billing/pay":                           "the same",
	"/app/settings/approvers":                    "asked by the script alone, which says that this device may approve",
	"/app/settings/data/account":                 "the answer is the file",
	"/app/settings/approvers/recovery":           "asked by the script alone, which shows the code",
	"/app/settings/approvers/recovery/kept":      "asked by the script alone, which says that it was kept",
	"/app/settings/approver-requests":            "asked by the script alone, which shows the words to compare",
	"/app/settings/people/leave":                 "the reader is signed out: the test of the section reads where they are led",
	"/app/settings/people/invitations/:id/again": "the invitation gets another id: the test of the section reads its notice",
	"/app/settings/tokens":                       "the page that answers shows the token, once",
	"/app/settings/approver-requests/:key/add":   "needs a server that takes the key: the browser test of devices reads it",
	"/app/settings/sign-in/code":                 "leads to the page that shows the QR code",
	"/app/settings/sign-in/code/confirm":         "the page that answers shows the backup codes, once",
	"/app/settings/sign-in/backup-codes":         "the same",
	"/app/settings/sign-in/passkey-begin":        "asked by the script alone, which goes on",
	"/app/settings/sign-in/passkey-add":          "needs an authenticator: the browser test of passkeys reads it",
	"/app/settings/sign-in/passkey-remove":       "the same",
	"/app/settings/sign-in/passkey-rename":       "the same",
	"/app/server/support/:id/open":               "needs a window that was asked for: TestSupport_opened reads its notice",
	"/app/billing/plan":                          "needs a month that runs: TestPlan of the section reads its notice",
	"/app/billing/cancel":                        "the same",
	"/app/billing/keep":                          "the same",
	"/app/server/support/:id/refuse":             "the same",
	"/app/server/support/:id/close":              "the same",
	"/app/schedules/new":                         "needs schedules on the server: TestSchedules of the section reads its notice",
	"/app/schedules/quiet":                       "the same",
	"/app/schedules/all":                         "the same",
	"/app/schedules/:id/edit":                    "the same",
	"/app/schedules/:id/act":                     "the same",
	"/app/schedules/:id/webhook":                 "the same",
	"/app/regain/stop":                           "needs a case of our staff: TestRegain_stopped stops one by its mail",
}

// forms are the others.
func forms(p *portaltest.Peer, b *portaltest.Browser, run, member string) map[string]form {
	session, signature := p.Sessions[0].ID, portaltest.Signature()
	b.Post("/app/settings/sign-in/code", url.Values{})
	elsewhere := b.Get("/app/settings/sign-in").Find("form[action$='/end']").AttrOr("action", "")
	device := portaltest.NewSigner()
	asks := url.Values{"spki": {device.SPKI()}, "kind": {"browser"}, "label": {"Phone"}}
	b.Post("/app/settings/approver-requests", asks)
	token := b.Post("/app/settings/tokens", url.Values{"name": {"script"}}).Find("form[action*='/tokens/']").AttrOr("action", "")
	b.Post("/app/settings/people", url.Values{"email": {"baker@example.com"}, "may": {"chat"}})
	invitation := func(act string) string {
		return b.Get("/app/settings/people").Find("[data-invitation] form[action$="+act+"]").AttrOr("action", "")
	}
	return map[string]form{
		"/app/settings/people": {
			"",
			url.Values{"email": {"cook@example.com"}, "may": {"chat"}},
			"to cook@example.com is on its way", "",
		},
		"/app/settings/people/invitations/:id/revoke": {
			invitation("revoke"),
			url.Values{},
			"to baker@example.com no longer works", "",
		},
		"/app/settings/people/:user": {
			"/app/settings/people/" + member,
			url.Values{"may": {"approve"}},
			"may decide requests now", "/app/settings/people/" + member,
		},
		"/app/settings/people/:user/remove": {
			"/app/settings/people/" + member + "/remove",
			url.Values{},
			"no longer belongs", "",
		},
		"/app/agents/default-level": {
			"",
			url.Values{"level": {"1"}},
			"The team now works as 1", "",
		},
		"/app/agents/:agent/off": {
			"/app/agents/secretary/off",
			url.Values{"off": {"1"}},
			"Secretary is switched off", "",
		},
		"/app/agents/:agent/colleagues": {
			"/app/agents/secretary/colleagues",
			url.Values{"colleague": {"it-admin"}, "may": {"0"}},
			"no longer hands tasks to", "",
		},
		"/app/agents/:agent/sandbox": {
			"/app/agents/secretary/sandbox",
			url.Values{"only": {"1"}},
			"now works in the sandbox only", "",
		},
		"/app/agents/tools": {
			"",
			url.Values{"tool": {"shell"}, "rule": {"denied"}, "on": {"1"}},
			"No agent gets", "",
		},
		"/app/agents/:agent/autonomy": {
			"/app/agents/secretary/autonomy",
			url.Values{"level": {"1"}},
			"Secretary now works as 1", "",
		},
		"/app/agents/:agent/external": {
			"/app/agents/secretary/external",
			url.Values{"tool": {"message"}, "mode": {"gated"}},
			"asks you every time", "",
		},
		"/app/agents/:agent/model": {
			"/app/agents/secretary/model",
			url.Values{"model": {"complex"}},
			"Secretary now uses Complex tasks", "",
		},
		"/app/agents/limits": {
			"",
			url.Values{"tokens": {"500000"}},
			"500,000 tokens a day", "",
		},
		"/app/agents/limits/conversations": {
			"",
			url.Values{"queue": {"collect"}},
			"from the next message on", "",
		},
		"/app/agents/limits/beyond": {
			"",
			url.Values{"beyond": {"0"}},
			"The team stops when", "",
		},
		"/app/agents/limits/meaning": {
			"",
			url.Values{"model": {""}},
			"No model gets the texts of notes", "",
		},
		"/app/business": {
			"",
			url.Values{"kind": {"craft"}},
			"Kind of business: Craft or trade", "",
		},
		"/app/tasks": {
			"",
			url.Values{"task": {"write"}},
			"is hidden", "/app/tasks",
		},
		"/app/billing/address": {
			"",
			url.Values{"country": {"AT"}},
			"Invoices show this", "",
		},
		"/app/settings/time-zone": {
			"",
			url.Values{"zone": {"Europe/Lisbon"}},
			"shown for Europe/Lisbon", "/app/settings/time-zone",
		},
		"/app/settings/data": {
			"",
			url.Values{},
			"has made the archive", "",
		},
		"/app/settings/sign-in/end-others": {
			"",
			url.Values{},
			"signed in only here", "",
		},
		"/app/settings/sign-in/code-off": {
			"",
			url.Values{},
			"no longer needs a code", "",
		},
		"/app/settings/sign-in/:id/end": {
			elsewhere,
			url.Values{},
			"has ended", "",
		},
		"/app/settings/language": {
			"",
			url.Values{"language": {"en"}},
			"English", "",
		},
		"/app/server/snapshots/agree": {
			"",
			url.Values{},
			"first snapshot is made within a day", "",
		},
		"/app/server/snapshots/withdraw": {
			"",
			url.Values{},
			"No more snapshots are made", "",
		},
		"/app/server/ssh-key": {
			"",
			url.Values{"admin_key": {""}},
			"SSH key is kept", "",
		},
		"/app/settings/quiet-hours": {
			"",
			url.Values{"from": {"22:00"}, "to": {"06:00"}},
			"22", "/app/settings/quiet-hours",
		},
		"/app/permissions/yaml": {
			"",
			url.Values{"act": {"save"}, "text": {"version: 1\n"}, "base": {"1"}, "id": {portaltest.NewID()}},
			"These rules apply now", "/app/permissions",
		},
		"/app/runs/:id/stop": {
			"/app/runs/" + run + "/stop",
			url.Values{"back": {"/app"}},
			"was stopped", "",
		},
		"/app/chat/:session/rename": {
			"/app/chat/" + session + "/rename",
			url.Values{"title": {"Files"}, "was": {"x"}},
			"now called “Files”", "/app/chat/" + session + "/rename",
		},
		"/app/chat/:session/archive": {
			"/app/chat/" + session + "/archive",
			url.Values{"archived": {"1"}},
			"is archived", "/app/chat/" + session + "/archive",
		},
		"/app/chat/:session/delete": {
			"/app/chat/" + session + "/delete",
			url.Values{"signature": {signature}},
			"deleted from your server", "",
		},
		"/app/permissions": {
			"",
			url.Values{"act": {"save"}, "text": {"version: 1\n"}, "base": {"0"}, "id": {portaltest.NewID()}},
			"These rules apply now", "",
		},
		"/app/permissions/windows/close": {
			"",
			url.Values{"approval": {portaltest.NewID()}},
			"asks you again", "",
		},
		"/app/settings/tokens/:id/revoke": {
			token,
			url.Values{},
			"no longer works", "",
		},
		"/app/settings/approvers/:key/revoke": {
			"/app/settings/approvers/" + portaltest.Signer().KeyID + "/revoke",
			url.Values{"version": {"1"}, "signature": {signature}},
			"may no longer approve", "",
		},
		"/app/settings/approver-requests/:key/refuse": {
			"/app/settings/approver-requests/" + device.KeyID + "/refuse",
			url.Values{},
			"may not approve", "",
		},
		"/app/permissions/inside": {
			"",
			url.Values{"address": {"me@example.com"}, "mode": {"remove"}},
			"me@example.com counts as outside", "",
		},
		"/app/credentials": {
			"",
			url.Values{"name": {"blog.api_key"}, "box": {"b"}, "request": {"r"}},
			"blog.api_key is encrypted", "",
		},
		"/app/credentials/generate": {
			"",
			url.Values{"new": {"made.api_key"}},
			"made a new value for made.api_key", "",
		},
		"/app/credentials/decline": {
			"",
			url.Values{"request": {portaltest.NewID()}},
			"gets no value", "",
		},
		"/app/credentials/:name/rotate": {
			"/app/credentials/shop.api_key/rotate",
			url.Values{},
			"shop.api_key has a new value", "",
		},
		"/app/credentials/:name/rollback": {
			"/app/credentials/shop.api_key/rollback",
			url.Values{"version": {"1"}},
			"is in use again", "",
		},
		"/app/credentials/:name/delete": {
			"/app/credentials/shop.api_key/delete",
			url.Values{"signature": {signature}},
			"shop.api_key is deleted", "",
		},
		"/app/credentials/:name/bind": {
			"/app/credentials/shop.api_key/bind",
			url.Values{"bindings": {""}, "signature": {signature}},
			"only in the places", "",
		},
	}
}

// TestForms_sayWhatIsTrueNow walks the routes: whoever sends a form that changes something reads on the next page what is
// true now. One that answers otherwise is listed with the reason.
func TestForms_sayWhatIsTrueNow(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	p.Vault = append(p.Vault, wire.SecretInfo{Name: "blog.api_key"})
	p.Also = func(_ context.Context, m wire.Method, _ json.RawMessage) (any, error) {
		if m == wire.MethodExportStart {
			return wire.Export{State: wire.ExportDone, ID: portaltest.NewID()}, nil
		}
		return struct{}{}, nil
	}
	b := h.Owner(t, of)
	h.Owner(t, of) // in another browser
	h.Prove(t, of)
	all := forms(p, b, run, string(h.Member(t, of, "A baker", account.Rights{Role: account.Member}).ID))
	left := map[string]bool{}
	for path := range all {
		left[path] = true
	}
	for path := range shown {
		left[path] = true
	}
	for _, r := range h.Routes {
		f, says := all[r.Path]
		if r.Method != http.MethodPost {
			continue
		}
		if delete(left, r.Path); says && !strings.HasSuffix(r.Path, "/delete") {
			f.send(t, b, r.Path)
		} else if !says && shown[r.Path] == "" {
			t.Errorf("POST %s is not listed: what does its reader learn?", r.Path)
		}
	}
	all["/app/chat/:session/delete"].send(t, b, "") // last: nothing is left to change then
	for path := range left {
		t.Errorf("POST %s is listed, but there is no such route", path)
	}
}

// send sends the form and reads the next page.
func (f form) send(t *testing.T, b *portaltest.Browser, route string) {
	t.Helper()
	if f.path == "" {
		f.path = route
	}
	got := b.Post(f.path, f.fields)
	if got.StatusCode != http.StatusSeeOther {
		t.Errorf("%s: %d, %s", f.path, got.StatusCode, strings.Join(strings.Fields(got.Find("main").Text()), " "))
		return
	}
	next, _, _ := strings.Cut(got.Header.Get("Location"), "#")
	said := b.Get(next).Find("[data-toast]")
	if !strings.Contains(said.Text(), f.says) {
		t.Errorf("%s: %s says %q, want %q", f.path, next, strings.Join(strings.Fields(said.Text()), " "), f.says)
	}
	if undo := said.Find("form").AttrOr("action", ""); undo != f.undo {
		t.Errorf("%s: it can be taken back at %q, want %q", f.path, undo, f.undo)
	}
}
