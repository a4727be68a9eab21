package ui_test

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// document renders a page of the gallery and reads it.
func document(t *testing.T, c templ.Component) *goquery.Document {
	t.Helper()
	d, err := goquery.NewDocumentFromReader(strings.NewReader(html(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestForms_workWithoutScript: each form has a method, an address, the CSRF field when it changes something, and a
// button; each control has a label.
func TestForms_workWithoutScript(t *testing.T) {
	t.Parallel()
	for name, c := range gallery() {
		document(t, c).Find("form").Each(func(_ int, f *goquery.Selection) {
			method, action := f.AttrOr("method", ""), f.AttrOr("action", "")
			if method == "dialog" {
				return
			}
			if method == "" || action == "" {
				t.Errorf("%s: form without method or address: %q %q", name, method, action)
			}
			if token := f.Find("input[name=csrf]").AttrOr("value", ""); method == "post" && token != "token" {
				t.Errorf("%s: form to %s carries the token %q", name, action, token)
			}
			buttons := f.Find("button").Length()
			if id, ok := f.Attr("id"); ok {
				buttons += f.Parent().Find(`button[form="` + id + `"]`).Length()
			}
			if buttons == 0 {
				t.Errorf("%s: form to %s has no button", name, action)
			}
		})
	}
}

// TestMarkup_policy: nothing inline, one h1, no id twice, each symbol exists.
func TestMarkup_policy(t *testing.T) {
	t.Parallel()
	symbols := spriteIDs(t)
	for name, c := range gallery() {
		d := document(t, c)
		if n := d.Find("h1").Length(); n != 1 {
			t.Errorf("%s: %d h1", name, n)
		}
		if bad := d.Find("[style], [onclick], style, script:not([src]), [tabindex]:not([tabindex='0'], [tabindex='-1'])"); bad.Length() > 0 {
			t.Errorf("%s: inline code, style or tab order: %s", name, bad.Nodes[0].Data)
		}
		seen := map[string]bool{}
		d.Find("[id]").Each(func(_ int, e *goquery.Selection) {
			id := e.AttrOr("id", "")
			if seen[id] && !strings.HasPrefix(id, "receipt-") { // the same receipts stand in several fixtures
				t.Errorf("%s: id %q stands twice", name, id)
			}
			seen[id] = true
		})
		d.Find("use").Each(func(_ int, e *goquery.Selection) {
			if _, id, _ := strings.Cut(e.AttrOr("href", ""), "#"); !slices.Contains(symbols, id) {
				t.Errorf("%s: no symbol %q", name, id)
			}
		})
	}
}

func spriteIDs(t *testing.T) []string {
	t.Helper()
	var ids []string
	for _, m := range regexp.MustCompile(`<symbol id="([^"]+)"`).FindAllStringSubmatch(served(t, "sprite.svg"), -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// TestPushes_neverTakeFocus: what the server pushes has no autofocus, or it would steal the focus of whoever types.
func TestPushes_neverTakeFocus(t *testing.T) {
	t.Parallel()
	turn := ui.Turn{Run: "r", Agent: itAdmin, State: "done", Proof: evidence("r", "proven"), Flow: []templ.Component{ui.ApprovalCard(outward("a"), ui.Inline)}}
	pushes := html(t, ui.ChatTurn(turn), ui.TurnFoot(turn), ui.ApprovalCard(change("b"), ui.Inline), ui.ToolChip(ui.Chip{Call: "c"}), ui.PushApproval(decided("a", "allowed", "done"), ui.Full),
		ui.PushTaken(ui.Composer{Stop: "/stop", Focus: true}), ui.PushToast(ui.Toast{Undo: &ui.Undo{}}), ui.PushBadge("b", 3), ui.PushLog("l", []ui.LogLine{{N: 1}}), ui.Say("x"))
	if strings.Contains(pushes, "autofocus") {
		t.Error("a push carries autofocus")
	}
	if n := strings.Count(pushes, "<hx-partial "); n != 8 {
		t.Errorf("%d partials in 6 pushes, of which a badge and a taken message are two", n)
	}
}

// TestChatTurn_report: what sub-agents report stands folded behind a quiet line, and not as the words of a person.
func TestChatTurn_report(t *testing.T) {
	t.Parallel()
	d := document(t, ui.ChatTurn(ui.Turn{Run: "r", Person: true, Report: true, Who: "Report of sub-agents", At: now, Text: "41 <letters>"}))
	folded := d.Find("li.turn:not(.person) > details:not([open])")
	if folded.Find("summary").Text() == "" || folded.Find(".bubble").Text() != "41 <letters>" || d.Find(".bubble").Length() != 1 {
		t.Error(d.Html())
	}
}

// TestTiers_differWithoutColour: five glyphs, five words, and a pattern for each in the style sheet.
func TestTiers_differWithoutColour(t *testing.T) {
	t.Parallel()
	glyphs, words := map[string]bool{}, map[string]bool{}
	for _, tier := range []string{"green", "yellow", "yellow_external", "red", "critical_red", "forbidden", "no such tier"} {
		d := document(t, ui.TierBadge(tier))
		glyphs[d.Find("use").AttrOr("href", "")] = true
		words[d.Find(".tier-word").Text()] = true
		if name := d.Find(".tier").AttrOr("data-tier", ""); name != "green" && !strings.Contains(served(t, "app.css"), `.tier[data-tier=`+name+`]`) {
			t.Errorf("%s has no edge of its own", tier)
		}
	}
	if len(glyphs) != 6 || len(words) != 6 {
		t.Errorf("%d glyphs, %d words for six tiers", len(glyphs), len(words))
	}
}

// TestTable_addresses: sorting turns around, keeps the search and starts at the first page.
func TestTable_addresses(t *testing.T) {
	t.Parallel()
	table := ui.Table{
		ID: "t", Path: "/list", Sort: "name", Query: url.Values{"q": {"a b"}, "after": {"7"}, "sort": {"name"}}, Rows: []ui.Row{{ID: "r", Cells: []templ.Component{ui.Text("x"), ui.Text("y")}}},
		Cols: []ui.Col{{Label: "Name", Sort: "name", Main: true}, {Label: "Age", Sort: "age"}},
	}
	d := document(t, ui.DataTable(table))
	var got []string
	d.Find("thead a").Each(func(_ int, a *goquery.Selection) { got = append(got, a.AttrOr("href", "")) })
	if want := []string{"/list?q=a+b&sort=-name", "/list?q=a+b&sort=age"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if sorted := d.Find("th[aria-sort=ascending]").Length(); sorted != 1 {
		t.Errorf("%d columns say that they are sorted", sorted)
	}
	if label := d.Find("td").AttrOr("data-label", ""); label != "Age" {
		t.Errorf("the card of a phone says %q", label)
	}
}

// TestEvidence_doubtIsOpen: what is not proven is never folded away.
func TestEvidence_doubtIsOpen(t *testing.T) {
	t.Parallel()
	for verdict, open := range map[string]bool{"proven": false, "partly_proven": false, "nothing_ran": false, "not_proven": true, "contradicted": true, "no such verdict": true} {
		_, is := document(t, ui.EvidencePanel(*evidence("r", verdict))).Find("details.evidence").Attr("open")
		if is != open {
			t.Errorf("%s: open is %v", verdict, is)
		}
	}
}

// TestText_isEscaped: what agents and people wrote never becomes markup.
func TestText_isEscaped(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror=alert(1)><hx-partial hx-target="body">"'`
	a := outward("x")
	a.Asks, a.Reason, a.WhyAsked, a.Code, a.Customer, a.Agent.Name = evil, evil, evil, evil, evil, evil
	a.Draft.Body, a.Draft.Subject, a.Draft.To, a.Args = evil, evil, evil, []ui.Arg{{Name: evil, Value: evil}}
	a.Files = []ui.DiffFile{{Path: evil, Hunks: ui.ParseUnified("@@ -1 +1 @@\n+" + evil)}}
	got := html(t, ui.ApprovalCard(a, ui.Full), ui.ToolChip(ui.Chip{Summary: evil, Result: evil}), ui.LogLines("l", []ui.LogLine{{Text: evil}}), ui.ChatTurn(ui.Turn{Person: true, Text: evil, Who: evil}))
	if strings.Contains(got, "<img") || strings.Contains(got, "<hx-") {
		t.Error("text became markup")
	}
}

// TestPseudo_everyWordIsFromTheCatalogue: in the pseudo-locale no interface word is left plain.
func TestPseudo_everyWordIsFromTheCatalogue(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	ctx := ui.With(t.Context(), ui.Request{Now: now, Locale: i18n.Pseudo})
	if err := ui.ApprovalCard(approval("a", "red"), ui.Full).Render(ctx, &b); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Allow once", "Deny", "Deletes or removes", "expires", "arguments", "asks to"} {
		if strings.Contains(b.String(), word) {
			t.Errorf("%q was written past the catalogue", word)
		}
	}
}
