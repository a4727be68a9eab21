package approval

import (
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/second"
	"gatehouse/cmd/hub/e2e"
)

// TestCritical is what cannot be undone: allowing it takes the password or a code of the app anew, or a passkey that asks by
// itself; denying takes nothing.
func TestCritical(t *testing.T) {
	h, c, p := e2e.StartOwned(t)
	blog := e2e.StartBusiness(t, "gone")
	h.Register(t, map[string]*e2e.Business{"ghost": blog}, "")
	t.Run("denied", func(t *testing.T) { p.T = t; denyCritical(p, c, blog) })
	t.Run("by password", func(t *testing.T) { p.T = t; criticalByPassword(p, c, blog) })
	t.Run("by passkey", func(t *testing.T) { criticalByPasskey(t, h, c, blog) })
	t.Run("by a code of the app", func(t *testing.T) { p.T = t; criticalByCode(p, c, blog) })
}

// critical makes the administrator ask for the deletion of a user, and opens the question.
func critical(p *e2e.Page, c *e2e.Client, b *e2e.Business) wire.Approval {
	p.T.Helper()
	q := c.Asked(c.Say("it-admin", e2e.ToolScript(p.T, "I tried.", e2e.Tool("http_request", map[string]any{
		"method": "DELETE", "url": b.URL + "/ghost/api/admin/users/1/", "tool": "", "body": "",
	}))))
	if q.Tier != "critical_red" || len(q.Windows) > 0 || q.Rule != nil {
		p.T.Fatalf("%s, windows %v, rule %v", q.Tier, q.Windows, q.Rule)
	}
	p.Open("/app/approvals/" + q.ID)
	return q
}

func denyCritical(p *e2e.Page, c *e2e.Client, b *e2e.Business) {
	q := critical(p, c, b)
	p.Shot("critical")
	p.Phone()
	p.Shot("critical-phone")
	p.Desktop()
	p.Click(".verbs button[value=deny]")
	c.End(q.RootRunID)
	if n := len(b.Calls()); n != 0 {
		p.T.Errorf("%d calls", n)
	}
}

// criticalByPassword: neither none nor a wrong one allows, and the question stays open.
func criticalByPassword(p *e2e.Page, c *e2e.Client, b *e2e.Business) {
	q := critical(p, c, b)
	for _, wrong := range []string{"", "not the password of anybody"} {
		p.Write("[name=password]", wrong)
		p.Click("button[value=allow_once]")
		p.See(".approval .checks", "This is not your password")
		if a := c.Approval(q.ID); a.State != wire.ApprovalPending || len(b.Calls()) != 0 {
			p.T.Fatalf("%q: %s, %d calls", wrong, a.State, len(b.Calls()))
		}
		p.Open("/app/approvals/" + q.ID)
	}
	p.Shot("critical-refused")
	p.Write("[name=password]", p.Hub.Demo.Customer.Password)
	p.Click("button[value=allow_once]")
	p.See(".approval .outcome", "Allowed once")
	c.End(q.RootRunID)
	if rs := c.Receipts(q.RootRunID); e2e.Count(rs, "call.finished", "http_request") != 1 || len(b.Calls()) != 1 {
		p.T.Errorf("receipts %v, %d calls", e2e.Types(rs), len(b.Calls()))
	}
}

// criticalByCode: who has an app proves it with the next code; the one that was used already allows nothing.
func criticalByCode(p *e2e.Page, c *e2e.Client, b *e2e.Business) {
	p.Open("/app/settings/sign-in")
	p.Leave("#code button[value=on]")
	key := e2e.Eval[string](p, `document.querySelector("main code").textContent.replaceAll(" ", "")`)
	p.Hub.Plant("the key of an app", key)
	code := func(at time.Time) string {
		typed, err := second.CodeAt(key, at)
		if err != nil {
			p.T.Fatal(err)
		}
		return typed
	}
	now := time.Now()
	p.Write("[name=code]", code(now))
	p.Leave("main form button[value=code]")
	p.See("h1", "Your backup codes")
	q := critical(p, c, b)
	p.Write("[name=password]", code(now))
	p.Click("button[value=allow_once]")
	p.See(".approval .checks", "This code is wrong, was used already")
	c.WantUnchanged(q)
	p.Open("/app/approvals/" + q.ID)
	p.Write("[name=password]", code(now.Add(30*time.Second)))
	p.Click("button[value=allow_once]")
	p.See(".approval .outcome", "Allowed once")
	c.End(q.RootRunID)
}

// criticalByPasskey: no password is asked where the authenticator asks.
func criticalByPasskey(t *testing.T, h *e2e.Hub, c *e2e.Client, b *e2e.Business) {
	p := h.NewPage(t)
	p.Authenticator()
	p.SignIn()
	addKey(p, h, "passkey")
	before := len(b.Calls())
	q := critical(p, c, b)
	p.Until("no field for a password", `document.querySelector("[data-proof]").hidden`)
	p.Click("button[value=allow_once]")
	p.See(".approval .outcome", "Allowed once")
	c.End(q.RootRunID)
	if n := len(b.Calls()); n != before+1 {
		t.Errorf("%d calls more", n-before)
	}
}
