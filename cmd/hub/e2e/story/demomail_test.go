package story

import (
	"net/http"
	"strings"
	"testing"
	"time"

	demo "gatehouse/cmd/hub/dev"
	"gatehouse/cmd/hub/e2e"
)

// TestDemoMail: the demo's team can be written to by mail without any account. The owner writes in the browser, and then with a mail
// program; the work happens, and the answers are in their mailbox. A request for approval comes by mail, and is denied by mail; the
// portal shows both.
func TestDemoMail(t *testing.T) {
	h, c := e2e.Start(t)
	p := h.NewPage(t)
	p.SignIn()
	owner := h.Demo.Customer.Email
	channelState(p, "#email", "Connected")
	p.See("#people-email", owner)
	p.InspectOpen("the demo's mailbox")
	p.Desktop()

	p.Open("/dev/mail")
	p.Write("[name=subject]", "Disk")
	p.Write("[name=text]", "How full is the disk?")
	p.InspectOpen("write to the demo's team")
	p.Desktop()
	p.Click("#write button[type=submit]")
	answer := h.AwaitMail(t, owner, "Re: Disk")
	if answer.From != demo.TeamAddress || !strings.Contains(answer.Text, "full") {
		t.Errorf("%+v", answer)
	}
	p.Open("/dev/mail")
	p.See("main", "Re: Disk")
	p.Shots("demo-mail")
	p.Open("/app/conversations")
	p.See("main", "Disk")

	if err := demo.Write(h.Dir, "Opening hours", "Email someone@example.com that we open at nine", time.Now()); err != nil {
		t.Fatal(err)
	}
	ask := h.AwaitMail(t, owner, "Your approval is needed")
	if !strings.Contains(ask.Text, "someone@example.com") ||
		!strings.Contains(ask.Text, "allowed in the portal alone: "+h.URL("/app/approvals/")) {
		t.Errorf("%+v", ask)
	}
	_, code, _ := strings.Cut(ask.Text, "/deny ")
	for _, verb := range []string{"approve", "deny"} {
		if err := demo.Write(h.Dir, "Re: "+ask.Subject, "/"+verb+" "+code[:6]+" not today", time.Now()); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"approve": "Nothing was decided.", "deny": "Denied: "}[verb]
		e2e.Until(t, "an answer to /"+verb, func() bool {
			for _, m := range h.Mails(t, owner) {
				if strings.Contains(m.Text, want) {
					return true
				}
			}
			return false
		})
	}
	e2e.Until(t, "the portal says who denied, and how", func() bool {
		p.Open("/app/approvals/history")
		return e2e.Eval[bool](p, `document.querySelector("main").innerText.includes("by e-mail")`)
	})
	p.Shots("demo-mail-denied")
	for _, m := range h.Mails(t, "someone@example.com") {
		t.Errorf("it was sent: %+v", m)
	}
	blockedByProgram(t, c, p, owner)
}

// blockedByProgram takes the owner's address off the channel by the API: blocked first, which a program cannot take back.
func blockedByProgram(t *testing.T, c *e2e.Client, p *e2e.Page, owner string) {
	t.Helper()
	type people struct {
		Items []struct{ ID, Address, State string } `json:"items"`
	}
	var all people
	c.Want(http.StatusOK, http.MethodGet, "/channels/email/pairings", nil, &all)
	if len(all.Items) != 1 || all.Items[0].Address != owner || all.Items[0].State != "paired" {
		t.Fatalf("%+v", all)
	}
	at := "/channels/email/pairings/" + all.Items[0].ID
	c.Want(http.StatusNoContent, http.MethodDelete, at+"?block=true", nil, nil)
	c.Want(http.StatusConflict, http.MethodDelete, at, nil, nil)
	c.Want(http.StatusOK, http.MethodGet, "/channels/email/pairings", nil, &all)
	if len(all.Items) != 1 || all.Items[0].State != "blocked" {
		t.Errorf("%+v", all)
	}
	p.Open("/app/channels")
	p.See("#people-email", "Blocked")
	p.Shots("channel-blocked")
}
