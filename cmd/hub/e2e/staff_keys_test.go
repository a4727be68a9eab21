package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestStaffKeys is the life of a key of staff, in browsers: without one they may deny and are told how to get one; they
// ask, the owner is told by mail, compares the fingerprint and adds it; they allow one request, which runs and names their
// key; the owner takes it back, and they allow nothing more. All this in one browser profile, whose owner keeps their own
// key.
func TestStaffKeys(t *testing.T) {
	h, c := parallelHub(t)
	owner := h.newPage(t)
	owner.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	owner.enrolHere(h)
	owner.confirmsAddress(h)
	staff := sameBrowser(owner)
	signInStaff(staff, h)
	q := c.asked(c.say("secretary", "Email someone@example.com that we open at nine"))
	t.Run("no key", func(t *testing.T) { owner.t, staff.t, c.t = t, t, t; staffDenyOnly(staff, q) })
	t.Run("asked", func(t *testing.T) { owner.t, staff.t, c.t = t, t, t; staffAsk(staff, owner, h, c) })
	t.Run("allowed", func(t *testing.T) { owner.t, staff.t, c.t = t, t, t; staffAllow(staff, owner, h, c, q) })
	t.Run("taken back", func(t *testing.T) { owner.t, staff.t, c.t = t, t, t; staffRevoked(staff, owner, h, c) })
}

// confirmsAddress follows the link that the owner was mailed.
func (p *page) confirmsAddress(h *hub) {
	p.t.Helper()
	mail := mailTo(p, h, h.Demo.Customer.Email, "Confirm your e-mail address")
	_, link, ok := strings.Cut(mail.Text, h.URL(""))
	if !ok {
		p.t.Fatalf("mailed was %q", mail.Text)
	}
	p.open(strings.Fields(link)[0])
	p.leave("#verify button")
}

// lookAt inspects the page that is open, in both themes and at several widths.
func (p *page) lookAt(name string) {
	p.t.Helper()
	axe, err := os.ReadFile(axeSource)
	if err != nil {
		p.t.Fatal(err)
	}
	p.inspectOpen(name, string(axe))
	p.desktop()
}

// wantVerbs fails unless the card offers exactly these answers, each once or more.
func (p *page) wantVerbs(want string) {
	p.t.Helper()
	got := eval[string](p, `[...new Set([...document.querySelectorAll(".decision [name=decision]")].map(b => b.value))].sort().join(" ")`)
	if got != want || eval[bool](p, `!!document.querySelector(".decision [data-verb=edit]")`) {
		p.t.Errorf("the card offers %q, want %q", got, want)
	}
}

// staffDenyOnly: the card says that they may only deny, and leads to where they ask for a key.
func staffDenyOnly(p *page, q wire.Approval) {
	p.open("/admin/approvals/" + q.ID)
	p.see(".decision", "You may only deny")
	p.wantVerbs("deny")
	p.lookAt("/admin/approvals without a key")
	p.click(".decision a[href^='/admin/keys/']")
	p.until("the page of their keys", `location.pathname.startsWith("/admin/keys/") && document.querySelector("form[data-asks]")`)
}

// staffAsk asks, and the owner adds the key once both see the same fingerprint.
func staffAsk(p, owner *page, h *hub, c *client) {
	p.click("form[data-asks] button[value=browser]")
	p.until("their own request", `document.querySelector("#asking [data-own]:not([hidden])")`)
	p.lookAt("/admin/keys while it waits")
	if told := mailTo(p, h, h.Demo.Customer.Email, "One of our staff"); !strings.Contains(told.Text, h.URL("/app/settings/approvers")) {
		p.t.Errorf("the owner was mailed %q", told.Text)
	}
	owner.open("/app/settings/approvers")
	owner.see("#asking", h.Demo.Staff.Email)
	if its, ours := fingerprintOf(p), fingerprintOf(owner); its != ours {
		p.t.Errorf("staff see %s, the owner %s", its, ours)
	}
	owner.lookAt("/app/settings/approvers while staff wait")
	owner.leave("#asking button[value=add]")
	until(p.t, "a key of staff", func() bool { return c.staffKey().KeyID != "" })
	if k := c.staffKey(); k.Label != h.Demo.Staff.Email {
		p.t.Errorf("added was %+v", k)
	}
	owner.open("/app/settings/approvers")
	owner.see("#staff-keys", "Never used")
	p.until("the answer", `document.querySelector("#keys [data-own]:not([hidden])") && !document.querySelector("#asking, form[data-asks]")`)
}

