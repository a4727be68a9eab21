package portal_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/account"
	"gatehouse/app/web/portal/portaltest"
)

const (
	looseRules = "version: 1\nrules: []\n"
	tightRules = "version: 1\nrules:\n  - {id: none, effect: deny, tool: shell}\n"
)

// change is what a person changes, and how the notice takes it back.
type change struct {
	name, path string
	fields     url.Values
	signed     bool
	undo       string // what the form of the notice sends; empty: there is none
	link       string // where the notice leads; empty: nowhere
	was        func() string
}

// changes are pairs: what takes one press back, and the way that the other direction has.
func changes(
	t *testing.T, h *portaltest.Hub, of portaltest.Customer, p *portaltest.Peer, mine *portaltest.Browser, member string,
) []change {
	t.Helper()
	level := func() string {
		set, err := h.Teams.State(t.Context(), of.ID)
		portaltest.Must(t, err)
		return strconv.Itoa(set.Config.Agents["it-admin"].Level) + " of " + strconv.Itoa(set.Config.DefaultLevel)
	}
	added := func() string {
		set, err := h.Teams.State(t.Context(), of.ID)
		portaltest.Must(t, err)
		return strings.Join(set.Config.Added, " ")
	}
	other := h.Owner(t, of) // so that the notice is left for the first
	shown := func(b *portaltest.Browser, page, sel string) func() string {
		return func() string {
			return strings.Join(b.Get(page).Find(sel).Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") }), " ")
		}
	}
	rules := func() string {
		p.Lock()
		defer p.Unlock()
		return p.Rules.Text
	}
	save := func(text string, base string) url.Values {
		return url.Values{"act": {"save"}, "text": {text}, "base": {base}, "id": {portaltest.NewID()}}
	}
	autonomy, person := "/app/agents/it-admin/autonomy", "/app/settings/people/"+member
	rights := shown(other, person, "input[name=may][checked]")
	quiet := shown(other, "/app/settings/notifications", "input[name=from], input[name=to]")
	language := shown(mine, "/app/settings", "input[name=language][checked]")
	return []change{
		{"a level is raised", autonomy, url.Values{"level": {"3"}}, true, "level=0", "", level},
		{"a level is lowered", autonomy, url.Values{"level": {"1"}}, false, "", "", level},
		{"the level of the team is raised", "/app/agents/default-level", url.Values{"level": {"3"}}, true, "level=2", "", level},
		{"the level of the team is lowered", "/app/agents/default-level", url.Values{"level": {"1"}}, false, "", "", level},
		{"up to the level of the team", "/app/agents/default-level", url.Values{"level": {"2"}}, true, "level=1", "", level},
		{
			"the team goes on for money", "/app/agents/limits/beyond",
			url.Values{"beyond": {"1"}},
			true,
			"beyond=0", "", func() string {
				set, err := h.Teams.State(t.Context(), of.ID)
				portaltest.Must(t, err)
				return strconv.FormatBool(set.Config.Spend.Beyond)
			},
		},
		{
			"an address is added", "/app/permissions/inside",
			url.Values{"address": {"mate@example.net"}},
			true,
			"address=mate%40example.net&mode=remove", "", added,
		},
		{"a person may do more", person, url.Values{"may": {"both"}}, false, "may=chat", "", rights},
		{"a person may do other things", person, url.Values{"may": {"approve"}}, false, "", person, rights},
		{"a person becomes an owner", person, url.Values{"may": {"owner"}}, false, "may=approve", "", rights},
		{"a person may do less", person, url.Values{"may": {"look"}}, false, "", person, rights},
		{"a person may do the same", person, url.Values{"may": {"look"}}, false, "", "", rights},
		{"quiet hours", "/app/settings/quiet-hours", url.Values{"from": {"22:00"}, "to": {"06:00"}}, false, "from=&to=", "", quiet},
		{"a language", "/app/settings/language", url.Values{"language": {"de"}}, false, "language=en", "", language},
		{"the same language", "/app/settings/language", url.Values{"language": {"en"}}, false, "", "", language},
		{"tighter rules", "/app/permissions/yaml", save(tightRules, "1"), false, "", "/app/permissions?version=1", rules},
		{"looser rules", "/app/permissions/yaml", save(looseRules, "2"), true, "act=back&base=3&version=2", "", rules},
	}
}

// TestForms_undo: what a press can give back a press takes back, and all is as before; what gives power is never in the form of a
// notice.
func TestForms_undo(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	h.Prove(t, of)
	p.SetRules(looseRules)
	b := h.Owner(t, of)
	member := string(h.Member(t, of, "A baker", account.Rights{Role: account.Member, Chat: true}).ID)
	for _, c := range changes(t, h, of, p, b, member) {
		was := c.was()
		said := c.send(t, h, of, b)
		form := said.Find("form")
		fields := url.Values{}
		form.Find("input[type=hidden]").Each(func(_ int, s *goquery.Selection) {
			if name := s.AttrOr("name", ""); name != "csrf" && name != "id" {
				fields.Set(name, s.AttrOr("value", ""))
			}
		})
		if got := fields.Encode(); got != c.undo || said.Find("a").AttrOr("href", "") != c.link {
			t.Errorf("%s: %q by a press, else at %q; want %q and %q", c.name, got, said.Find("a").AttrOr("href", ""), c.undo, c.link)
		}
		if c.undo == "" {
			continue
		}
		if c.was() == was {
			t.Errorf("%s: nothing was changed: %s", c.name, was)
		}
		fields.Set("id", portaltest.NewID())
		got := b.Post(form.AttrOr("action", ""), fields)
		if now := c.was(); got.StatusCode != http.StatusSeeOther || now != was {
			t.Errorf("%s, taken back: %d, %q; was %q", c.name, got.StatusCode, now, was)
		}
		if strings.HasPrefix(c.name, "a person") || c.name == "looser rules" {
			again := b.Get(got.Header.Get("Location")).Find("[data-toast]")
			if again.Find("form").Length() != 0 || again.Find("a").Length() != 1 {
				t.Errorf("%s: what was taken back comes again by %s", c.name, again.Text())
			}
		}
	}
}

// send sends the change and gives the notice of the next page.
func (c change) send(t *testing.T, h *portaltest.Hub, of portaltest.Customer, b *portaltest.Browser) *goquery.Selection {
	t.Helper()
	if c.signed {
		set, err := h.Teams.State(t.Context(), of.ID)
		portaltest.Must(t, err)
		c.fields.Set("version", strconv.FormatInt(set.Next(), 10))
		c.fields.Set("signature", portaltest.Signature())
	}
	got := b.Post(c.path, c.fields)
	if got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%s: %d: %s", c.name, got.StatusCode, strings.Join(strings.Fields(got.Find("main").Text()), " "))
	}
	next, _, _ := strings.Cut(got.Header.Get("Location"), "#")
	return b.Get(next).Find("[data-toast]")
}

// TestForms_undoOfWhatIsSignedFor: a form made up to bring looser rules back without a signature changes nothing, and leads to
// where they can be signed for.
func TestForms_undoOfWhatIsSignedFor(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	p.SetRules(looseRules)
	p.SetRules(tightRules)
	b := h.Owner(t, of)
	got := b.Post("/app/permissions", url.Values{"act": {"back"}, "version": {"1"}, "base": {"2"}, "id": {portaltest.NewID()}})
	if next := got.Header.Get("Location"); got.StatusCode != http.StatusSeeOther || next != "/app/permissions?version=1" {
		t.Fatalf("%d to %s", got.StatusCode, next)
	}
	page := b.Get("/app/permissions?version=1")
	if said := page.Find("[data-toast]").Text(); !strings.Contains(said, "signature") {
		t.Errorf("the page says %q", said)
	}
	if p.Rules.Text != tightRules {
		t.Errorf("in force is %q", p.Rules.Text)
	}
	never := url.Values{"act": {"back"}, "version": {"9"}, "base": {"2"}, "id": {portaltest.NewID()}}
	if got := b.Post("/app/permissions", never); got.StatusCode != http.StatusNotFound {
		t.Errorf("a version that never was: %d", got.StatusCode)
	}
}
