package channel_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web/portal/portaltest"
)

// keeper is a server that keeps one channel.
type keeper struct {
	kept *wire.Channel
	got  []wire.ChannelChange
	to   []string
	old  bool // a version that knows no channels
}

func (k *keeper) answer(_ context.Context, m wire.Method, raw json.RawMessage) (any, error) {
	switch m {
	case wire.MethodChannelsList:
		if k.old {
			return nil, &wire.RPCError{Code: "bad_request", Text: `This server does not answer "channels.list".`}
		}
		var r wire.ChannelsResult
		if k.kept != nil {
			r.Items = []wire.Channel{*k.kept}
		}
		return r, nil
	case wire.MethodChannelTest:
		var t wire.ChannelTest
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, err
		}
		k.to = append(k.to, t.To)
		return wire.ChannelTested{Sends: "The mail server cannot be reached. It is tried again."}, nil
	case wire.MethodChannelChange:
		var c wire.ChannelChange
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, err
		}
		return k.change(c)
	}
	return nil, fault.New(fault.NotFound, "not-found", "no such thing", "There is no such thing.")
}

func (k *keeper) change(c wire.ChannelChange) (any, error) {
	k.got = append(k.got, c)
	switch {
	case c.Act.Do == wire.ChannelDoPut && c.Act.Mail.Address == "":
		return nil, &wire.RPCError{Code: "bad_request", Text: "The user name of the mailbox is missing. Nothing was saved."}
	case c.Act.Do == wire.ChannelDoPut && k.kept != nil && c.Act.Version != k.kept.Version:
		return nil, &wire.RPCError{Code: "conflict", Text: "The channel was changed meanwhile. Nothing was saved; look at it again."}
	case c.Act.Do == wire.ChannelDoPut:
		k.kept = &wire.Channel{
			Name: "email", State: wire.ChannelActive, Agent: "it-admin", Policy: wire.ChannelPairing, Mail: c.Act.Mail, Version: 1,
			Live:   wire.ChannelLive{LastError: "The mail server cannot be reached. It is tried again."},
			Counts: wire.ChannelCounts{Unknown: 1},
			People: []wire.ChannelPerson{
				{ID: portaltest.NewID(), Address: "someone@elsewhere.example", State: wire.PersonWaiting, Code: "K7Q2MX"},
			},
		}
	case c.Act.Do == wire.ChannelDoRemove:
		was := k.kept
		k.kept = nil
		return *was, nil
	}
	return *k.kept, nil
}

// TestChannels: an owner sets up a mailbox, tests it, sees who waits and removes it; no form would send the password; what the server
// refuses is said beside what was typed.
func TestChannels(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	s := &keeper{}
	p.Also = s.answer
	b := h.Owner(t, of)
	says := func(path string, want ...string) {
		t.Helper()
		page := b.Get(path)
		portaltest.WantSound(t, path, page.Document)
		for _, w := range want {
			if text := page.Find("body").Text(); !strings.Contains(text, w) {
				t.Errorf("%s does not say %q: %s", path, w, page.Find("main").Text())
			}
		}
	}
	says("/app/channels", "No channel yet")
	says("/app/channels/email", "Gmail", "Server that checks senders")
	if n := b.Get("/app/channels/email").Find("[data-secret][name]").Length(); n != 0 {
		t.Error("the field of the password would be sent")
	}
	send := func(a wire.ChannelAct) portaltest.Answer {
		a.ID, a.Channel = portaltest.NewID(), "email"
		raw, err := json.Marshal(a)
		portaltest.Must(t, err)
		return b.Post("/app/channels/change", url.Values{"act": {string(raw)}, "signature": {""}})
	}
	a := wire.ChannelAct{Do: wire.ChannelDoPut, Agent: "it-admin", Policy: wire.ChannelPairing}
	if got := send(a); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Find("main").Text(), "is missing") {
		t.Errorf("%d %s", got.StatusCode, got.Find("main").Text())
	}
	a.Mail.Address = "team@example.com"
	if got := send(a); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d", got.StatusCode)
	}
	says("/app/channels", "The mailbox is saved.", "team@example.com", "Not connected", "cannot be reached",
		"someone@elsewhere.example", "K7Q2MX", "1 of which it is not known", "Waiting for you")
	got := b.Post("/app/channels/test", url.Values{"channel": {"email"}, "send": {"yes"}})
	if !strings.Contains(got.Find("main").Text(), "Sending does not work") {
		t.Errorf("%d %s", got.StatusCode, got.Find("main").Text())
	}
	if len(s.to) != 1 || !strings.Contains(s.to[0], "@") {
		t.Errorf("a test message goes to %q", s.to)
	}
	if got := send(wire.ChannelAct{Do: wire.ChannelDoRemove}); got.StatusCode != http.StatusSeeOther {
		t.Errorf("remove: %d", got.StatusCode)
	}
	says("/app/channels", "The mailbox is removed.", "No channel yet")
	if got := b.Post("/app/channels/change", url.Values{"act": {"{"}}); got.StatusCode != http.StatusBadRequest {
		t.Errorf("rubbish: %d", got.StatusCode)
	}
	if len(s.got) != 3 || s.got[1].By.Role != "owner" {
		t.Errorf("%+v", s.got)
	}
}

