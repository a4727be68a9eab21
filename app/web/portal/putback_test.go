package portal_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// wrote adds a finished write to the record of the demo's run, with what the server says of taking it back.
func (p *peer) wrote(run string, at time.Time, before string, c wire.Change) wire.Change {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.CallID, c.RunID, c.Agent, c.Path, c.Time, c.Until = newID(), run, "dispatcher", "notes/a.txt", at, at.Add(wire.KeptFor)
	p.changes[c.CallID] = c
	log := p.receipts[run]
	log.Items = append(log.Items, wire.Receipt{
		Seq: int64(20 + len(log.Items)), Time: at, Type: "call.finished", RunID: run, CallID: c.CallID, Tool: "file_write", Tier: "yellow", Hash: "h", PrevHash: "h",
		Body: []byte(`{"summary":"Changed notes/a.txt, 4 B","meta":{"before":` + strconv.Quote(before) + `,"after":"a2"}}`),
	})
	p.receipts[run] = log
	return c
}

func (p *peer) becameLike(c wire.Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes[c.CallID] = c
}

func (p *peer) said() (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.posted {
		all = append(all, m.SessionID+" "+m.Text)
	}
	return all
}

var isKept = wire.Change{State: wire.ChangeKept, Now: "a2", Diff: &wire.Diff{Path: "notes/a.txt", Unified: "@@ -1 +1 @@\n-two\n+one\n", Added: 1, Removed: 1}}

// TestPutBack_offered: the record of a write leads to where it is taken back, while what it has replaced is kept, in the
// panel and on the page of the run; one that made the file does not.
func TestPutBack_offered(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, _, run := h.demo(t, of)
	kept := p.wrote(run, time.Now(), "b1", isKept)
	p.wrote(run, time.Now(), "-", wire.Change{State: wire.ChangeNew})
	p.wrote(run, time.Now().Add(-wire.KeptFor-time.Hour), "b0", wire.Change{State: wire.ChangeGone})
	b := h.owner(t, of)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/app/runs/"+run+"/evidence", nil)
	must(t, err)
	r.Header.Set("HX-Request-Type", "partial")
	for where, got := range map[string]answer{"panel": b.send(r), "page": b.get("/app/runs/" + run), "conversation": b.get("/app/chat/" + p.sessions[0].ID)} {
		links := got.Find(".receipt a.btn")
		if links.Length() != 1 || links.AttrOr("href", "") != "/app/changes/"+kept.CallID || !strings.Contains(links.Text(), "Put back what was there before") {
			t.Errorf("%s: %d ways back, the first %q", where, links.Length(), links.Text())
		}
		if n := strings.Count(got.Find(".receipts").Text(), "was kept for 30 days and is gone"); n != 1 {
			t.Errorf("%s: %d are said to be gone", where, n)
		}
	}
}

// TestPutBack: the page shows the change, and its button orders it in the conversation of the write, once.
func TestPutBack(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, _, run := h.demo(t, of)
	w := p.wrote(run, time.Now(), "b1", isKept)
	b, path := h.owner(t, of), "/app/changes/"+w.CallID
	page := b.get(path)
	wantSound(t, path, page.Document)
	if text := page.Find("main").Text(); page.StatusCode != http.StatusOK || !strings.Contains(text, "notes/a.txt") || page.Find("main .diff .add .text").Text() != "one" || page.Find("[name=anyway]").Length() != 0 {
		t.Fatalf("%d: %s", page.StatusCode, text)
	}
	form := formOf(page, "#back form")
	got := b.post(path, form)
	session := p.sessions[0].ID
	if got.StatusCode != http.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), "/app/chat/"+session+"#turn-") {
		t.Fatalf("%d to %s", got.StatusCode, got.Header.Get("Location"))
	}
	if again := b.post(path, form); again.Header.Get("Location") != got.Header.Get("Location") {
		t.Errorf("sent twice it is another order: %s", again.Header.Get("Location"))
	}
	if all := p.said(); len(all) == 0 || all[0] != session+" /restore "+w.CallID {
		t.Errorf("%q", all)
	}
}

// formOf are the fields of a form as a browser sends them.
func formOf(page answer, sel string) url.Values {
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
	h := start(t)
	of := h.newCustomer(t)
	p, _, run := h.demo(t, of)
	w := p.wrote(run, time.Now(), "b1", isKept)
	b, path := h.owner(t, of), "/app/changes/"+w.CallID
	form := formOf(b.get(path), "#back form")
	w.State, w.Now = wire.ChangeLater, "a3"
	w.Diff = &wire.Diff{Path: w.Path, Unified: "@@ -1 +1 @@\n-by hand\n+one\n", Added: 1, Removed: 1}
	p.becameLike(w)
	got := b.post(path, form)
	if text := got.Find("main").Text(); got.StatusCode != http.StatusConflict || !strings.Contains(text, "has changed since you looked") || !strings.Contains(text, "by hand") {
		t.Fatalf("%d: %s", got.StatusCode, text)
	}
	form = formOf(got, "#back form")
	if got = b.post(path, form); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Find(".error").Text(), "later change") {
		t.Fatalf("%d: %s", got.StatusCode, got.Find("main").Text())
	}
	if all := p.said(); len(all) != 0 {
		t.Fatalf("ordered: %q", all)
	}
	form = formOf(got, "#back form")
	form.Set("anyway", "1")
	if got = b.post(path, form); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d: %s", got.StatusCode, got.Find("main").Text())
	}
	if all := p.said(); len(all) != 1 || !strings.HasSuffix(all[0], "/restore "+w.CallID+" anyway") {
		t.Errorf("%q", all)
	}
}

// TestPutBack_nothing: where nothing can be put back the page says why, and a form from before orders nothing.
func TestPutBack_nothing(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, _, run := h.demo(t, of)
	b := h.owner(t, of)
	for state, says := range map[wire.ChangeState]string{
		wire.ChangeSame: "as it was before", wire.ChangeNew: "no file before", wire.ChangeGone: "kept for 30 days",
	} {
		w := p.wrote(run, time.Now(), "b1", wire.Change{State: state, Now: "a2"})
		path := "/app/changes/" + w.CallID
		page := b.get(path)
		wantSound(t, path, page.Document)
		if page.StatusCode != http.StatusOK || !strings.Contains(page.Find("main").Text(), says) || page.Find("main form").Length() != 0 {
			t.Errorf("%s, %d: %s", state, page.StatusCode, page.Find("main").Text())
		}
		if got := b.post(path, url.Values{"now": {"a2"}, "anyway": {"1"}}); got.StatusCode != http.StatusConflict {
			t.Errorf("%s: ordered, %d", state, got.StatusCode)
		}
	}
	for _, id := range []string{newID(), "x"} {
		if got := b.get("/app/changes/" + id); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", id, got.StatusCode)
		}
	}
	w := p.wrote(run, time.Now(), "b1", isKept)
	p.away(t)
	if got := b.get("/app/changes/" + w.CallID); got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.Find("main").Text(), "away") {
		t.Errorf("away: %d", got.StatusCode)
	}
	if got := b.post("/app/changes/"+w.CallID, url.Values{"now": {"a2"}}); got.StatusCode != http.StatusServiceUnavailable || len(p.said()) != 0 {
		t.Errorf("away: %d, %q", got.StatusCode, p.said())
	}
}
