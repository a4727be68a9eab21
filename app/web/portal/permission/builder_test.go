package permission_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

const rulesPath = "/app/permissions"

// inForce has something of everything: rules, one that no form can hold, comments, settings.
const inForce = `# ours
version: 1
budgets: {deletes: 5}
rules:
  # the newsletter
  - id: newsletter
    effect: ask
    agent: secretary
    tool: message
    args: {to: {suffix: "@example.com"}}
    limits: {rate: 20/24h, hours: {from: "09:00", to: "17:00", days: [mon, tue, wed, thu, fri], zone: Europe/Vienna}}
  - id: exact
    effect: allow
    tool: file_write
    args: {path: {under: notes}, content: {equals: ""}}
channels:
  discord: {read_only: true}
`

// builder is the page of rules in a browser without scripts.
type builder struct {
	*portaltest.Browser
	t    *testing.T
	peer *portaltest.Peer
	page portaltest.Answer
}

func openBuilder(t *testing.T, h *portaltest.Hub, text string) *builder {
	t.Helper()
	of := h.NewCustomer(t)
	b := &builder{Browser: h.Owner(t, of), t: t, peer: h.Link(t, of)}
	b.peer.Rules = wire.Permissions{Version: 3, Text: text}
	b.page = b.Get(rulesPath)
	return b
}

// form is what a browser would send: every field as it stands.
func form(page *goquery.Document) url.Values {
	out := url.Values{}
	page.Find("#rules-form").Find("input, select, textarea").Each(func(_ int, s *goquery.Selection) {
		name, _ := s.Attr("name")
		_, checked := s.Attr("checked")
		switch kind := s.AttrOr("type", ""); {
		case name == "" || kind == "checkbox" && !checked:
		case s.Is("textarea"):
			out.Add(name, strings.ReplaceAll(s.Text(), "\n", "\r\n"))
		case s.Is("select"):
			out.Add(name, s.Find("option[selected]").AttrOr("value", s.Find("option").AttrOr("value", "")))
		default:
			out.Add(name, s.AttrOr("value", ""))
		}
	})
	return out
}

// press sends the form with one of its buttons, after what a person filled in: pairs of a field and its value.
func (b *builder) press(act string, fill ...string) {
	b.T.Helper()
	at := b.page.Find("#rules-form").AttrOr("action", "")
	if b.page.Find(`button[form=rules-form][value="`+act+`"], #rules-form button[value="`+act+`"]`).Length() == 0 {
		b.T.Fatalf("there is no button %s:\n%s", act, b.page.Find("main").Text())
	}
	sent := form(b.page.Document)
	for i := 0; i+1 < len(fill); i += 2 {
		if sent.Set(fill[i], fill[i+1]); fill[i+1] == "" && strings.HasSuffix(fill[i], "tier") {
			sent.Del(fill[i])
		}
	}
	sent.Set("act", act)
	b.page = b.Post(at, sent)
	if b.page.StatusCode == http.StatusSeeOther {
		b.page = b.Get(b.page.Header.Get("Location"))
	}
	portaltest.WantSound(b.t, at, b.page.Document)
}

// text is the text that the form carries.
func (b *builder) text() string {
	return strings.TrimPrefix(b.page.Find("[name=text]").Text(), "\n")
}

func (b *builder) wantText(parts ...string) {
	b.T.Helper()
	for _, part := range parts {
		if !strings.Contains(b.text(), part) {
			b.T.Errorf("%q is not in\n%s", part, b.text())
		}
	}
}

func (b *builder) wantSeen(selector string, parts ...string) {
	b.T.Helper()
	text := strings.Join(strings.Fields(b.page.Find(selector).Text()), " ")
	for _, part := range parts {
		if !strings.Contains(text, part) {
			b.T.Errorf("%s does not say %q: %s", selector, part, text)
		}
	}
}

// TestBuilder_reads: rules read as sentences; what no form can hold stands beside its rule, and nothing changes by looking.
func TestBuilder_reads(t *testing.T) {
	t.Parallel()
	b := openBuilder(t, portaltest.Start(t), inForce)
	b.wantSeen("#rule-0", "When Secretary wants to send email, to addresses at example.com", "Ask me first",
		"on weekdays, from 09:00 to 17:00, at most 20 in a day")
	b.wantSeen("#rule-1", "When anyone on the team wants to write files, in the folder notes", "Allow", `equals: ""`)
	b.press("open:0")
	b.press("open:1")
	b.press("preview")
	if b.text() != inForce {
		t.Errorf("it became\n%s", b.text())
	}
	b.wantSeen("#preview", "These are the rules in force", "100 actions")
	b.press("yaml")
	if b.text() != inForce || b.page.Find("#rules-form textarea").AttrOr("readonly", "no") != "no" {
		t.Errorf("as text it is\n%s", b.text())
	}
}