// TestChannels_changedMeanwhile: a form that came too late holds what was typed and the version of now, so that it can be signed again.
func TestChannels_changedMeanwhile(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	p.Also = (&keeper{kept: &wire.Channel{
		Name: "email", State: wire.ChannelPaused, Agent: "it-admin", Policy: wire.ChannelPairing, Version: 7,
	}}).answer
	b := h.Owner(t, of)
	a := wire.ChannelAct{
		ID: portaltest.NewID(), Do: wire.ChannelDoPut, Channel: "email", Agent: "it-admin", Policy: wire.ChannelPairing, Version: 5,
		Mail: wire.MailSettings{Address: "other@example.com"},
	}
	raw, err := json.Marshal(a)
	portaltest.Must(t, err)
	page := b.Post("/app/channels/change", url.Values{"act": {string(raw)}, "signature": {""}})
	var next wire.ChannelAct
	portaltest.Must(t, json.Unmarshal([]byte(page.Find("#channel-form input[name=act]").AttrOr("value", "")), &next))
	if page.StatusCode != http.StatusUnprocessableEntity || next.Version != 7 || next.Mail.Address != "other@example.com" {
		t.Errorf("%d %+v", page.StatusCode, next)
	}
	if b.Get("/app/channels").Find("input[name=send]").Length() != 0 {
		t.Error("a paused channel offers to send a test message")
	}
}

// TestChannels_older: a server of before channels is said to be too old.
func TestChannels_older(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	p.Also = (&keeper{old: true}).answer
	b := h.Owner(t, of)
	for _, path := range []string{"/app/channels", "/app/channels/email"} {
		if text := b.Get(path).Find("body").Text(); !strings.Contains(text, "is too old for channels") {
			t.Errorf("%s: %s", path, text)
		}
	}
}

