package approval

import (
	"encoding/json"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestStaffKeys is the life of a key of staff, in browsers: without one they may deny and are told how to get one; they
// ask, the owner is told by mail, compares the words and adds it; they allow one request, which runs and names their
// key; the owner takes it back, and they allow nothing more. All this in one browser profile, whose owner keeps their own
// key.
func TestStaffKeys(t *testing.T) {
	h, c := e2e.Start(t)
	owner := h.NewPage(t)
	owner.SignIn()
	owner.EnrolHere()
	owner.ConfirmAddress()
	staff := owner.Tab()
	staff.SignInStaff()
	q := c.Asked(c.Say("secretary", "Email someone@example.com that we open at nine"))
	t.Run("no key", func(t *testing.T) { owner.T, staff.T, c.T = t, t, t; staffDenyOnly(staff, q) })
	t.Run("asked", func(t *testing.T) { owner.T, staff.T, c.T = t, t, t; staffAsk(staff, owner, h, c) })
	t.Run("allowed", func(t *testing.T) { owner.T, staff.T, c.T = t, t, t; staffAllow(staff, owner, h, c, q) })
	t.Run("taken back", func(t *testing.T) { owner.T, staff.T, c.T = t, t, t; staffRevoked(staff, owner, h, c) })
}

// lookAt inspects the page that is open, in both themes and at several widths.
func lookAt(p *e2e.Page, name string) {
	p.T.Helper()
	p.InspectOpen(name)
	p.Desktop()
}

// wantVerbs fails unless the card offers exactly these answers, each once or more.
func wantVerbs(p *e2e.Page, want string) {
	p.T.Helper()
	const verbs = `[...document.querySelectorAll(".decision [name=decision]")].map(b => b.value)`
	got := e2e.Eval[string](p, `[...new Set(`+verbs+`)].sort().join(" ")`)
	if got != want || e2e.Eval[bool](p, `!!document.querySelector(".decision [data-verb=edit]")`) {
		p.T.Errorf("the card offers %q, want %q", got, want)
	}
}

// staffDenyOnly: the card says that they may only deny, and leads to where they ask for a key.
func staffDenyOnly(p *e2e.Page, q wire.Approval) {
	p.Open("/admin/approvals/" + q.ID)
	p.See(".decision", "You can only deny")
	wantVerbs(p, "deny")
	lookAt(p, "/admin/approvals without a key")
	p.Click(".decision a[href^='/admin/keys/']")
	p.Until("the page of their keys", `location.pathname.startsWith("/admin/keys/") && document.querySelector("form[data-asks]")`)
}

// staffAsk asks, and the owner adds the key once both see the same words.
func staffAsk(p, owner *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	p.Click("form[data-asks] button[value=browser]")
	p.Until("their own request", `document.querySelector("#asking [data-own]:not([hidden])")`)
	lookAt(p, "/admin/keys while it waits")
	if told := h.AwaitMail(p.T, h.Demo.Customer.Email, "One of our staff"); !strings.Contains(told.Text, h.URL("/app/settings/approvers")) {
		p.T.Errorf("the owner was mailed %q", told.Text)
	}
	owner.Open("/app/settings/approvers")
	owner.See("#asking", h.Demo.Staff.Email)
	if its, ours := wordsOf(p), wordsOf(owner); its != ours {
		p.T.Errorf("staff see %s, the owner %s", its, ours)
	}
	lookAt(owner, "/app/settings/approvers while staff wait")
	owner.Leave("#asking button[value=add]")
	e2e.Until(p.T, "a key of staff", func() bool { return staffKey(c).KeyID != "" })
	if k := staffKey(c); k.Label != h.Demo.Staff.Email {
		p.T.Errorf("added was %+v", k)
	}
	owner.Open("/app/settings/approvers")
	owner.See("#staff-keys", "Never used")
	p.Until("the answer", `document.querySelector("#keys [data-own]:not([hidden])") && !document.querySelector("#asking, form[data-asks]")`)
}

// staffKey is the key of staff on the server; there is one.
func staffKey(c *e2e.Client) (k wire.ApproverKey) {
	c.T.Helper()
	for _, got := range keys(c) {
		if got.Holder == wire.HolderStaff {
			k = got
		}
	}
	return k
}

// staffAllow allows what waits: the mail is sent, the receipt names the key, and the owner reads that it was staff.
func staffAllow(p, owner *e2e.Page, h *e2e.Hub, c *e2e.Client, q wire.Approval) {
	p.Open("/admin/approvals/" + q.ID)
	p.See(".decision", "you do not see its details")
	wantVerbs(p, "allow_once deny")
	if text := e2e.Eval[string](p, "document.body.innerText"); strings.Contains(text, "someone@example.com") {
		p.T.Errorf("staff see %s", text)
	}
	lookAt(p, "/admin/approvals with a key")
	p.Write("[name=reason]", "Asked by telephone")
	p.Click("button[value=allow_once]")
	p.See(".approval .outcome", "Allowed once")
	c.End(q.RootRunID)
	if n := len(h.Mails(p.T, "someone@example.com")); n != 1 {
		p.T.Errorf("%d mails", n)
	}
	wantStaffSigned(c, q)
	owner.Open("/app/approvals/" + q.ID)
	owner.See("#approval-record", "staff")
	owner.See("#approval-record", "on the staff pages")
	owner.See(".approval .outcome", "Asked by telephone")
	owner.Open("/app/runs/" + q.RootRunID)
	owner.See("main", "Asked by telephone")
	owner.Open("/app/settings/approvers")
	owner.See("#staff-keys", "Last allowed something")
	lookAt(owner, "/app/settings/approvers with a key of staff")
	p.Open("/admin/keys")
	p.See("#keys", "Last allowed something")
	lookAt(p, "/admin/keys")
}

// wantStaffSigned fails unless the receipt of a decision names the key of staff.
func wantStaffSigned(c *e2e.Client, q wire.Approval) {
	c.T.Helper()
	for _, r := range c.Receipts(q.RootRunID) {
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
		err := json.Unmarshal(r.Body, &body)
		signed := body.Signature.KeyID == staffKey(c).KeyID && body.Signature.Holder == wire.HolderStaff
		byStaff := body.DecidedBy.Role == "staff" && body.DecidedBy.UserID != ""
		if err != nil || !signed || !byStaff || body.Reason != "Asked by telephone" {
			c.T.Errorf("the receipt says %s", r.Body)
		}
		return
	}
	c.T.Error("no receipt of the decision")
}

// staffRevoked: what staff still have open allows nothing once the owner has taken the key back; the owner's own key does.
func staffRevoked(p, owner *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	q := c.Asked(c.Say("secretary", "Email someone@example.com that we open at ten"))
	p.Open("/admin/approvals/" + q.ID)
	wantVerbs(p, "allow_once deny")
	e2e.Eval[bool](p, `document.querySelector("#live").remove() ?? true`) // this page hears of nothing more
	owner.Open("/app/settings/approvers")
	owner.Leave("#staff-keys form button")
	e2e.Until(p.T, "no key of staff", func() bool { return staffKey(c).KeyID == "" })
	p.Write("[name=reason]", "Asked by telephone")
	p.Click("button[value=allow_once]")
	p.See(".approval", "must first let a device of theirs approve")
	if a := c.Approval(q.ID); a.State != wire.ApprovalPending || len(h.Mails(p.T, "someone@example.com")) != 1 {
		p.T.Errorf("it stands as %s, %d mails", a.State, len(h.Mails(p.T, "someone@example.com")))
	}
	wantVerbs(p, "deny")
	p.Open("/admin/keys")
	p.See("#over", "Removed by the owner")
	lookAt(p, "/admin/keys after it was taken back")
	owner.Open("/app/approvals/" + q.ID)
	owner.Click("button[value=allow_once]")
	c.End(q.RootRunID)
	if n := len(h.Mails(p.T, "someone@example.com")); n != 2 {
		p.T.Errorf("%d mails after the owner's own leave", n)
	}
}
