package account_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web/portal/portaltest"
)

// TestKnown: the owner gets what the website knows about the business as a file, also while the server is away; a member does not,
// and nobody gets what is about another customer.
func TestKnown(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of, other := h.NewCustomer(t), h.NewCustomer(t)
	h.Link(t, of).Away(t)
	member := h.Member(t, of, "A baker", account.Rights{Role: account.Member, Chat: true})
	b := h.Owner(t, of)
	form := b.Get("/app/settings/data").Find("form[action='/app/settings/data/account']")
	if form.Find("button").Length() != 1 {
		t.Fatal("the page offers no file")
	}
	got := b.Post("/app/settings/data/account", url.Values{})
	var parts struct {
		People []map[string]any  `json:"people"`
		Left   map[string]string `json:"not in this file"`
	}
	if err := json.Unmarshal([]byte(got.Source), &parts); err != nil || got.StatusCode != http.StatusOK {
		t.Fatalf("%d: %v: %s", got.StatusCode, err, got.Source)
	}
	name := got.Header.Get("Content-Disposition")
	if !strings.Contains(name, "account.json") || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("it comes as %s, %s", name, got.Header.Get("Cache-Control"))
	}
	mine := strings.Contains(got.Source, member.Email) && !strings.Contains(got.Source, other.Email)
	if len(parts.People) != 2 || !mine || len(parts.Left) == 0 {
		t.Errorf("it says %s", got.Source)
	}
}

// TestData_files: the archive of files comes sealed, to a browser with a key alone; what is not in it stands on the page with the
// reason; a server that packs none says so.
func TestData_files(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	id := portaltest.NewID()
	made := wire.Export{ID: id, State: wire.ExportDone, Size: 1, At: time.Now(), Until: time.Now().Add(time.Hour)}
	p.Also = func(_ context.Context, m wire.Method, raw json.RawMessage) (any, error) {
		if m == wire.MethodExportGet {
			return made, nil
		}
		var in wire.ExportFilesRead
		err := json.Unmarshal(raw, &in)
		if want := (wire.ExportFilesRead{ID: id, Offset: 7, ReplyKey: "k"}); err != nil || m != wire.MethodExportFiles || in != want {
			return nil, &wire.RPCError{Code: "bad_request", Text: "Unknown question."}
		}
		return wire.Boxed{Result: wire.FilePart{Size: 100}, Box: []byte("sealed")}, nil
	}
	b := h.Owner(t, of)
	page := b.Get("/app/settings/data")
	if page.Find("form[data-download]").Length() != 0 || !strings.Contains(page.Find("main").Text(), "does not pack files yet") {
		t.Errorf("a server that packs none: %s", page.Find("main").Text())
	}
	made.Files = &wire.ExportFiles{Count: 3, Size: 100, Left: []wire.ExportLeft{
		{Why: wire.ExportClosed, Count: 7, Some: []string{".env", "keys/<a>.pem"}},
		{Why: wire.ExportOver, Count: 1, Some: []string{"film.mov"}},
		{Why: "something new", Count: 2, Some: []string{"x"}},
	}}
	page = b.Get("/app/settings/data")
	left := strings.Join(strings.Fields(page.Find("[data-left]").Text()), " ")
	for _, want := range []string{
		"7 files or folders whose names say that they may hold passwords or keys. .env, keys/<a>.pem and 5 more",
		"1 file over the limit of 1 GB. Download it on the Files page. film.mov", "2 links, devices or unreadable folders. x",
	} {
		if !strings.Contains(left, want) {
			t.Errorf("left out is %q, want %q", left, want)
		}
	}
	if page.Find("script[src*=files]").Length() != 1 {
		t.Error("the page lacks the script that opens the files")
	}
	form := page.Find("form[data-download]")
	if form.AttrOr("data-method", "") != string(wire.MethodExportFiles) || form.AttrOr("data-server", "") != string(of.Server) ||
		form.AttrOr("data-version", "") != id || form.AttrOr("data-size", "") != "100" {
		t.Errorf("the script is told %s", page.Find("main").Text())
	}
	portaltest.WantSound(t, "/app/settings/data", page.Document)
	path := form.AttrOr("action", "")
	if got := b.Get(path + "?offset=7&key=k"); got.StatusCode != http.StatusOK || got.Source != "sealed" {
		t.Errorf("a stretch: %d, %q", got.StatusCode, got.Source)
	}
	if got := b.Get(path); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Source, "needs JavaScript") {
		t.Errorf("without a key: %d", got.StatusCode)
	}
}
