package story

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/app/second"
	"gatehouse/cmd/hub/e2e"
)

// TestStaff_joinsAndLeaves: an owner invites somebody, who gets a mail, sets up an app, keeps the backup codes and is in the
// console with what their role shows; the owner switches them off, and their next click leads to the sign-in.
func TestStaff_joinsAndLeaves(t *testing.T) {
	h, _ := e2e.Start(t)
	owner, invited := h.NewPage(t), h.NewPage(t)
	owner.SignInStaff()
	owner.Open("/admin/staff")
	owner.Leave(".page-actions a[href='/admin/staff/invite']")
	owner.InspectOpen("/admin/staff/invite")
	owner.Desktop()
	owner.Write("[name=email]", "clerk@example.com")
	owner.Leave("#invite button[type=submit]")
	owner.See("#invitations", "clerk@example.com")
	owner.InspectOpen("/admin/staff")
	owner.Desktop()

	mail := h.AwaitMail(t, "clerk@example.com", "Join the Gatehouse staff")
	_, link, ok := strings.Cut(mail.Text, h.URL(""))
	if !ok {
		t.Fatalf("mailed was %q", mail.Text)
	}
	link = strings.Fields(link)[0]
	h.Plant("the secret of an invitation", link[strings.LastIndex(link, "/")+1:])
	joins(t, invited, link)
	invited.Open("/admin/profile")
	invited.InspectOpen("/admin/profile")
	invited.Desktop()
	if e2e.Eval[bool](invited, `!!document.querySelector("nav a[href='/admin/staff']")`) {
		t.Error("the menu of Support leads to the staff")
	}
	invited.See("nav", "Orders")

	owner.Open("/admin/staff")
	owner.See("#staff-results", "Some Body")
	theirs := e2e.Eval[string](owner, `[...document.querySelectorAll("#staff-results a")].find(a => a.innerText === "Some Body").pathname`)
	owner.Open(theirs)
	owner.InspectOpen("/admin/staff/:id")
	owner.Desktop()
	owner.Leave("#access button[value=off]")
	owner.See("#act", "Switch off the account of clerk@example.com")
	owner.InspectOpen("the mailed code")
	owner.Desktop()
	code := regexp.MustCompile(`\b\d{4} \d{4}\b`).FindString(h.AwaitMail(t, h.Demo.Staff.Email, "Your code for an act").Text)
	h.Plant("a mailed code", code)
	owner.Write("[name=mailed_code]", code)
	owner.Leave("#mailed-code button[type=submit]")
	owner.See("main", "is switched off")
	invited.Leave("nav a[href='/admin/orders']")
	invited.Until("the sign-in", `location.pathname === "/admin/auth/sign-in"`)
}

// joins follows an invitation into the console.
func joins(t *testing.T, p *e2e.Page, link string) {
	t.Helper()
	p.Open(link)
	p.InspectOpen("the invitation")
	p.Desktop()
	key := e2e.Eval[string](p, `document.querySelector("#app-key").textContent.replaceAll(" ", "")`)
	p.Hub.Plant("the key of an authenticator app", key)
	code, err := second.CodeAt(key, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	p.Write("[name=name]", "Some Body")
	p.Write("[name=password]", "three quiet bakers at dawn")
	p.Write("[name=code]", code)
	p.Leave("#join button[type=submit]")
	p.See("h1", "Your backup codes")
	if n := e2e.Eval[int](p, `document.querySelectorAll(".backup-codes li").length`); n != second.BackupCodes {
		t.Errorf("%d backup codes", n)
	}
	p.Hub.Plant("a backup code", e2e.Eval[string](p, `document.querySelector(".backup-codes li").innerText.trim()`))
	p.InspectOpen("the backup codes")
	p.Desktop()
	p.Leave("#into-console")
}
