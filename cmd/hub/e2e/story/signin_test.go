package story

import (
	"strings"
	"testing"
	"time"

	"gatehouse/app/second"
	"gatehouse/cmd/hub/e2e"
)

// TestSignIn: an owner switches the code at sign-in on, signs in with password and code, signs in elsewhere with a mailed link
// and a backup code, and ends the first of the two from there.
func TestSignIn(t *testing.T) {
	h, _ := e2e.Start(t)
	p := h.NewPage(t)
	p.SignIn()
	p.Open("/app/settings/sign-in")
	p.Shots("sign-in-settings")
	p.Leave("#code form button")
	p.See("main", "Type the code that the app shows")
	p.Shots("sign-in-code")
	key := strings.ReplaceAll(e2e.Eval[string](p, `document.querySelector(".codeblock code").textContent`), " ", "")
	codeOf := func(at time.Time) string {
		code, err := second.CodeAt(key, at)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	begun := time.Now()
	p.Write("[name=code]", codeOf(begun))
	p.Leave("main form button[value=code]")
	p.See("main", "From now on, signing in needs a code")
	p.Shots("sign-in-backup-codes")
	backup := e2e.Eval[string](p, `document.querySelector("[data-codes] code").textContent`)
	h.AwaitMail(t, h.Demo.Customer.Email, "Signing in now needs a code")

	withCode := h.NewPage(t)
	withCode.Open("/auth/sign-in")
	withCode.Write("[name=email]", h.Demo.Customer.Email)
	withCode.Write("[name=password]", h.Demo.Customer.Password)
	withCode.Leave("#sign-in button.primary")
	withCode.See("main", "Your one-time code")
	withCode.Shots("sign-in-second")
	withCode.Write("[name=code]", codeOf(begun.Add(30*time.Second))) // the next one: it is good half a minute early
	withCode.Leave("#second button")
	withCode.Until("the portal", `location.pathname === "/app"`)

	byMail := h.NewPage(t)
	byMail.Open("/auth/sign-in")
	byMail.Write("[name=email]", h.Demo.Customer.Email)
	byMail.Leave("#sign-in button[formaction]")
	byMail.See("main", "a link to sign in is on its way")
	mail := h.AwaitMail(t, h.Demo.Customer.Email, "Your link to sign in")
	_, link, ok := strings.Cut(mail.Text, h.URL(""))
	if !ok {
		t.Fatalf("mailed was %q", mail.Text)
	}
	byMail.Open(strings.Fields(link)[0])
	byMail.Shots("sign-in-link")
	byMail.Leave("#link button")
	byMail.Write("[name=code]", backup)
	byMail.Leave("#second button")
	byMail.See("body", "You used a backup code. 9 are left.")

	byMail.Open("/app/settings/sign-in")
	byMail.Leave("#sign-ins form[action$='/end-others'] button")
	byMail.See("body", "signed in only here")
	withCode.Load("/app")
	withCode.Until("the sign-in, as this one has ended", `location.pathname === "/auth/sign-in"`)
}