// TestMessenger: an owner sees what to do at the messenger, sets it up with a token that no form would send, and is told who is reached;
// a test message goes to what the owner is known as there.
func TestMessenger(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	s := &keeper{}
	p.Also = s.answer
	b := h.Owner(t, of)
	form := b.Get("/app/channels/telegram")
	portaltest.WantSound(t, "/app/channels/telegram", form.Document)
	if text := form.Find("main").Text(); !strings.Contains(text, "@BotFather") || !strings.Contains(text, "Read nothing in groups") {
		t.Errorf("%s", text)
	}
	if form.Find("[data-secret][name]").Length() != 0 || form.Find("[data-secret][data-account]").Length() != 1 {
		t.Error("the field of the token would be sent, or no account is signed")
	}
	s.kept = &wire.Channel{
		Name: "telegram", State: wire.ChannelActive, Agent: "it-admin", Policy: wire.ChannelPairing, Version: 1,
		Chat: wire.ChatSettings{Account: "4200000001"}, Live: wire.ChannelLive{Connected: true, Account: "@team_test_bot"},
		People: []wire.ChannelPerson{
			{ID: portaltest.NewID(), Address: "8000000002", Name: "Other <b>", State: wire.PersonWaiting, Code: "K7Q2MX"},
			{ID: portaltest.NewID(), Address: "8000000001", Name: "Owner", State: wire.PersonPaired, Owner: true},
		},
	}
	page := b.Get("/app/channels")
	portaltest.WantSound(t, "/app/channels", page.Document)
	text := page.Find("main").Text()
	for _, want := range []string{
		"@team_test_bot (4200000001)", "8000000002 (Other <b>)", "K7Q2MX", "Add a person by number", "Add a channel",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	if page.Find("#new a[href='/app/channels/telegram']").Length() != 0 || page.Find("#new a[href='/app/channels/email']").Length() != 1 {
		t.Error("what can be added is not what is missing")
	}
	b.Post("/app/channels/test", url.Values{"channel": {"telegram"}, "send": {"yes"}})
	if len(s.to) != 1 || s.to[0] != "8000000001" {
		t.Errorf("a test message goes to %q", s.to)
	}
}

// TestMessenger_discord: the page of a Discord bot says each step, and has its token sealed and its account signed.
func TestMessenger_discord(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	p.Also = (&keeper{}).answer
	form := h.Owner(t, of).Get("/app/channels/discord")
	portaltest.WantSound(t, "/app/channels/discord", form.Document)
	text := form.Find("main").Text()
	for _, want := range []string{"New Application", "Message Content Intent", "Reset Token", "URL Generator", "Read nothing in groups"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	if form.Find("[data-secret][name]").Length() != 0 || form.Find("[data-secret][data-account]").Length() != 1 {
		t.Error("the field of the token would be sent, or no account is signed")
	}
}

// TestMessenger_slack: the page of a Slack app says each step, gives the manifest to paste, and has both tokens sealed as fields of one
// value; the one of the app names what is signed.
func TestMessenger_slack(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	p.Also = (&keeper{}).answer
	form := h.Owner(t, of).Get("/app/channels/slack")
	portaltest.WantSound(t, "/app/channels/slack", form.Document)
	text := form.Find("main").Text()
	for _, want := range []string{
		"From a manifest", "Bot User OAuth Token", "connections:write", "socket_mode_enabled", "Read nothing in groups",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	if !json.Valid([]byte(form.Find("figure.codeblock code").Text())) {
		t.Error("the manifest cannot be pasted as JSON")
	}
	var fields []string
	form.Find("[data-secret]").Each(func(_ int, s *goquery.Selection) { fields = append(fields, s.AttrOr("data-secret", "")) })
	if !slices.Equal(fields, []string{"bot_token", "app_token"}) || form.Find("[data-secret][name]").Length() != 0 {
		t.Errorf("%q", fields)
	}
	account := regexp.MustCompile(form.Find("[data-secret=app_token]").AttrOr("data-account", ""))
	if got := account.FindStringSubmatch("xapp-1-A0TEAMTEST-123-abc"); len(got) != 2 || got[1] != "A0TEAMTEST" {
		t.Errorf("%q is signed", got)
	}
}

// TestMessenger_signal: the page of a Signal account says each step and which command to run, and asks for its number, which is signed;
// there is no secret.
func TestMessenger_signal(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	p.Also = (&keeper{kept: &wire.Channel{
		Name: "signal", State: wire.ChannelActive, Agent: "it-admin", Policy: wire.ChannelPairing, Version: 1,
		Chat: wire.ChatSettings{Account: "+4930555000001"}, Live: wire.ChannelLive{Connected: true, Account: "signal-cli 0.13.18"},
	}}).answer
	b := h.Owner(t, of)
	form := b.Get("/app/channels/signal")
	portaltest.WantSound(t, "/app/channels/signal", form.Document)
	text := form.Find("main").Text()
	for _, want := range []string{"signal-cli link", "--receive-mode on-connection", "Number of the account"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	if form.Find("[data-secret]").Length() != 0 || form.Find("input[name=chat_account]").AttrOr("value", "") != "+4930555000001" {
		t.Error("a secret is asked for, or the number that is set is not shown")
	}
	if text := b.Get("/app/channels").Find("#signal").Text(); !strings.Contains(text, "signal-cli 0.13.18 (+4930555000001)") {
		t.Errorf("which signal-cli runs is not said: %s", text)
	}
}
