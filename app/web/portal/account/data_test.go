package account_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// archived is a server that has made an archive of several stretches.
func archived(p *portaltest.Peer) (id string, whole []byte) {
	id, whole = portaltest.NewID(), bytes.Repeat([]byte("0123456789abcdef"), 3*wire.ExportPartSize/16)
	whole = whole[:2*wire.ExportPartSize+1000]
	made := wire.Export{State: wire.ExportNone}
	p.Also = func(_ context.Context, m wire.Method, raw json.RawMessage) (any, error) {
		switch m {
		case wire.MethodExportStart:
			made = wire.Export{ID: id, State: wire.ExportDone, Size: int64(len(whole)), At: time.Now()}
			made.Until = made.At.Add(wire.ExportKept)
			return made, nil
		case wire.MethodExportGet:
			return made, nil
		case wire.MethodExportRead:
			var in wire.ExportRead
			if err := json.Unmarshal(raw, &in); err != nil || in.ID != made.ID || in.Offset > made.Size {
				return nil, &wire.RPCError{Code: "not_found", Text: "It is not here."}
			}
			part := whole[in.Offset:min(made.Size, in.Offset+wire.ExportPartSize)]
			return wire.Boxed{Result: wire.ExportPart{Size: made.Size}, Box: part}, nil
		}
		return nil, &wire.RPCError{Code: "bad_request", Text: "Unknown question."}
	}
	return id, whole
}

// TestData: the archive is made with one press and comes whole, or from where a download was cut; nobody else gets it, and
// while the server is away the page says why there is none.
func TestData(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of, other := h.NewCustomer(t), h.NewCustomer(t)
	p, stranger := h.Link(t, of), h.Link(t, other)
	id, whole := archived(p)
	archived(stranger)
	b := h.Owner(t, of)
	before := b.Get("/app/settings/data")
	if before.Find("a[download]").Length() != 0 || before.Find("form[action='/app/settings/data'] button").Length() != 1 {
		t.Errorf("before: %s", before.Find("main").Text())
	}
	if got := b.Get("/app/settings/data/" + id); got.StatusCode != http.StatusNotFound {
		t.Errorf("an archive that was not made: %d", got.StatusCode)
	}
	b.Post("/app/settings/data", url.Values{})
	link := b.Get("/app/settings/data").Find("a[download]").AttrOr("href", "")
	if link != "/app/settings/data/"+id {
		t.Fatalf("the archive lies at %q", link)
	}
	got := b.Get(link)
	if kind := got.Header.Get("Content-Type"); got.StatusCode != http.StatusOK || got.Source != string(whole) || kind != "application/zip" {
		t.Errorf("%d, %d of %d bytes, %s", got.StatusCode, len(got.Source), len(whole), kind)
	}
	for name, c := range map[string]struct {
		rng, same string
		from      int
	}{
		"the rest":           {"bytes=300000-", "", 300000},
		"of the same":        {"bytes=5-", `"` + id + `"`, 5},
		"of another":         {"bytes=5-", `"another"`, 0},
		"a stretch of it":    {"bytes=5-9", "", 0},
		"what is no stretch": {"bytes=x-", "", 0},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+link, nil)
		portaltest.Must(t, err)
		r.Header.Set("Range", c.rng)
		if c.same != "" {
			r.Header.Set("If-Range", c.same)
		}
		got := b.Send(r)
		want := http.StatusOK
		if c.from > 0 {
			want = http.StatusPartialContent
		}
		if got.StatusCode != want || got.Source != string(whole[c.from:]) {
			t.Errorf("%s: %d with %d bytes, want %d with %d", name, got.StatusCode, len(got.Source), want, len(whole)-c.from)
		}
	}
	if got := h.Owner(t, other).Get(link); got.StatusCode != http.StatusNotFound {
		t.Errorf("another customer gets %d", got.StatusCode)
	}
	p.Away(t)
	if page := b.Get("/app/settings/data"); !strings.Contains(page.Find("main").Text(), "no archive can be made now") {
		t.Errorf("away: %s", page.Find("main").Text())
	}
}