// TestBuilder_withoutScript: a rule is added, filled in, moved, removed and saved by plain forms.
func TestBuilder_withoutScript(t *testing.T) {
	t.Parallel()
	b := openBuilder(t, portaltest.Start(t), inForce)
	b.peer.Past = []wire.PermissionChanged{{RunID: portaltest.NewID(), Summary: "Delete 3 files", Before: "allow", After: "deny"}}
	b.press("add")
	b.press("preview", "r2.agent", "secretary", "r2.tool", "~", "r2.tool_other", "file_*", "r2.effect", "deny",
		"r2.test0.arg", "path", "r2.test0.how", "under", "r2.test0.value", "letters",
		"s.budget.files", "50", "s.wait.red", "2", "s.wait.red_unit", "hour", "s.lift0.name", "shell", "s.lift0.tier", "critical_red")
	b.wantSeen("#rule-2", "When Secretary wants to do anything with files, in the folder letters", "Never")
	b.wantSeen("#preview", "1 action last week", "1 action would have been refused", "Delete 3 files")
	b.wantText("# ours", "# the newsletter", "tool: file_*", "path: {under: letters}",
		"files: 50", "red: 2h", "shell: critical_red", `content: {equals: ""}`)
	b.press("up:2")
	b.wantSeen("#rule-1", "in the folder letters")
	b.press("remove:2")
	b.press("save", "s.budget.files", "40")
	b.wantSeen("main", "Something has changed since the last check")
	if b.peer.Rules.Version != 3 {
		t.Error("what nobody had seen is in force")
	}
	b.press("save")
	m, err := policy.ParseManifest([]byte(b.peer.Rules.Text))
	if err != nil || b.peer.Rules.Version != 4 {
		t.Fatalf("version %d: %v", b.peer.Rules.Version, err)
	}
	if len(m.Rules) != 2 || m.Rules[1].Tool != "file_*" || m.Tiers["shell"] != policy.CriticalRed || m.Budgets.Files != 40 {
		t.Errorf("in force is\n%s", b.peer.Rules.Text)
	}
	b.wantSeen("#rule-1", "Never")
}

// TestBuilder_faults: what is wrong is said beside its rule, with what was typed; nothing is saved meanwhile.
func TestBuilder_faults(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	for _, c := range []struct {
		says string
		fill []string
	}{
		{"Choose what this condition is about", []string{"r0.test1.value", "letters"}},
		{"Fill in what the condition compares with", []string{"r0.test1.arg", "subject"}},
		{"whole number above zero", []string{"r0.calls", "many"}},
		{"A time of day", []string{"r0.from", "25:00"}},
		{"A length of time", []string{"r0.cooldown", "soon"}},
		{"A size", []string{"r0.bytes", "big"}},
		{"An amount of money", []string{"r0.money", "a lot"}},
		{"What never happens needs no hours", []string{"r0.effect", "deny"}},
		{"No rule can allow what deletes", []string{"r0.effect", "allow", "r0.tier", "red"}},
		{"No rule can allow what follows", []string{"r0.effect", "allow", "r0.tainted", "1"}},
		{"is for rules that allow", []string{"r0.only", "1"}},
		{"Another rule has this name", []string{"r0.id", "exact"}},
		{"A name has small letters", []string{"r0.id", "Our News"}},
		{"time zone", []string{"r0.zone", "Mars"}},
		{"Two conditions compare the same", []string{"r0.test1.arg", "to", "r0.test1.how", "suffix", "r0.test1.value", "x"}},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel()
			b := openBuilder(t, h, inForce)
			b.press("open:0")
			b.press("save", c.fill...)
			b.wantSeen("#rule-0 .error", c.says)
			last := len(c.fill) - 2
			if got := form(b.page.Document)[c.fill[last]]; len(got) == 0 || got[0] != c.fill[last+1] {
				t.Errorf("%s became %q", c.fill[last], got)
			}
			if b.page.StatusCode != http.StatusUnprocessableEntity || b.peer.Rules.Version != 3 {
				t.Errorf("%d, version %d", b.page.StatusCode, b.peer.Rules.Version)
			}
		})
	}
}

// TestBuilder_bothWays: what is written as text shows as sentences, unless it cannot be read: then it stays.
func TestBuilder_bothWays(t *testing.T) {
	t.Parallel()
	b := openBuilder(t, portaltest.Start(t), "")
	b.press("yaml")
	const typed = "version: 1\nrules:\n  - {id: a, effect: deny, tool: shell, tier: [red], origin: [schedule]} # never at night\n"
	b.press("rules", "text", typed)
	b.wantSeen("#rule-0", "When anyone on the team wants to run commands on the server", "started by a schedule", "Never")
	b.press("open:0")
	b.press("preview", "r0.agent", "it-admin")
	b.press("yaml")
	b.wantText("{id: a, effect: deny, agent: it-admin, tool: shell, tier: [red], origin: [schedule]} # never at night")
	for _, bad := range []string{"rules: [", "version: 1\nrules: nonsense\n", "a: &x 1\n"} {
		b.press("rules", "text", bad)
		b.wantSeen("main", "still here as you wrote it")
		if b.text() != bad || b.page.Find(".rule").Length() > 0 {
			t.Errorf("%q became %q", bad, b.text())
		}
	}
}

// TestBuilder_ofRequest: a request becomes a rule that decides such requests, for the domain that it goes to; what goes outside
// is asked all the same, and the page says so.
func TestBuilder_ofRequest(t *testing.T) {
	t.Parallel()
	b := openBuilder(t, portaltest.Start(t), inForce)
	a := b.peer.Propose(t)
	link := b.Get(portaltest.ApprovalPath(a)).Find("a.always").AttrOr("href", "")
	b.page = b.Get(strings.TrimSuffix(link, "#rules"))
	b.wantSeen("#rule-2", "When Secretary wants to send email, to addresses at example.com", "Allow",
		"still asks before it reaches people outside")
	b.wantSeen("#preview", "may do more without asking")
	b.wantText("# the newsletter", "effect: allow", `suffix: '@example.com'`)
	if b.peer.Rules.Version != 3 {
		t.Error("it is in force")
	}
	deletes := b.peer.Propose(t, func(a *wire.Approval) {
		a.Tool, a.Tier, a.Args = "file_delete", "red", json.RawMessage(`{"path":"letters/old.txt"}`)
	})
	b.page = b.Get(rulesPath + "?from=" + deletes.ID)
	b.wantSeen("#rule-2", "delete files, in the folder letters", "Ask me first")
	if got := b.Get(rulesPath + "?from=" + portaltest.NewID()).StatusCode; got != http.StatusNotFound {
		t.Errorf("a request of somebody else: %d", got)
	}
}
