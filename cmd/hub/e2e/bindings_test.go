package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestBindings is where a secret may be used, said on its page and signed in the browser: before, nothing may use it;
// then one place may, and no other; what cannot be a place is refused in words, and nothing is lost.
func TestBindings(t *testing.T) {
	h, c, p := ownedHub(t)
	shop, twin := startBusiness(t, `{"orders":3}`), startBusiness(t, `{"orders":4}`)
	h.register(t, map[string]*business{"shop": shop, "twin": twin}, "shop.api_key")
	value := give(p, "shop.api_key")
	t.Run("bound nowhere", func(t *testing.T) { p.t = t; bindNowhere(p, c, shop) })
	t.Run("no place", func(t *testing.T) { p.t = t; badPlaces(p) })
	t.Run("bound to one", func(t *testing.T) { p.t = t; bindShop(p, c, shop, twin, value) })
	t.Run("without a key", func(t *testing.T) { bindUnsigned(t, h, twin) })
	t.Run("in two tabs", func(t *testing.T) { p.t = t; bindTwice(p) })
	t.Run("taken back", func(t *testing.T) { p.t = t; unbind(p, c, shop) })
}

// register makes the tools known to the demo's server; all of them sign in with one secret.
func (h *hub) register(t *testing.T, all map[string]*business, ref string) {
	t.Helper()
	type entry map[string]any
	var tools []entry
	for name, b := range all {
		e := entry{"name": name, "internal_url": b.url}
		if ref != "" {
			e["auth"] = entry{"type": "bearer", "ref": ref}
		}
		tools = append(tools, e)
	}
	text, err := json.Marshal(entry{"tools": tools})
	if err != nil {
		t.Fatal(err)
	}
	h.own(t, h.server("state", "tool-registry.json"), string(text), 0o600)
}

// callsOne lets the administrator call a tool, and says how the call ended.
func (c *client) callsOne(b *business) []wire.Receipt {
	c.t.Helper()
	run := c.say("it-admin", script(c.t, call(b.ask()), step{Say: "I tried."}))
	c.end(run)
	return c.receipts(run)
}

func (c *client) wantUnused(b *business) {
	c.t.Helper()
	before := len(b.calls())
	if rs := c.callsOne(b); count(rs, "call.denied", "http_request") != 1 || count(rs, "credential.leased", "") != 0 {
		c.t.Errorf("receipts %v", types(rs))
	}
	if n := len(b.calls()); n != before {
		c.t.Errorf("it was called %d times", n-before)
	}
}

// bindTo writes places into the form of a secret and sends it.
func bindTo(p *page, lines ...string) {
	p.t.Helper()
	p.open("/app/credentials/shop.api_key")
	p.click("#bindings summary")
	p.write("#bindings textarea", strings.Join(lines, "\n"))
}

func bindNowhere(p *page, c *client, shop *business) {
	p.open("/app/credentials/shop.api_key")
	p.see("#bindings", "Nowhere yet")
	c.wantUnused(shop)
}

// badPlaces: each is refused with its line and its reason, and what was typed stays to be put right.
func badPlaces(p *page) {
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
		bindTo(p, good, bad)
		p.leave("#bindings button[type=submit]")
		p.see("#bindings .error", "Line 2")
		p.see("#bindings .error", why)
		if text := eval[string](p, `document.querySelector("#bindings textarea").value`); text != good+"\n"+bad {
			p.t.Errorf("what was typed became %q", text)
		}
	}
	p.shot("binding-refused")
	for bad, why := range map[string]string{
		"shell header Authorization":        "http_request or env_update",
		"http_request header Authorization": "scheme, host and port",
		"env_update field shop.env":         "path#KEY",
	} {
		bindTo(p, bad)
		p.leave("#bindings button[type=submit]")
		p.see(".notice[data-kind=bad], #bindings .error", why)
	}
	p.open("/app/credentials/shop.api_key")
	p.see("#bindings", "Nowhere yet")
}

func bindShop(p *page, c *client, shop, twin *business, value string) {
	bindTo(p, "http_request "+shop.url+" header authorization", "env_update field shop/.env#SHOP_API_KEY", "http_request HTTP://[::1]:8080/ field Token")
	p.leave("#bindings button[type=submit]")
	p.see("#bindings .token", "http_request "+shop.url+" header Authorization")
	p.see("#bindings .token", "env_update field shop/.env#SHOP_API_KEY")
	p.see("#bindings .token", "http_request http://[::1]:8080 field Token")
	p.see("#audit", "Places changed")
	p.shot("binding")
	rs := c.callsOne(shop)
	if count(rs, "call.finished", "http_request") != 1 || count(rs, "credential.leased", "") != 1 || !slices.Contains(shop.calls(), "Bearer "+value) {
		p.t.Errorf("receipts %v, %d calls", types(rs), len(shop.calls()))
	}
	c.wantUnused(twin)
}

// bindUnsigned: a browser without a key is led to the page that adds one, and binds nothing.
func bindUnsigned(t *testing.T, h *hub, twin *business) {
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	bindTo(p, "http_request "+twin.url+" header Authorization")
	p.click("#bindings button[type=submit]")
	p.see("#bindings .form-failed", "no approver key")
	p.shot("binding-no-key")
	p.click("#bindings .form-failed a")
	p.until("the page of the keys", `location.pathname === "/app/settings/approvers"`)
	p.open("/app/credentials/shop.api_key")
	p.see("#bindings .token", "SHOP_API_KEY")
	if text := eval[string](p, `document.querySelector("#bindings").innerText`); strings.Contains(text, twin.url) {
		t.Errorf("it is bound: %s", text)
	}
}

// bindTwice: who saves later is shown what the earlier tab saved, keeps what was typed, and may save that on top of it.
func bindTwice(p *page) {
	early := sameBrowser(p)
	const late = "http_request https://late.example.com header X-Key"
	bindTo(p, late)
	for host, typed := range map[string]string{"https://first.example.com": late, "https://second.example.com": ""} {
		bindTo(early, "http_request "+host+" header X-Key")
		early.leave("#bindings button[type=submit]")
		early.see("#bindings .token", host)
		p.write("#bindings textarea", typed)
		p.leave("#bindings button[type=submit]")
		p.see(".notice[data-kind=bad]", "changed meanwhile")
		p.see(".notice[data-kind=bad]", host)
		p.see("#bindings .token", host)
		if text := eval[string](p, `document.querySelector("#bindings details[open] textarea").value`); text != typed {
			p.t.Errorf("what was typed, %q, became %q", typed, text)
		}
	}
	p.shot("binding-meanwhile")
	p.write("#bindings textarea", late)
	p.leave("#bindings button[type=submit]")
	p.see("#bindings .token", late)
}

func unbind(p *page, c *client, shop *business) {
	bindTo(p)
	p.leave("#bindings button[type=submit]")
	p.see("#bindings", "Nowhere yet")
	c.wantUnused(shop)
}
