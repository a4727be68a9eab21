package page

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
	"gatehouse/views/i18n"
)

// reader is a person whose browser runs no scripts, in their language.
type reader struct {
	*e2e.Page
	speaks, lang string
	email        string
	disk, full   string // a question, and a word of its answer
	tidy, mail   string // what they ask for
	long         string
	reason, why  string // of a denial, and the word of it that the answer knows
}

var readers = []reader{
	{
		speaks: "en-GB,en", lang: "en", email: "plain@example.com", disk: "How full is the disk?", full: "full",
		tidy: "Delete the old temporary files", mail: "Email someone@example.com that we open at nine", long: "Write me a long answer",
		reason: "Not before the audit", why: "audit",
	},
	{
		speaks: "de-DE,de", lang: "de", email: "schlicht@example.com", disk: "Wie voll ist die Festplatte?", full: "voll",
		tidy: "Lösche die alten temporären Dateien", mail: "Schreibe eine Mail an someone@example.com, dass wir um neun öffnen",
		long: "Gib mir eine lange Antwort", reason: "Nicht vor der Prüfung", why: "Prüfung",
	},
}

// ctx is one in the reader's language.
func (p reader) ctx() context.Context { return i18n.With(context.Background(), p.lang) }

// TestPlain is a browser that runs no scripts: ordering, asking, denying with a reason, editing, stopping, searching and
// settings work by forms and links alone, in English, in the soak in German as well. What takes a key that only a script can use
// says so, and nothing happens.
func TestPlain(t *testing.T) {
	h, c := e2e.Start(t)
	for _, p := range seeded.Sample(readers, len(readers)) {
		p.Page = h.NewPage(t)
		p.Do(e2e.ScriptsOff, e2e.Speaks(p.speaks))
		plainOrder(p)
		t.Run(p.lang+": ask and be answered", func(t *testing.T) { p.T = t; plainAnswer(p) })
		t.Run(p.lang+": ask, deny and say why", func(t *testing.T) { p.T = t; plainDeny(p) })
		t.Run(p.lang+": allow takes a key", func(t *testing.T) { p.T = t; plainAllow(p) })
		t.Run(p.lang+": stop", func(t *testing.T) { p.T = t; plainStop(p) })
		t.Run(p.lang+": find", func(t *testing.T) { p.T = t; plainFind(p) })
		t.Run(p.lang+": less autonomy", func(t *testing.T) { p.T = t; plainLevel(p) })
		t.Run(p.lang+": sign out", func(t *testing.T) { p.T = t; plainOut(p) })
	}
	t.Run("staff deny", func(t *testing.T) { staffDenyPlainly(t, h, c) })
}

// again loads a page anew until something holds, as a person without scripts does.
func again(p reader, path, what, js string) {
	p.T.Helper()
	for end := time.Now().Add(e2e.WaitLimit); ; {
		p.Open(path)
		if e2e.Eval[bool](p.Page, "!!("+js+")") {
			return
		}
		if time.Now().After(end) {
			p.T.Fatalf("not within %s: %s\n%s", e2e.WaitLimit, what, p.Where())
		}
	}
}

// plainOrder orders a server: the page looks for news by itself, and leads into the portal.
func plainOrder(p reader) {
	p.T.Helper()
	p.Open("/checkout?plan=build")
	p.Write("[name=business]", "Plain Bakery")
	p.Write("[name=name]", "The owner")
	p.Write("[name=email]", p.email)
	p.Write("[name=password]", "a long enough pass phrase")
	p.Click("main form button[type=submit]")
	p.Until("the way into the portal", `document.querySelector('main a[href="/app"], main a[href="/onboard/enter"]')`)
	p.Shot("plain-onboard")
	p.Leave(`main a[href="/app"], main a[href="/onboard/enter"]`)
	p.Until("the portal", `location.pathname === "/app"`)
	if lang := e2e.Eval[string](p.Page, "document.documentElement.lang"); lang != p.lang {
		p.T.Errorf("the portal is in %q, want %q", lang, p.lang)
	}
}

// plainSay writes a message; the conversation's page follows.
func plainSay(p reader, text string) {
	p.T.Helper()
	p.Open("/app/chat")
	if e2e.Eval[bool](p.Page, `document.querySelector(".composer-note .keys")?.checkVisibility() ?? false`) {
		p.T.Error("keys are offered that only a script hears")
	}
	p.Write("#composer-text", text)
	p.Leave("button[form=composer]")
	p.See(".turn.person .bubble", text)
}

