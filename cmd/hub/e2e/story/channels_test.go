package story

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/channel/email/mailtest"
	"gatehouse/cmd/hub/e2e"
)

const (
	teamBox  = "team@team.example"
	stranger = "stranger@elsewhere.example"
)

// mailboxForm writes the settings of a mailbox of m, all but its password.
func mailboxForm(p *e2e.Page, m *mailtest.Server) {
	p.Write("[name=mail_address]", "Team@team.example")
	for name, port := range map[string]int{"imap": m.IMAP, "smtp": m.SMTP} {
		p.Write("[name="+name+"_host]", "127.0.0.1")
		p.Write("[name="+name+"_port]", strconv.Itoa(port))
		p.Choose(name+"_tls", "none")
	}
	p.Write("[name=mail_auth_serv]", "mx.team.example")
	p.Choose("agent", "it-admin")
}

// letterTo is a mail to the team of whose sender the mail server is sure.
func letterTo(from, id, subject, text string) string {
	_, domain, _ := strings.Cut(from, "@")
	return fmt.Sprintf("Authentication-Results: mx.team.example; dmarc=pass header.from=%s\nFrom: %s\nTo: %s\nSubject: %s\n"+
		"Message-ID: <%s@%s>\n\n%s\n", domain, from, teamBox, subject, id, domain, text)
}

// channelState waits until the page of the channels, loaded again and again, says so.
func channelState(p *e2e.Page, sel, text string) {
	p.T.Helper()
	e2e.Until(p.T, "the page of the channels says "+text, func() bool {
		p.Open("/app/channels")
		return e2e.Eval[bool](p, `!!document.querySelector(`+e2e.Quote(sel)+`)?.innerText.includes(`+e2e.Quote(text)+`)`)
	})
}

// TestChannels: an owner gives the team a mailbox of a real mail server. What does not fit is said beside what was typed, a wrong password
// is said in words, and with the right one the mailbox connects. A stranger who writes gets a code, which the owner confirms with a
// signature, and takes back. The password is sealed in the browser: no table and no log of the hub holds it.
func TestChannels(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("Postfix needs to be root")
	}
	h, _, p := e2e.StartOwned(t)
	m := mailtest.Start(t, teamBox, stranger, h.Demo.Customer.Email)
	h.Plant("password of the mailbox", mailtest.Password)
	p.Open("/app/channels")
	p.Click("details.confirm summary") // the mailbox that the demo comes with
	p.Click("details.confirm[open] button")
	p.See("main", "No channel yet")
	p.InspectOpen("no channel yet")
	p.Desktop()
	p.Click("main a[href='/app/channels/email']")
	wrongThenRight(t, h, p, m)
	tested(t, h, p, m)
	paired(t, p, m)
}

