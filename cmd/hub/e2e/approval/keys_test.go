package approval

import (
	"encoding/json"
	"net/http"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestKeys is the life of approver keys in browsers: what raises power waits for one, one is added with the code from
// the terminal, another is a passkey, one is vouched for on a device that has one, one comes with the recovery code, one is
// revoked, and the last stays.
func TestKeys(t *testing.T) {
	h, c := e2e.Start(t)
	p := h.NewPage(t)
	p.SignIn()
	p.Until("the portal", `location.pathname === "/app"`)
	t.Run("nothing is raised without a key", func(t *testing.T) { p.T = t; raiseUnsigned(p, c) })
	t.Run("a wrong code adds none", func(t *testing.T) { p.T = t; wrongCode(p, c) })
	t.Run("a key raises autonomy", func(t *testing.T) { p.T = t; addKey(p, h, "browser"); raise(p, c) })
	t.Run("a key unlocks a tool", func(t *testing.T) { p.T = t; unlockTool(p, c) })
	t.Run("a link brings the code", func(t *testing.T) { linkedCode(t, h) })
	t.Run("a passkey allows", func(t *testing.T) { passkey(t, h, h.API(t)) })
	t.Run("another device is vouched for", func(t *testing.T) { p.T = t; otherDevice(p, h, c) })
	t.Run("the recovery code lets another device approve", func(t *testing.T) { p.T = t; recovered(p, h, c) })
	t.Run("a key is revoked", func(t *testing.T) { p.T = t; revoke(p, c) })
}

// addKey gives this browser a key of a kind, with a code from the server's console.
func addKey(p *e2e.Page, h *e2e.Hub, kind string) {
	p.T.Helper()
	code, err := h.EnrolCode()
	if err != nil {
		p.T.Fatal(err)
	}
	p.Open("/app/settings/approvers")
	p.Write("[data-code]", code)
	p.Click("form[data-enrol] button[value=" + kind + "]")
	p.Until("the key of this browser", `document.querySelector("[data-own]:not([hidden])")`)
}

// linkedCode: the link that the terminal shows brings the code past the sign-in, out of sight of the hub. It is filled in wherever
// it is asked for, and forgotten once used: in the settings, and in the dialog of the first request that is allowed.
func linkedCode(t *testing.T, h *e2e.Hub) {
	p, c := h.NewPage(t), h.API(t)
	code, err := h.EnrolCode()
	if err != nil {
		t.Fatal(err)
	}
	p.Load("/app#code=" + code)
	p.Until("the sign-in, without the code in its address", `location.pathname === "/auth/sign-in" && !location.hash`)
	p.SignIn()
	p.Open("/app/settings/approvers")
	p.Until("the code", `document.querySelector("[data-code]").value === `+e2e.Quote(code))
	q := asksToAllow(p, c, "linked@example.com")
	p.Until("the code in the dialog", `document.querySelector("#enrol-here[open] [data-code]")?.value === `+e2e.Quote(code))
	allowsHere(p, c, q)
	p.Open("/app/settings/approvers")
	p.Until("the key of this browser", `document.querySelector("[data-own]:not([hidden])")`)
	if got := e2e.Eval[string](p, `document.querySelector("[data-code]").value`); got != "" {
		t.Errorf("a code that was used is still filled in: %s", got)
	}
}

// asksToAllow has the owner press Allow in a browser that may not approve, which opens the dialog.
func asksToAllow(p *e2e.Page, c *e2e.Client, to string) wire.Approval {
	p.T.Helper()
	q := c.Asked(c.Say("secretary", "Email "+to+" that we open at nine"))
	p.Open("/app/approvals/" + q.ID)
	p.Click("button[value=allow_once]")
	p.Until("the dialog", `document.querySelector("#enrol-here[open] [data-code]")`)
	return q
}

// allowsHere enrols with the code in the dialog: what was pressed is carried out.
func allowsHere(p *e2e.Page, c *e2e.Client, q wire.Approval) {
	p.T.Helper()
	p.Click("#enrol-here button[value=browser]")
	c.End(q.RootRunID)
	if n := e2e.Count(c.Receipts(q.RootRunID), "call.started", q.Tool); n != 1 {
		p.T.Errorf("%d starts", n)
	}
}

// recovered: a device that may approve shows a recovery code; a browser that has nothing but its 24 characters may approve, and
// allows what it was asked for.
func recovered(p *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	const shown = `[...document.querySelectorAll("[data-recovery-code] span")].map(s => s.textContent).join("-")`
	p.Open("/app/settings/approvers")
	p.Click("[data-recovery-new] button[type=submit]")
	p.Until("the code", shown+`.length === 29`)
	code := e2e.Eval[string](p, shown)
	h.Plant("a recovery code", code)
	before := len(keys(c))
	q := h.NewPage(p.T)
	q.SignIn()
	asked := asksToAllow(q, c, "recovered@example.com")
	q.Click("#enrol-here [data-code-way] summary")
	q.Write("#enrol-here [data-code]", code)
	allowsHere(q, c, asked)
	if n := len(h.Mails(p.T, "recovered@example.com")); n != 1 {
		p.T.Errorf("%d mails", n)
	}
	if n := len(keys(c)); n != before+1 {
		p.T.Errorf("%d keys, %d before", n, before)
	}
}

func chooseLevel(p *e2e.Page, level string) {
	p.Open("/app/agents/secretary/autonomy")
	p.Click(`input[name=level][value="` + level + `"]`)
}

// givesMore presses what lets an agent do more: it is asked about once more, and done after that.
func givesMore(p *e2e.Page, sel string) {
	p.T.Helper()
	p.Click(sel)
	p.Until("the question whether to let it", `document.querySelector("dialog[open] [data-confirmed]")`)
	p.Leave("dialog[open] [data-confirmed]")
}

// raiseUnsigned: a browser that may not approve is offered to become one that may, which it can leave; and the hub itself
// refuses what no key has signed.
func raiseUnsigned(p *e2e.Page, c *e2e.Client) {
	chooseLevel(p, "3")
	p.Click("main form button[value=level]")
	p.Click("dialog[open] [data-confirmed]")
	p.Click("#enrol-here[open] [data-close]")
	p.Until("the page as it was", `!document.querySelector("#enrol-here") && location.pathname.endsWith("/autonomy")`)
	e2e.Eval[bool](p, `delete document.querySelector("[data-confirm]").dataset.confirm`)
	p.Leave("main form button[value=level]")
	p.See("main", "only on a device that may approve")
	if n := c.LevelOf("secretary"); n != 1 {
		p.T.Errorf("the secretary stands at level %d", n)
	}
}

func wrongCode(p *e2e.Page, c *e2e.Client) {
	p.Open("/app/settings/approvers")
	p.Write("[data-code]", "AAAA-BBBB-CCCC")
	p.Click("form[data-enrol] button[value=browser]")
	p.See(".form-failed", "not the one that your server printed")
	p.Shot("approvers-wrong-code")
	if n := len(keys(c)); n != 1 {
		p.T.Errorf("%d keys", n)
	}
}

func keys(c *e2e.Client) []wire.ApproverKey {
	c.T.Helper()
	var ring struct {
		Items []wire.ApproverKey `json:"items"`
	}
	c.Want(http.StatusOK, http.MethodGet, "/approver-keys", nil, &ring)
	return ring.Items
}

func raise(p *e2e.Page, c *e2e.Client) {
	p.Shot("approvers-with-keys")
	chooseLevel(p, "3")
	givesMore(p, "main form button[value=level]")
	e2e.Until(p.T, "the server runs the secretary at level 3", func() bool { return c.LevelOf("secretary") == 3 })
	chooseLevel(p, "2")
	p.Leave("main form button[value=level]")
	e2e.Until(p.T, "the server runs the secretary at level 2", func() bool { return c.LevelOf("secretary") == 2 })
}

func unlockTool(p *e2e.Page, c *e2e.Client) {
	p.Open("/app/agents/secretary/external")
	givesMore(p, "main form button[value=autonomous]")
	unlocked := func() bool {
		for _, t := range c.AgentOf("secretary").Tools {
			if t.Name == "message" {
				return t.Unlocked
			}
		}
		return false
	}
	e2e.Until(p.T, "the server lets the secretary write outside", unlocked)
	p.Open("/app/agents/secretary/external")
	p.Leave("main form button[value=gated]")
	e2e.Until(p.T, "the server has the secretary ask again", func() bool { return !unlocked() })
}

// passkey adds one in another browser, with the virtual authenticator of the DevTools, and allows with it.
func passkey(t *testing.T, h *e2e.Hub, c *e2e.Client) {
	p := h.NewPage(t)
	p.Authenticator()
	p.SignIn()
	p.Until("the portal", `location.pathname === "/app"`)
	addKey(p, h, "passkey")
	q := c.Asked(c.Say("secretary", "Email someone@example.com that we open at nine"))
	p.Open("/app/approvals/" + q.ID)
	p.Click("button[value=allow_once]")
	c.End(q.RootRunID)
	if n := len(h.Mails(t, "someone@example.com")); n != 1 {
		t.Errorf("%d mails", n)
	}
	for _, r := range c.Receipts(q.RootRunID) {
		var body struct {
			Signature struct {
				Kind wire.KeyKind `json:"kind"`
			} `json:"signature"`
		}
		if r.Type == "call.approved" && (json.Unmarshal(r.Body, &body) != nil || body.Signature.Kind != wire.PasskeyKey) {
			t.Errorf("the receipt says %s", r.Body)
		}
	}
}

func revoke(p *e2e.Page, c *e2e.Client) {
	p.Open("/app/settings/approvers")
	before := len(keys(c))
	p.Leave(`[data-key]:nth-last-child(1) form button`)
	e2e.Until(p.T, "one key less", func() bool { return len(keys(c)) == before-1 })
	p.See("#keys", "demo.json")
}
