package home_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestHome_secrets: what waits for a secret needs the owner too, and leads to where it is given.
func TestHome_secrets(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, a, run := h.Demo(t, of)
	now := time.Now()
	for i, name := range []string{"crm.last", "crm.third", "crm.second", "crm.first"} {
		p.Secrets = append(p.Secrets, wire.SecretRequest{ID: "call-" + name, RootRunID: run, Agent: "it-admin", Name: name, State: "pending", CreatedAt: now, ExpiresAt: now.Add(time.Duration(9-i) * time.Hour)})
	}
	p.Secrets = append(p.Secrets, wire.SecretRequest{ID: "given", RootRunID: run, Agent: "it-admin", Name: "crm.given", State: "provided", ExpiresAt: now})
	b := h.Owner(t, of)
	page := b.Get("/app")
	needs := page.Find(".need")
	if got := strings.Join(needs.Find(".need-asks").Map(func(_ int, s *goquery.Selection) string { return s.Text() }), " "); !strings.HasSuffix(got, "crm.first crm.second crm.third") || needs.Find("a[href$='"+a.ID+"']").Length() != 1 {
		t.Errorf("the page needs %s", got)
	}
	if text := page.Find("main").Text(); !strings.Contains(text, "1 request needs your approval. 4 credentials are needed") || !strings.Contains(text, "1 more credential") || !strings.Contains(text, "IT admin needs a credential") {
		t.Errorf("the page says %s", text)
	}
	portaltest.WantSound(t, "/app", page.Document)
	href := page.Find("#need-call-crm\\.first a").AttrOr("href", "")
	if got := b.Get(strings.TrimSuffix(href, "#secret-call-crm.first")); got.Header.Get("Location") != "/app/chat/"+p.Sessions[0].ID {
		t.Errorf("%s leads to %q", href, got.Header.Get("Location"))
	}
	for path, status := range map[string]int{"/app/runs/" + portaltest.NewID() + "/talk": http.StatusNotFound, "/app/runs/x/talk": http.StatusNotFound} {
		if got := b.Get(path); got.StatusCode != status {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	if got := h.Owner(t, h.NewCustomer(t)).Get("/app/runs/" + run + "/talk"); got.StatusCode == http.StatusSeeOther {
		t.Error("a stranger is led to the conversation")
	}
}

// TestHome_guests: who asks for a person by a channel is said on the first page that the owner sees, and leads to the conversations.
func TestHome_guests(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	b := h.Owner(t, of)
	if text := b.Get("/app").Find("main").Text(); strings.Contains(text, "asks for a person") {
		t.Errorf("a server that knows of no channels: %s", text)
	}
	p.Also = func(_ context.Context, m wire.Method, _ json.RawMessage) (any, error) {
		if m != wire.MethodChannelsList {
			return nil, &wire.RPCError{Code: "bad_request", Text: "Unknown question."}
		}
		return wire.ChannelsResult{Items: []wire.Channel{
			{Name: wire.ChannelEmail}, {Name: wire.ChannelWhatsApp, Wrote: wire.StrangerCounts{Person: 2}},
		}}, nil
	}
	page := b.Get("/app")
	portaltest.WantSound(t, "/app", page.Document)
	if text := page.Find("main").Text(); !strings.Contains(text, "2 people who wrote by WhatsApp ask for a person.") {
		t.Errorf("the page says %s", text)
	}
	if page.Find("main a[href='/app/channels/people?channel=whatsapp&state=person']").Length() != 1 {
		t.Error("no link leads to them")
	}
}