// wrongThenRight sets the mailbox up, with what does not fit, with a wrong password and with the right one.
func wrongThenRight(t *testing.T, h *e2e.Hub, p *e2e.Page, m *mailtest.Server) {
	t.Helper()
	mailboxForm(p, m)
	p.InspectOpen("a mailbox")
	p.Desktop()
	p.Write("[name=imap_host]", "mail.team.example")
	wrong := e2e.Random()
	h.Plant("wrong password", wrong)
	p.Write("[data-secret]", wrong)
	p.Click("#channel-form button[type=submit]")
	p.See("main", "A mail server elsewhere is reached encrypted only.")
	p.Shots("channel-refused")
	for name, want := range map[string]string{
		"mail_address": teamBox, "imap_host": "mail.team.example", "imap_port": strconv.Itoa(m.IMAP), "imap_tls": "none",
		"smtp_host": "127.0.0.1", "mail_auth_serv": "mx.team.example", "agent": "it-admin",
	} {
		if got := e2e.Eval[string](p, `document.querySelector("[name=`+name+`]").value`); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	p.Write("[name=imap_host]", "127.0.0.1")
	p.Write("[data-secret]", wrong)
	p.Click("#channel-form button[type=submit]")
	p.See("[data-toast]", "The mailbox is saved.")
	channelState(p, "#email", "The mail server refused the user name or the password.")
	p.See("#email", "Not connected")
	p.Shots("channel-wrong")
	p.Click("main a[href='/app/channels/email']")
	p.Until("what was typed", `document.querySelector("[name=imap_host]")?.value === "127.0.0.1"`)
	p.Write("[data-secret]", mailtest.Password)
	p.Click("#channel-form button[type=submit]")
	p.See("[data-toast]", "The mailbox is saved.")
	channelState(p, "#email", "Connected")
}

// tested checks the connection, and has a message sent to the owner.
func tested(t *testing.T, h *e2e.Hub, p *e2e.Page, m *mailtest.Server) {
	t.Helper()
	p.Click("form[action='/app/channels/test']:not(:has([name=send])) button")
	p.See("#email", "Reading and sending work.")
	p.Click("form[action='/app/channels/test']:has([name=send]) button")
	p.See("#email", "The test message is sent.")
	p.InspectOpen("a channel")
	p.Desktop()
	box, _, _ := strings.Cut(h.Demo.Customer.Email, "@")
	if all := m.Mails(t, box); len(all) != 1 || !strings.Contains(all[0], "This is a test message.") {
		t.Errorf("the owner has %q", all)
	}
}

// paired has a stranger write, whom the owner confirms and takes off the list again.
func paired(t *testing.T, p *e2e.Page, m *mailtest.Server) {
	t.Helper()
	m.Deliver(t, stranger, teamBox, letterTo(stranger, "1", "Hello", "How full is the disk?"))
	channelState(p, "#people-email", stranger)
	p.See("#people-email", "Waiting for you")
	code := e2e.Eval[string](p, `document.querySelector("#people-email code").innerText`)
	var mail string
	e2e.Until(t, "the stranger has a code", func() bool {
		all := m.Mails(t, "stranger")
		if len(all) > 0 {
			mail = all[0]
		}
		return mail != ""
	})
	if len(code) != 6 || !strings.Contains(mail, code) {
		t.Errorf("the page shows %q, and the stranger got %s", code, mail)
	}
	p.InspectOpen("somebody waits")
	p.Desktop()
	p.Click(`#people-email form[data-channel]:not(#allow-email) button`)
	p.See("[data-toast]", "Confirmed.")
	p.See("#people-email", "May write")
	m.Deliver(t, stranger, teamBox, letterTo(stranger, "2", "Opening hours", "How full is the disk?"))
	e2e.Until(t, "the owner is asked about the answer", func() bool {
		p.Open("/app/approvals")
		return e2e.Eval[bool](p, `document.querySelector("main").innerText.includes("`+stranger+`")`)
	})
	p.See("main", "Answer by email to "+stranger)
	if e2e.Eval[bool](p, `!!document.querySelector("main a[href$='/edit']")`) {
		t.Error("an answer can be edited, which its server refuses")
	}
	p.InspectOpen("an answer to a stranger")
	p.Desktop()
	talk(p)

	p.Open("/app/channels")
	p.Click("#people-email .row form:last-child button")
	p.See("[data-toast]", "Removed.")
	p.See("#people-email", "Nobody yet.")
	p.Write("#allow-email [name=address]", "Owner@Example.com")
	p.Click("#allow-email button[type=submit]")
	p.See("[data-toast]", "Added.")
	p.See("#people-email", "owner@example.com")
	p.Click("details.confirm summary")
	p.Shots("channel-remove")
	p.Click("details.confirm[open] button")
	p.See("[data-toast]", "The mailbox is removed.")
	p.See("main", "No channel yet")
}

// talk looks at the conversation that a mail has begun, which says by which channel it came.
func talk(p *e2e.Page) {
	p.T.Helper()
	p.Open("/app/conversations")
	p.See("main", "Opening hours")
	p.Click("main a[href^='/app/chat/']")
	p.See(".turn.person", stranger)
	p.See(".turn.person", "by e-mail")
	p.Shots("channel-talk")
}
