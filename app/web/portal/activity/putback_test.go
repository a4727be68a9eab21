package activity_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// wrote adds a finished write to the record of the demo's run, with what the server says of taking it back.
func wrote(p *portaltest.Peer, run string, at time.Time, before string, c wire.Change) wire.Change {
	p.Lock()
	defer p.Unlock()
	c.CallID, c.RunID, c.Agent, c.Path, c.Time, c.Until = portaltest.NewID(), run, "dispatcher", "notes/a.txt", at, at.Add(wire.KeptFor)
	p.Changes[c.CallID] = c
	log := p.Receipts[run]
	log.Items = append(log.Items, wire.Receipt{
		Seq: int64(20 + len(log.Items)), Time: at, Type: "call.finished", RunID: run, CallID: c.CallID, Tool: "file_write", Tier: "yellow", Hash: "h", PrevHash: "h",
		Body: []byte(`{"summary":"Changed notes/a.txt, 4 B","meta":{"before":` + strconv.Quote(before) + `,"after":"a2"}}`),
	})
	p.Receipts[run] = log
	return c
}

func becameLike(p *portaltest.Peer, c wire.Change) {
	p.Lock()
	defer p.Unlock()
	p.Changes[c.CallID] = c
}

func said(p *portaltest.Peer) (all []string) {
	p.Lock()
	defer p.Unlock()
	for _, m := range p.Posted {
		all = append(all, m.SessionID+" "+m.Text)
	}
	return all
}

var isKept = wire.Change{State: wire.ChangeKept, Now: "a2", Diff: &wire.Diff{Path: "notes/a.txt", Unified: "@@ -1 +1 @@\n-two\n+one\n", Added: 1, Removed: 1}}

// TestPutBack_offered: the record of a write leads to where it is taken back, while what it has replaced is kept, in the
// panel and on the page of the run; one that made the file does not.
func TestPutBack_offered(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	kept := wrote(p, run, time.Now(), "b1", isKept)
	wrote(p, run, time.Now(), "-", wire.Change{State: wire.ChangeNew})
	wrote(p, run, time.Now().Add(-wire.KeptFor-time.Hour), "b0", wire.Change{State: wire.ChangeGone})
	b := h.Owner(t, of)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/app/runs/"+run+"/evidence", nil)
	portaltest.Must(t, err)
	r.Header.Set("HX-Request-Type", "partial")
	for where, got := range map[string]portaltest.Answer{"panel": b.Send(r), "page": b.Get("/app/runs/" + run), "conversation": b.Get("/app/chat/" + p.Sessions[0].ID)} {
		links := got.Find(".receipts a.btn")
		if links.Length() != 1 || links.AttrOr("href", "") != "/app/changes/"+kept.CallID || !strings.Contains(links.Text(), "Restore the earlier version") {
			t.Errorf("%s: %d ways back, the first %q", where, links.Length(), links.Text())
		}
		if n := strings.Count(got.Find(".receipts").Text(), "is no longer kept"); n != 1 {
			t.Errorf("%s: %d are said to be gone", where, n)
		}
	}
}

// TestPutBack: the page shows the change, and its button orders it in the conversation of the write, once.
func TestPutBack(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	w := wrote(p, run, time.Now(), "b1", isKept)
	b, path := h.Owner(t, of), "/app/changes/"+w.CallID
	page := b.Get(path)
	portaltest.WantSound(t, path, page.Document)
	if text := page.Find("main").Text(); page.StatusCode != http.StatusOK || !strings.Contains(text, "notes/a.txt") || page.Find("main .diff .add .text").Text() != "one" || page.Find("[name=anyway]").Length() != 0 {
		t.Fatalf("%d: %s", page.StatusCode, text)
	}
	form := formOf(page, "#back form")
	got := b.Post(path, form)
	session := p.Sessions[0].ID
	if got.StatusCode != http.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), "/app/chat/"+session+"#turn-") {
		t.Fatalf("%d to %s", got.StatusCode, got.Header.Get("Location"))
	}
	if again := b.Post(path, form); again.Header.Get("Location") != got.Header.Get("Location") {
		t.Errorf("sent twice it is another order: %s", again.Header.Get("Location"))
	}
	if all := said(p); len(all) == 0 || all[0] != session+" /restore "+w.CallID {
		t.Errorf("%q", all)
	}
}

// formOf are the fields of a form as a browser sends them.
func formOf(page portaltest.Answer, sel string) url.Values {
	out := url.Values{}
	for _, f := range page.Find(sel + " input").EachIter() {
		if f.AttrOr("type", "") != "checkbox" {
			out.Add(f.AttrOr("name", ""), f.AttrOr("value", ""))
		}
	}
	return out
}