// staffKey is the key of staff on the server; there is one.
func (c *client) staffKey() (k wire.ApproverKey) {
	c.t.Helper()
	for _, got := range c.keys() {
		if got.Holder == wire.HolderStaff {
			k = got
		}
	}
	return k
}

// staffAllow allows what waits: the mail is sent, the receipt names the key, and the owner reads that it was staff.
func staffAllow(p, owner *page, h *hub, c *client, q wire.Approval) {
	p.open("/admin/approvals/" + q.ID)
	p.see(".decision", "without seeing what exactly is asked")
	p.wantVerbs("allow_once deny")
	if text := eval[string](p, "document.body.innerText"); strings.Contains(text, "someone@example.com") {
		p.t.Errorf("staff see %s", text)
	}
	p.lookAt("/admin/approvals with a key")
	p.write("[name=reason]", "Asked by telephone")
	p.click("button[value=allow_once]")
	p.see(".approval .outcome", "Allowed once")
	c.end(q.RootRunID)
	if n := len(h.mails(p.t, "someone@example.com")); n != 1 {
		p.t.Errorf("%d mails", n)
	}
	c.wantStaffSigned(q)
	owner.open("/app/approvals/" + q.ID)
	owner.see("#approval-record", "staff")
	owner.see("#approval-record", "in the console")
	owner.open("/app/runs/" + q.RootRunID)
	owner.see("main", "Asked by telephone")
	owner.open("/app/settings/approvers")
	owner.see("#staff-keys", "Allowed something last")
	owner.lookAt("/app/settings/approvers with a key of staff")
	p.open("/admin/keys")
	p.see("#keys", "Allowed something last")
	p.lookAt("/admin/keys")
}

// wantStaffSigned fails unless the receipt of a decision names the key of staff.
func (c *client) wantStaffSigned(q wire.Approval) {
	c.t.Helper()
	for _, r := range c.receipts(q.RootRunID) {
		var body struct {
			Reason    string         `json:"reason"`
			DecidedBy wire.DecidedBy `json:"decided_by"`
			Signature struct {
				KeyID  string      `json:"key_id"`
				Holder wire.Holder `json:"holder"`
			} `json:"signature"`
		}
		if r.Type != "call.approved" {
			continue
		}
		if err := json.Unmarshal(r.Body, &body); err != nil || body.Signature.KeyID != c.staffKey().KeyID || body.Signature.Holder != wire.HolderStaff || body.DecidedBy.Role != "staff" || body.DecidedBy.UserID == "" || body.Reason != "Asked by telephone" {
			c.t.Errorf("the receipt says %s", r.Body)
		}
		return
	}
	c.t.Error("no receipt of the decision")
}

// staffRevoked: what staff still have open allows nothing once the owner has taken the key back; the owner's own key does.
func staffRevoked(p, owner *page, h *hub, c *client) {
	q := c.asked(c.say("secretary", "Email someone@example.com that we open at ten"))
	p.open("/admin/approvals/" + q.ID)
	p.wantVerbs("allow_once deny")
	eval[bool](p, `document.querySelector("#live").remove() ?? true`) // this page hears of nothing more
	owner.open("/app/settings/approvers")
	owner.leave("#staff-keys form button")
	until(p.t, "no key of staff", func() bool { return c.staffKey().KeyID == "" })
	p.write("[name=reason]", "Asked by telephone")
	p.click("button[value=allow_once]")
	p.see(".approval", "only with a key that the owner has enrolled for them")
	if a := c.approval(q.ID); a.State != wire.ApprovalPending || len(h.mails(p.t, "someone@example.com")) != 1 {
		p.t.Errorf("it stands as %s, %d mails", a.State, len(h.mails(p.t, "someone@example.com")))
	}
	p.wantVerbs("deny")
	p.open("/admin/keys")
	p.see("#over", "Taken back by the owner")
	p.lookAt("/admin/keys after it was taken back")
	owner.open("/app/approvals/" + q.ID)
	owner.click("button[value=allow_once]")
	c.end(q.RootRunID)
	if n := len(h.mails(p.t, "someone@example.com")); n != 2 {
		p.t.Errorf("%d mails after the owner's own leave", n)
	}
}
