package rule

import (
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestBindings is where a secret may be used, said on its page and signed in the browser: before, nothing may use it;
// then one place may, and no other; what cannot be a place is refused in words, and nothing is lost.
func TestBindings(t *testing.T) {
	h, c, p := e2e.StartOwned(t)
	shop, twin := e2e.StartBusiness(t, `{"orders":3}`), e2e.StartBusiness(t, `{"orders":4}`)
	h.Register(t, map[string]*e2e.Business{"shop": shop, "twin": twin}, "shop.api_key")
	value := p.GiveSecret("shop.api_key")
	t.Run("bound nowhere", func(t *testing.T) { p.T = t; bindNowhere(p, c, shop) })
	t.Run("no place", func(t *testing.T) { p.T = t; badPlaces(p) })
	t.Run("bound to one", func(t *testing.T) { p.T = t; bindShop(p, c, shop, twin, value) })
	t.Run("without a key", func(t *testing.T) { bindUnsigned(t, h, twin) })
	t.Run("in two tabs", func(t *testing.T) { p.T = t; bindTwice(p) })
	t.Run("taken back", func(t *testing.T) { p.T = t; unbind(p, c, shop) })
}

// callsOne lets the administrator call a tool, and says how the call ended.
func callsOne(c *e2e.Client, b *e2e.Business) []wire.Receipt {
	c.T.Helper()
	run := c.Say("it-admin", e2e.ToolScript(c.T, "I tried.", b.Ask()))
	c.End(run)
	return c.Receipts(run)
}

func wantUnused(c *e2e.Client, b *e2e.Business) {
	c.T.Helper()
	before := len(b.Calls())
	if rs := callsOne(c, b); e2e.Count(rs, "call.denied", "http_request") != 1 || e2e.Count(rs, "credential.leased", "") != 0 {
		c.T.Errorf("receipts %v", e2e.Types(rs))
	}
	if n := len(b.Calls()); n != before {
		c.T.Errorf("it was called %d times", n-before)
	}
}

func bindNowhere(p *e2e.Page, c *e2e.Client, shop *e2e.Business) {
	p.Open("/app/credentials/shop.api_key")
	p.See("#bindings", "Nowhere yet")
	wantUnused(c, shop)
}

// badPlaces: each is refused with its line and its reason, and what was typed stays to be put right.
func badPlaces(p *e2e.Page) {
	good := "http_request https://blog.example.com header Authorization"
	for bad, why := range map[string]string{
		"http_request https://blog.example.com":                           "header or a field",
		"http_request https://blog.example.com/admin header X-Key":        "no plain destination",
		"http_request https://*.example.com header X-Key":                 "no plain destination",
		"http_request https://blog.example.com:99999 header X-Key":        "no plain destination",
		"http_request ftp://blog.example.com header X-Key":                "no plain destination",
		"http_request https://owner@blog.example.com header X-Key":        "no plain destination",
		"http_request https://blog.example.com header X-Key header X-Key": "header or a field",
	} {
		p.WriteBindings(good, bad)
		p.Leave("#bindings button[type=submit]")
		p.See("#bindings .error", "Line 2")
		p.See("#bindings .error", why)
		if text := e2e.Eval[string](p, `document.querySelector("#bindings textarea").value`); text != good+"\n"+bad {
			p.T.Errorf("what was typed became %q", text)
		}
	}
	p.Shot("binding-refused")
	for bad, why := range map[string]string{
		"shell header Authorization":        "http_request or env_update",
		"http_request header Authorization": "scheme, host and port",
		"env_update field shop.env":         "path#KEY",
	} {
		p.WriteBindings(bad)
		p.Leave("#bindings button[type=submit]")
		p.See(".notice[data-kind=bad], #bindings .error", why)
	}
	p.Open("/app/credentials/shop.api_key")
	p.See("#bindings", "Nowhere yet")
}

func bindShop(p *e2e.Page, c *e2e.Client, shop, twin *e2e.Business, value string) {
	p.WriteBindings("http_request "+shop.URL+" header authorization",
		"env_update field shop/.env#SHOP_API_KEY", "http_request HTTP://[::1]:8080/ field Token")
	p.Leave("#bindings button[type=submit]")
	p.See("#bindings .token", "http_request "+shop.URL+" header Authorization")
	p.See("#bindings .token", "env_update field shop/.env#SHOP_API_KEY")
	p.See("#bindings .token", "http_request http://[::1]:8080 field Token")
	p.See("#audit", "Access changed")
	p.Shot("binding")
	rs := callsOne(c, shop)
	if e2e.Count(rs, "call.finished", "http_request") != 1 || e2e.Count(rs, "credential.leased", "") != 1 ||
		!slices.Contains(shop.Calls(), "Bearer "+value) {
		p.T.Errorf("receipts %v, %d calls", e2e.Types(rs), len(shop.Calls()))
	}
	wantUnused(c, twin)
}

// bindUnsigned: a browser without a key is led to the page that adds one, and binds nothing.
func bindUnsigned(t *testing.T, h *e2e.Hub, twin *e2e.Business) {
	p := h.NewPage(t)
	p.SignIn()
	p.WriteBindings("http_request " + twin.URL + " header Authorization")
	p.Click("#bindings button[type=submit]")
	p.See("#bindings .form-failed", "may not approve yet")
	p.Shot("binding-no-key")
	p.Click("#bindings .form-failed a")
	p.Until("the page of the keys", `location.pathname === "/app/settings/approvers"`)
	p.Open("/app/credentials/shop.api_key")
	p.See("#bindings .token", "SHOP_API_KEY")
	if text := e2e.Eval[string](p, `document.querySelector("#bindings").innerText`); strings.Contains(text, twin.URL) {
		t.Errorf("it is bound: %s", text)
	}
}

// bindTwice: who saves later is shown what the earlier tab saved, keeps what was typed, and may save that on top of it.
func bindTwice(p *e2e.Page) {
	early := p.Tab()
	const late = "http_request https://late.example.com header X-Key"
	p.WriteBindings(late)
	for host, typed := range map[string]string{"https://first.example.com": late, "https://second.example.com": ""} {
		early.WriteBindings("http_request " + host + " header X-Key")
		early.Leave("#bindings button[type=submit]")
		early.See("#bindings .token", host)
		p.Write("#bindings textarea", typed)
		p.Leave("#bindings button[type=submit]")
		p.See(".notice[data-kind=bad]", "changed meanwhile")
		p.See(".notice[data-kind=bad]", host)
		p.See("#bindings .token", host)
		if text := e2e.Eval[string](p, `document.querySelector("#bindings details[open] textarea").value`); text != typed {
			p.T.Errorf("what was typed, %q, became %q", typed, text)
		}
	}
	p.Shot("binding-meanwhile")
	p.Write("#bindings textarea", late)
	p.Leave("#bindings button[type=submit]")
	p.See("#bindings .token", late)
}

func unbind(p *e2e.Page, c *e2e.Client, shop *e2e.Business) {
	p.WriteBindings()
	p.Leave("#bindings button[type=submit]")
	p.See("#bindings", "Nowhere yet")
	wantUnused(c, shop)
}