// plainAnswer: the page that shows a message shows the answer by itself, opened at it.
func plainAnswer(p reader) {
	plainSay(p, p.disk)
	p.Until("the answer, without a press", lastAnswer+`.querySelector(".turn-foot").dataset.state === "done"`)
	p.See(".turn.answer:last-of-type .prose", p.full)
	p.Until("a page that is opened at its newest turn", `location.hash === "#turn-" + `+lastAnswer+`.dataset.run`)
}

const lastAnswer = `document.querySelector(".turn.answer:last-of-type")`

func plainDeny(p reader) {
	plainSay(p, p.tidy)
	again(p, "/app/chat", "the question", lastAnswer+`.querySelector(".approval [data-decision]")`)
	p.Shot("plain-approval")
	p.Click(".turn.answer:last-of-type .approval [id$='-say'] summary")
	p.Write(".turn.answer:last-of-type .approval textarea[name=reason]", p.reason)
	p.Leave(".turn.answer:last-of-type .approval [id$='-say'] button[value=deny]")
	again(p, "/app/chat", "an answer that knows the reason", lastAnswer+`.innerText.includes(`+e2e.Quote(p.why)+`)`)
}

func plainAllow(p reader) {
	plainSay(p, p.mail)
	again(p, "/app/chat", "the question", lastAnswer+`.querySelector(".approval [data-decision]")`)
	p.Leave(".turn.answer:last-of-type .approval button[value=allow_once]")
	p.See("main", i18n.Say(p.ctx(), "You can allow this only on a device that may approve. Nothing was decided."))
	p.Shot("plain-allow")
	again(p, "/app/approvals", "the question waits on", `document.querySelectorAll(".approval [data-decision]").length === 1`)
	if n := len(p.Hub.Mails(p.T, "someone@example.com")); n != 0 {
		p.T.Errorf("%d mails went out without a signature", n)
	}
	p.Leave(".approval button[value=deny]")
}

func plainStop(p reader) {
	plainSay(p, p.long)
	again(p, "/app/chat", "a run that can be stopped", `document.querySelector("[data-stop] button")`)
	p.Leave("[data-stop] button")
	again(p, "/app/chat", "a stopped run", lastAnswer+`.querySelector(".turn-foot").dataset.state === "stopped"`)
}

func plainFind(p reader) {
	p.Open("/app/conversations")
	p.Write("main input[type=search]", "nothing of this name")
	p.Leave("main form[role=search] button, main search button, main form:has(input[type=search]) button")
	p.Until("the search in the address", `location.search.includes("q=nothing")`)
	p.See("main", i18n.T(p.ctx(), "ui.table.clear"))
	p.Shot("plain-nothing-found")
}

func plainLevel(p reader) {
	p.Open("/app/agents/it-admin/autonomy")
	p.Click("main input[name=level][value='1']")
	p.Leave("main button[value=level]")
	again(p, "/app/agents/it-admin/autonomy", "the level", `document.querySelector("main input[name=level][value='1']").checked`)
}

func plainOut(p reader) {
	p.Open("/app")
	p.Click(".account summary")
	p.Leave(`.account form[action="/auth/sign-out"] button`)
	p.Until("the end", `location.pathname === "/auth/signed-out"`)
	p.Open("/app")
	p.Until("the sign-in", `location.pathname === "/auth/sign-in"`)
}

// staffDenyPlainly: the console, too, needs no scripts.
func staffDenyPlainly(t *testing.T, h *e2e.Hub, c *e2e.Client) {
	q := c.Asked(c.Say("secretary", "Email someone@example.com that we close at six"))
	p := h.NewPage(t)
	p.Do(e2e.ScriptsOff)
	p.SignInStaff()
	p.Open("/admin/approvals/" + q.ID)
	p.Write("main textarea[name=reason]", "The customer called")
	p.Leave("main button[value=deny]")
	e2e.Until(t, "it is denied", func() bool { return c.Approval(q.ID).State == wire.ApprovalDenied })
	if end := c.End(q.RootRunID); end.Final == nil {
		t.Error(fmt.Sprint(end.Tail()))
	}
}
