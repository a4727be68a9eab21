package fleet

import (
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestSupport is the life of a support window, in two browsers: one of the staff asks, the owner is told, compares words and opens
// it with a signature; the member of staff reads a file and a conversation, each in their own browser alone; the owner sees each
// look with its name and closes the window; from then on nothing is shown. What was read stands in no table and no log of the hub.
func TestSupport(t *testing.T) {
	h, c := e2e.Start(t)
	content := "The till was moved to " + e2e.Random()
	h.Plant("what the file says", content)
	const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	h.Own(t, h.Data("notes", "till.md"), content+"\nAPI_TOKEN="+token+"\n", 0o640)
	c.End(c.Say("secretary", "Which files do we have?"))
	owner := h.NewPage(t)
	owner.SignIn()
	owner.EnrolHere()
	owner.ConfirmAddress()
	staff := h.NewPage(t)
	staff.SignInStaff()
	page := "/admin/servers/" + h.Demo.ServerID + "/support"
	t.Run("asked", func(t *testing.T) { owner.T, staff.T = t, t; supportAsk(staff, owner, page) })
	t.Run("opened", func(t *testing.T) { owner.T, staff.T = t, t; supportOpen(staff, owner) })
	t.Run("looked", func(t *testing.T) { owner.T, staff.T = t, t; supportLook(staff, owner, page, content, token) })
	t.Run("closed", func(t *testing.T) { owner.T, staff.T = t, t; supportClose(staff, owner, page) })
}

// supportAsk asks from the page of the server; the owner hears of it by mail and on their first page.
func supportAsk(p, owner *e2e.Page, page string) {
	p.Open(strings.TrimSuffix(page, "/support"))
	p.Leave("#support a")
	p.See("#windows", "Nobody has asked")
	p.Write("[name=purpose]", "The till shows an error.")
	p.Choose("hours", "2")
	p.Click("#f-what_files")
	p.Click("#f-what_conversations")
	p.InspectOpen(page)
	p.Desktop()
	p.Leave("#support-ask button[type=submit]")
	p.See("#asked", "The till shows an error.")
	p.InspectOpen(page + " while it waits")
	p.Desktop()
	if told := p.Hub.AwaitMail(p.T, p.Hub.Demo.Customer.Email, "look at your server"); !strings.Contains(told.Text, "/app/server/support") {
		p.T.Errorf("the owner was mailed %q", told.Text)
	}
	owner.Open("/app")
	owner.See("#home", "One of our staff asks to look at your server")
	owner.Leave("#home a[href='/app/server/support']")
}

// supportOpen compares what names the browser of the member of staff, and signs.
func supportOpen(p, owner *e2e.Page) {
	owner.See("#support", p.Hub.Demo.Staff.Email)
	owner.See("#support", "The till shows an error.")
	const words = `document.querySelector(".key-words strong").innerText`
	if its, ours := e2e.Eval[string](p, words), e2e.Eval[string](owner, words); its != ours || its == "" {
		p.T.Errorf("staff see %q, the owner %q", its, ours)
	}
	owner.InspectOpen("/app/server/support while staff ask")
	owner.Desktop()
	owner.Leave("button[value=open]")
	owner.See("[id^=open-]", "can look at your server now")
}

// supportLook reads a file and a conversation; what looks like a credential is masked.
func supportLook(p, owner *e2e.Page, page, content, token string) {
	p.Open(page)
	p.See("main", "You look at the content of")
	p.Click(`[data-ask='{"see":"files"}']`)
	p.Click(`[data-seen] [data-ask*='"name":"notes"']`)
	p.Click(`[data-seen] [data-ask*='notes/till.md']`)
	p.See("[data-seen] pre", content)
	if text := e2e.Eval[string](p, `document.querySelector("[data-seen]").innerText`); strings.Contains(text, token) {
		p.T.Errorf("staff see a credential: %s", text)
	}
	p.InspectOpen(page + " with a file")
	p.Desktop()
	p.Click(`[data-ask='{"see":"conversations"}']`)
	p.Click(`[data-seen] [data-ask*='"see":"conversation"']`)
	p.See("[data-seen] pre", "Which files do we have?")
	owner.Open("/app/server/support")
	owner.Leave("[id^=open-] a.btn")
	owner.See("#looks", "notes/till.md")
	owner.See("#looks", "Looked at a conversation")
	owner.See("#looks", p.Hub.Demo.Staff.Email)
	owner.InspectOpen("/app/server/support/one")
	owner.Desktop()
}

// supportClose closes the window; what is asked for after that is refused, on record on both sides.
func supportClose(p, owner *e2e.Page, page string) {
	owner.Leave("button[value=close]")
	owner.See("#past", "Closed")
	p.Click(`[data-ask='{"see":"files"}']`)
	p.See("[data-support] .form-failed", "not open any more")
	p.Open(page)
	p.See("#windows", "Closed")
	p.See("#ask", "Ask the owner")
	p.Leave("#windows a")
	p.See("#lines", "Looked at a file")
	p.See("#lines", "Refused")
	p.InspectOpen(page + " after it was closed")
	owner.Open("/app/activity")
}
