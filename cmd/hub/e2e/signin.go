package e2e

import (
	"time"

	"github.com/pquerna/otp/totp"
)

// SignIn signs in as the demo's owner.
func (p *Page) SignIn() {
	p.T.Helper()
	p.Open("/auth/sign-in")
	p.Write("[name=email]", p.Hub.Demo.Customer.Email)
	p.Write("[name=password]", p.Hub.Demo.Customer.Password)
	p.Click("main form button[type=submit]")
	p.Until("signed in", `location.pathname === "/app"`)
	p.plantCookies()
}

// EnrolHere gives this browser a key that may allow, with a code that the operator prints.
func (p *Page) EnrolHere() {
	p.T.Helper()
	p.Open("/app/settings/approvers")
	code, err := p.Hub.EnrolCode()
	if err != nil {
		p.T.Fatal(err)
	}
	p.Write("[data-code]", code)
	p.Click("form[data-enrol] button[value=browser]")
	p.See("[data-own-keys]", "")
	p.Until("the key of this browser", `document.querySelector("[data-own]:not([hidden])")`)
}

// ConfirmAddress follows the link that the owner was mailed.
func (p *Page) ConfirmAddress() {
	p.T.Helper()
	p.Open(p.Hub.MailedLink(p.T, p.Hub.Demo.Customer.Email, "Confirm your email address"))
	p.Leave("#verify button")
}

// StaffPassword is the first step of a staff member's sign-in.
func (p *Page) StaffPassword() {
	p.T.Helper()
	p.Open("/admin")
	p.Write("[name=email]", p.Hub.Demo.Staff.Email)
	p.Write("[name=password]", p.Hub.Demo.Staff.Password)
	p.Click("main form button[type=submit]")
	p.Until("the second step", `location.pathname === "/admin/auth/2fa"`)
}

// SignInStaff signs in as the demo's staff member, with password and TOTP code.
func (p *Page) SignInStaff() {
	p.T.Helper()
	p.StaffPassword()
	code, err := totp.GenerateCode(p.Hub.Demo.Staff.TOTPSecret, time.Now())
	if err != nil {
		p.T.Fatal(err)
	}
	p.Write("[name=code]", code)
	p.Click("main form button[type=submit]")
	p.Until("the console", `location.pathname === "/admin"`)
	p.plantCookies()
}