// TestPutBack_changedMeanwhile: what the page has not shown is not ordered, and over a later change only who says so.
func TestPutBack_changedMeanwhile(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	w := wrote(p, run, time.Now(), "b1", isKept)
	b, path := h.Owner(t, of), "/app/changes/"+w.CallID
	form := formOf(b.Get(path), "#back form")
	w.State, w.Now = wire.ChangeLater, "a3"
	w.Diff = &wire.Diff{Path: w.Path, Unified: "@@ -1 +1 @@\n-by hand\n+one\n", Added: 1, Removed: 1}
	becameLike(p, w)
	got := b.Post(path, form)
	if text := got.Find("main").Text(); got.StatusCode != http.StatusConflict || !strings.Contains(text, "has changed since you opened") || !strings.Contains(text, "by hand") {
		t.Fatalf("%d: %s", got.StatusCode, text)
	}
	form = formOf(got, "#back form")
	if got = b.Post(path, form); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Find(".error").Text(), "later change") {
		t.Fatalf("%d: %s", got.StatusCode, got.Find("main").Text())
	}
	if all := said(p); len(all) != 0 {
		t.Fatalf("ordered: %q", all)
	}
	form = formOf(got, "#back form")
	form.Set("anyway", "1")
	if got = b.Post(path, form); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d: %s", got.StatusCode, got.Find("main").Text())
	}
	if all := said(p); len(all) != 1 || !strings.HasSuffix(all[0], "/restore "+w.CallID+" anyway") {
		t.Errorf("%q", all)
	}
}

// TestPutBack_nothing: where nothing can be put back the page says why, and a form from before orders nothing.
func TestPutBack_nothing(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	b := h.Owner(t, of)
	for state, says := range map[wire.ChangeState]string{
		wire.ChangeSame: "already matches", wire.ChangeNew: "no earlier version", wire.ChangeGone: "kept for 30 days",
	} {
		w := wrote(p, run, time.Now(), "b1", wire.Change{State: state, Now: "a2"})
		path := "/app/changes/" + w.CallID
		page := b.Get(path)
		portaltest.WantSound(t, path, page.Document)
		if page.StatusCode != http.StatusOK || !strings.Contains(page.Find("main").Text(), says) || page.Find("main form").Length() != 0 {
			t.Errorf("%s, %d: %s", state, page.StatusCode, page.Find("main").Text())
		}
		if got := b.Post(path, url.Values{"now": {"a2"}, "anyway": {"1"}}); got.StatusCode != http.StatusConflict {
			t.Errorf("%s: ordered, %d", state, got.StatusCode)
		}
	}
	for _, id := range []string{portaltest.NewID(), "x"} {
		if got := b.Get("/app/changes/" + id); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", id, got.StatusCode)
		}
	}
	w := wrote(p, run, time.Now(), "b1", isKept)
	p.Away(t)
	if got := b.Get("/app/changes/" + w.CallID); got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.Find("main").Text(), "does not answer") {
		t.Errorf("away: %d", got.StatusCode)
	}
	if got := b.Post("/app/changes/"+w.CallID, url.Values{"now": {"a2"}}); got.StatusCode != http.StatusServiceUnavailable || len(said(p)) != 0 {
		t.Errorf("away: %d, %q", got.StatusCode, said(p))
	}
}

// TestWritten_leadsToFile: the record of a write leads to the page of its file; that of what wrote none does not.
func TestWritten_leadsToFile(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	p.Lock()
	log := p.Receipts[run]
	log.Items = append(log.Items, wire.Receipt{
		Seq: 30, Time: time.Now(), Type: "call.finished", RunID: run, CallID: portaltest.NewID(), Tool: "file_write", Tier: "yellow",
		Body: []byte(`{"summary":"Wrote notes/ä b.txt","meta":{"before":"-"},"effects":[{"kind":"written","target":"notes/ä b.txt"}]}`),
	})
	p.Receipts[run] = log
	p.Unlock()
	links := h.Owner(t, of).Get("/app/runs/" + run).Find(`.receipts a[href^="/app/files/"]`)
	if links.Length() != 1 || links.AttrOr("href", "") != "/app/files/view?path=notes%2F%C3%A4+b.txt" || links.Text() != "Open the file" {
		t.Errorf("%d links to files, the first %q", links.Length(), links.AttrOr("href", ""))
	}
}
