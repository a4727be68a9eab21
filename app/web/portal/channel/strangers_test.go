package channel_test

import (
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

// visited is a server with one channel that is open to everybody, and who wrote to it.
type visited struct {
	keeper
	wrote []wire.ChannelStranger
	asked []wire.ChannelStrangersParams
	next  string
}

func (v *visited) answer(ctx context.Context, m wire.Method, raw json.RawMessage) (any, error) {
	if m != wire.MethodChannelStrangers {
		return v.keeper.answer(ctx, m, raw)
	}
	var p wire.ChannelStrangersParams
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	v.asked = append(v.asked, p)
	return wire.ChannelStrangersResult{Items: v.wrote, Next: v.next}, nil
}

func openChannel() *wire.Channel {
	return &wire.Channel{
		Name: "telegram", State: wire.ChannelActive, Agent: "it-admin", Policy: wire.ChannelOpen, Version: 3,
		Chat: wire.ChatSettings{Account: "4200000001"}, Live: wire.ChannelLive{Connected: true},
		Strangers: wire.StrangerSettings{Replies: true, Language: "de"},
		Wrote:     wire.StrangerCounts{Talking: 4, Person: 1, Out: 2, Erased: 3, LastErased: time.Now()},
	}
}

// TestStrangers: the page of a channel that is open to everybody says how it deals with those who write; their list says who they are and
// what can be done, page by page, and leads back to where an act was made.
func TestStrangers(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	s := &visited{keeper: keeper{kept: openChannel()}}
	p.Also = s.answer
	b := h.Owner(t, of)
	page := b.Get("/app/channels")
	portaltest.WantSound(t, "/app/channels", page.Document)
	for _, want := range []string{
		"answers by itself", "30 messages an hour and 100 a day", "4 with the agent, 1 with a person, 2 stopped", "3 in 90 days",
		"1 conversation waits for a person.",
	} {
		if text := page.Find("#guests-telegram").Text(); !strings.Contains(text, want) {
			t.Errorf("the channel does not say %q: %s", want, text)
		}
	}
	const at = "/app/channels/people?channel=telegram"
	empty := b.Get(at)
	portaltest.WantSound(t, at, empty.Document)
	if text := empty.Find("main").Text(); !strings.Contains(text, "Nobody has written yet") {
		t.Errorf("%s", text)
	}
	s.next = "1780000000000000." + portaltest.NewID()
	for i, state := range []wire.StrangerState{wire.StrangerPerson, wire.StrangerTalking, wire.StrangerOut, wire.StrangerBlocked, wire.StrangerErasing} {
		s.wrote = append(s.wrote, wire.ChannelStranger{
			ID: portaltest.NewID(), Channel: "telegram", Address: string('1'+rune(i)) + "000000009", Name: "Sam <b>", State: state, Messages: i + 1,
			Session: portaltest.NewID(), Last: time.Now(), First: time.Now(), Since: time.Now(),
		})
	}
	page = b.Get(at + "&state=person")
	portaltest.WantSound(t, at, page.Document)
	text := page.Find("main").Text()
	for _, want := range []string{"1000000009 (Sam <b>)", "With a person", "With the agent", "Stopped", "Blocked", "Being deleted", "Hand back"} {
		if !strings.Contains(text, want) {
			t.Errorf("the list does not say %q: %s", want, text)
		}
	}
	if n := page.Find("textarea[name=text]").Length(); n != 2 {
		t.Errorf("%d of them can be answered", n)
	}
	if href := page.Find("a[href*='after=']").AttrOr("href", ""); !strings.Contains(href, "state=person") {
		t.Errorf("the next page is %q", href)
	}
	if got := s.asked[len(s.asked)-1]; got.State != wire.StrangerPerson || got.Channel != "telegram" || got.Limit != 25 {
		t.Errorf("%+v", got)
	}
	act := page.Find("form:contains('Hand back') input[name=act]").AttrOr("value", "")
	back := page.Find("form:contains('Hand back') input[name=back]").AttrOr("value", "")
	got := b.Post("/app/channels/change", url.Values{"act": {act}, "back": {back}})
	if to := got.Header.Get("Location"); got.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/app/channels/people?") {
		t.Errorf("%d to %q", got.StatusCode, to)
	}
	if a := s.got[0].Act; a.Do != wire.ChannelDoBack || a.Person != s.wrote[0].ID {
		t.Errorf("%+v", a)
	}
	got = b.Post("/app/channels/change", url.Values{"act": {act}, "back": {"https://elsewhere.example/app/channels/people"}})
	if to := got.Header.Get("Location"); to != "/app/channels" {
		t.Errorf("an act leads to %q", to)
	}
	if text := b.Get(at).Find("body").Text(); !strings.Contains(text, "The agent goes on.") {
		t.Errorf("%s", text)
	}
}

// TestStrangers_chosen: the form holds what is set for those who write.
func TestStrangers_chosen(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	p.Also = (&visited{keeper: keeper{kept: openChannel()}}).answer
	form := h.Owner(t, of).Get("/app/channels/telegram")
	if form.Find("[name=stranger_replies][value=direct][checked]").Length() != 1 ||
		form.Find("[name=stranger_language] option[value=de][selected]").Length() != 1 {
		t.Errorf("%s", form.Find("#channel-form").Text())
	}
}
