package story

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/whatsapp/whatsapptest"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestWhatsApp: an owner sets up a number as the page says, with three secrets that leave the browser sealed as one. Meta takes the address
// that the page then shows, and brings messages to it; the owner confirms themselves by the code that comes back, and asks the team. What
// is brought while agentd is away comes again. One secret alone is changed, and the others stay.
func TestWhatsApp(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	m := whatsapptest.Start(t)
	h.Own(t, h.Server("state", channel.ProvidersFile), "whatsapp: {base_url: '"+m.URL+"'}\n", 0o600)
	h.KillAgentd(t)
	h.AwaitSettings(t)
	h.Plant("access token", m.Token())
	h.Plant("app secret", m.Secret)
	owner := whatsapptest.Person{Phone: "4915550000001", Name: "Owner"}

	channelState(p, "#new", "WhatsApp") // agentd has begun again, and answers
	p.Click("#new a[href='/app/channels/whatsapp']")
	p.See("main", "Generate token")
	p.InspectOpen("a messenger with several secrets")
	p.Desktop()
	p.Shots("whatsapp-form")
	p.Choose("agent", "it-admin")
	p.Write("[name=chat_account]", "+49 1555")
	p.Write("[data-secret=access_token]", m.Token())
	p.Write("[data-secret=app_secret]", m.Secret)
	p.Write("[data-secret=verify_token]", whatsapptest.Verify)
	p.Click("#channel-form button[type=submit]")
	p.See("main", "This is no Phone number ID of WhatsApp")
	p.Write("[name=chat_account]", whatsapptest.Account)
	p.Write("[data-secret=access_token]", m.Token())
	p.Write("[data-secret=app_secret]", "another")
	p.Write("[data-secret=verify_token]", whatsapptest.Verify)
	p.Choose("agent", "it-admin")
	p.Click("#channel-form button[type=submit]")
	p.See("[data-toast]", "The channel is saved.")
	channelState(p, "#whatsapp", "WhatsApp does not accept the app secret.")

	p.Open("/app/channels/whatsapp")
	p.Write("[data-secret=app_secret]", m.Secret)
	p.Click("#channel-form button[type=submit]")
	p.See("[data-toast]", "The channel is saved.")
	channelState(p, "#whatsapp", "Connected")
	p.See("#whatsapp", "The team "+whatsapptest.Display)
	p.InspectOpen("a messenger that brings messages")
	p.Desktop()
	p.Shots("whatsapp")

	to := carried(t, e2e.Eval[string](p, `document.querySelector("#whatsapp pre").innerText.trim()`))
	got := to(whatsapptest.Greeting(whatsapptest.Verify, "1158201444"))
	if got.Status != http.StatusOK || string(got.Body) != "1158201444" {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	m.Bring(to)
	m.Says(owner, "Hello")
	channelState(p, "#people-whatsapp", owner.Phone+" (Owner)")
	code := e2e.Eval[string](p, `document.querySelector("#people-whatsapp code").innerText`)
	e2e.Until(t, "the owner has a code", func() bool { return len(m.Sent()) == 1 })
	if len(code) != 6 || !strings.Contains(m.Sent()[0].Text, code) {
		t.Errorf("the page shows %q, and the number says %q", code, m.Sent()[0].Text)
	}
	p.Until("who it is can be chosen", `(e => {
		e.value = "owner"
		e.dispatchEvent(new Event("change", {bubbles: true}))
		return true
	})(document.getElementById("who-whatsapp-4915550000001"))`)
	p.Click(`#people-whatsapp form[data-channel]:not(#allow-whatsapp) button`)
	p.See("[data-toast]", "Confirmed.")
	h.KillAgentd(t)
	m.Says(owner, "How full is the disk?")
	e2e.Until(t, "the owner is answered", func() bool { return len(m.Sent()) == 2 })
	if s := m.Sent()[1]; s.To != owner.Phone || s.Text == "" {
		t.Errorf("%+v", s)
	}
	p.Open("/app/conversations")
	p.Click("main a[href^='/app/chat/']")
	p.See(".turn.person", "The owner, by WhatsApp")
}

// carried brings to an address of the hub what Meta brings.
func carried(t *testing.T, address string) func(wire.ChannelDelivery) wire.ChannelAnswer {
	t.Helper()
	if !strings.Contains(address, "/h/") {
		t.Fatalf("the page shows the address %q", address)
	}
	return func(d wire.ChannelDelivery) (a wire.ChannelAnswer) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, d.Method, address+"?"+d.Query, bytes.NewReader(d.Body))
		if err != nil {
			t.Error(err)
			return a
		}
		for name, value := range d.Headers {
			r.Header.Set(name, value)
		}
		got, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			return a // the hub is away: it is brought again
		}
		a.Status = got.StatusCode
		if a.Body, err = io.ReadAll(got.Body); err != nil {
			a.Status = 0
		}
		_ = got.Body.Close() // all of it was read
		return a
	}
}
