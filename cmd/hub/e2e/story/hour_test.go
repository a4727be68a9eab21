package story

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse/cmd/hub/e2e"
	"gatehouse/views/i18n"
)

// mostPresses is what lies at most between the order and the first deletion that the owner allows.
const mostPresses = 8

// hour is the first hour of an owner: the language and screen they have, and what they read there.
type hour struct {
	name          string
	speaks, lang  string
	width, height int64
	business      string
	email         string
	passkey       bool // approves with one, made with the order
	early         bool // leaves the page of the order before the server is ready
	tidy          string
	asked         string // the headline of the request
	done          string // the answer begins so
	allowed       string // the evidence says so
	search        string // a word that they look for in the help
}

// hours are both languages on both screens. In make test they take turns.
var hours = []hour{
	{
		name: "in German, on a phone", speaks: "de-DE,de", lang: "de", width: 390, height: 844, business: "Backstube am Eck",
		email: "backstube@example.com", tidy: "Lösche die alten temporären Dateien", asked: "tmp/*.tmp löschen",
		done: "Ich habe tmp/*.tmp gelöscht: ", allowed: "erlaubt von backstube@example.com", search: "Gerät",
	},
	{
		name: "in German, on a laptop", speaks: "de-DE,de", lang: "de", width: 1366, height: 768, business: "Backstube am Markt",
		email: "markt@example.com", tidy: "Lösche die alten temporären Dateien", asked: "tmp/*.tmp löschen",
		done: "Ich habe tmp/*.tmp gelöscht: ", allowed: "erlaubt von markt@example.com", search: "Stufen",
	},
	{
		name: "in English, on a laptop, in a hurry", speaks: "en-GB,en", lang: "en", width: 1366, height: 768, business: "Second Bakery",
		email: "second@example.com", early: true, tidy: "Delete the old temporary files", asked: "Delete tmp/*.tmp",
		done: "I have deleted tmp/*.tmp: ", allowed: "allowed by second@example.com", search: "device",
	},
	{
		name: "in English, on a phone, with a passkey", speaks: "en-GB,en", lang: "en", width: 390, height: 844, business: "Third Bakery",
		email: "third@example.com", passkey: true, tidy: "Delete the old temporary files", asked: "Delete tmp/*.tmp",
		done: "I have deleted tmp/*.tmp: ", allowed: "allowed by third@example.com", search: "levels",
	},
}

// word is a text of the catalogue in the owner's language.
func (o hour) word(key i18n.Key, args ...any) string {
	return i18n.T(i18n.With(context.Background(), o.lang), key, args...)
}

// firstHour: from the landing page to the first request that is allowed, and a look at what is the owner's own, on one screen
// and in one language.
func firstHour(p *e2e.Page, h *e2e.Hub, o hour) {
	p.Do(e2e.Speaks(o.speaks), chromedp.EmulateViewport(o.width, o.height))
	if o.passkey {
		p.Authenticator()
	}
	p.Open("/")
	o.stands(p, "landing")
	tap(p, `a[href="/pricing"]`)
	tap(p, `a[href*="plan=build"]`)
	tap(p, `main form button[type=submit], main form button:not([type])`)
	p.Write("[name=business]", o.business)
	p.Write("[name=name]", "The owner")
	p.Write("[name=email]", o.email)
	p.Write("[name=password]", "a long enough pass phrase")
	o.choosePasskey(p)
	o.stands(p, "checkout")
	tap(p, `main form button[type=submit]`)
	p.Until("the order's page", `location.pathname === "/onboard"`)
	p.Presses = 0
	o.enter(p, h)
	data := newestData(p.T, h)
	o.allow(p, data)
	if p.Presses > mostPresses {
		p.T.Errorf("%d presses from the order to the first deletion, want %d at most", p.Presses, mostPresses)
	}
	o.keptIn(p)
	o.lookAround(p)
	o.confirm(p)
	o.upload(p, data)
	o.rule(p)
	o.findHelp(p)
	o.beQuiet(p)
	o.speakOther(p)
	if o.early {
		renewCode(p)
	}
}

// choosePasskey: a passkey is offered where the device has one, and chosen by whoever wants it.
func (o hour) choosePasskey(p *e2e.Page) {
	p.T.Helper()
	const offer = `document.querySelector("[data-first-passkey-offer]").checkVisibility()`
	if !o.passkey {
		if e2e.Eval[bool](p, offer) {
			p.T.Error("a passkey is offered on a device that has none")
		}
		return
	}
	p.Until("the offer of a passkey", offer)
	p.Click("[data-first-passkey]")
}

// keptIn fails unless the only key that may approve is of the kind that was chosen, and this browser holds it.
func (o hour) keptIn(p *e2e.Page) {
	p.T.Helper()
	want := map[bool]string{false: "browser", true: "passkey, no key here"}[o.passkey]
	got, err := chromedp.Run(p.Ctx, chromedp.Evaluate[string](`new Promise(done => {
		const opening = indexedDB.open("gatehouse", 1)
		opening.onsuccess = () => {
			const all = opening.result.transaction("keys").objectStore("keys").getAll()
			const kind = k => k.kind + (k.private ? "" : ", no key here")
			all.onsuccess = () => { opening.result.close(); done(all.result.map(kind).join(";")) }
		}
	})`, chromedp.EvalAwaitPromise))
	if err != nil || got != want {
		p.T.Errorf("the browser holds %q (%v), want %q", got, err, want)
	}
}

// enter: the page of the order leads into the portal, which says that this browser may approve.
func (o hour) enter(p *e2e.Page, h *e2e.Hub) {
	p.T.Helper()
	kept := `document.querySelector("[data-kept]")?.checkVisibility()`
	if o.early {
		p.Open("/dev/mail") // away from it
		h.AwaitMail(p.T, o.email, "Your server is ready")
		p.Open("/app")
		p.Until("the word that this browser may approve", kept)
		o.stands(p, "today")
		return
	}
	p.Until("the word that this browser may approve", kept)
	o.stands(p, "onboard")
	tap(p, `#progress a[href="/app"]`)
	p.Until("the portal", `location.pathname === "/app"`)
	o.stands(p, "today")
}

// allow: a suggestion in the chat, the request, and what came of it.
func (o hour) allow(p *e2e.Page, data string) {
	p.T.Helper()
	before, _ := tempFiles(p.T, data)
	tap(p, `a[href="/app/chat"]`)
	p.Until("the chat", `location.pathname === "/app/chat"`)
	o.stands(p, "chat")
	tap(p, `button.starter[value=`+e2e.Quote(o.tidy)+`]`)
	p.See(".approval", o.asked)
	tap(p, `.approval button[value=allow_once]`)
	p.Until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	p.See(".turn.answer:last-of-type .prose", o.done)
	if n, _ := tempFiles(p.T, data); n != 0 || before == 0 {
		p.T.Errorf("%d of %d files are left", n, before)
	}
	presses := p.Presses
	p.Click(".turn.answer:last-of-type .evidence summary")
	p.See(".turn.answer:last-of-type .evidence .act", o.allowed)
	p.Presses = presses
	o.stands(p, "chat-done")
}

// lookAround: the pages that an owner opens next.
func (o hour) lookAround(p *e2e.Page) {
	p.T.Helper()
	for path, title := range map[string]i18n.Key{
		"/app/files": "file.title", "/app/permissions": "permission.rules", "/app/settings": "portal.settings.title",
	} {
		p.Open(path)
		p.See("main", o.word(title))
		o.stands(p, strings.TrimPrefix(path, "/app/"))
	}
}

// confirm: the first page asks for it until the link in the mail was followed.
func (o hour) confirm(p *e2e.Page) {
	p.T.Helper()
	const send = `!!document.querySelector("main form[action='/auth/verify'] button")`
	p.Open("/app")
	p.See("main", o.word("portal.confirm.title", "email", o.email))
	p.Open(p.Hub.MailedLink(p.T, o.email, o.word("mail.verify.subject")))
	p.Leave("#verify button")
	p.See("main", o.word("public.verify.done_h1"))
	p.Open("/app")
	p.See("main", o.word("portal.home.title"))
	if e2e.Eval[bool](p, send) {
		p.T.Error("the page still asks for what was done")
	}
}

// upload: a file of theirs lies in the folder of the business.
func (o hour) upload(p *e2e.Page, data string) {
	p.T.Helper()
	const name = "Rye bread.txt"
	content := []byte("750 g, 4.20\n")
	file := filepath.Join(p.T.TempDir(), name)
	wantWritten(p.T, file, content)
	p.Open("/app/files")
	choose(p, file)
	p.Click("[data-upload] button[type=submit]")
	p.See("[data-uploads]", o.word("file.uploaded"))
	p.See("#files", name)
	wantFile(p.T, filepath.Join(data, name), content)
}

// rule: put together as a sentence and saved, it is the first version of the rules.
func (o hour) rule(p *e2e.Page) {
	p.T.Helper()
	const says = `document.querySelector("#rule-0 [data-says]")?.innerText`
	p.Open("/app/permissions")
	p.Click("#rules button[value=add]")
	for field, value := range map[string]string{"r0.agent": "it-admin", "r0.tool": "file_write"} {
		p.Until("a sentence", says)
		before := e2e.Eval[string](p, says)
		p.Choose(field, value)
		p.Until("another sentence, and what it would have changed",
			says+` !== `+e2e.Quote(before)+` && !document.querySelector(".htmx-request")`)
	}
	p.Leave("#preview button[value=save]")
	p.See("#versions", o.word("credential.version", "n", 1))
	p.Open("/app/permissions")
	p.Until("the rule", says)
}

// findHelp: a word leads to an answer.
func (o hour) findHelp(p *e2e.Page) {
	p.T.Helper()
	p.Open("/app/help")
	p.Write("main form[role=search] input[type=search]", o.search)
	p.Click("main form[role=search] button.primary")
	p.Until("an answer with the word", `[...document.querySelectorAll(".guide-links mark")].some(e =>
		e.innerText.toLowerCase() === `+e2e.Quote(strings.ToLower(o.search))+`)`)
	p.Click(".guide-links a:has(mark), .guide-links li:has(mark) a")
	p.Until("the answer", `location.pathname.startsWith("/app/help/") && document.querySelector("h1")`)
}

// beQuiet: no notifications at night.
func (o hour) beQuiet(p *e2e.Page) {
	p.T.Helper()
	p.Open("/app/settings/notifications")
	p.See("#this-device", o.word("portal.push.here"))
	p.Until("the hours", `document.querySelector("#quiet [name=from]")`)
	e2e.Eval[bool](p, `(({ from, to }) => { from.value = "21:30"; to.value = "06:00"; return true })(
		document.querySelector("#quiet form").elements)`)
	p.Leave("#quiet button[value=quiet]")
	p.See("[data-toast]", o.word("portal.push.said_quiet", "from", "21:30", "to", "06:00"))
	if from := e2e.Eval[string](p, `document.querySelector("#quiet [name=from]").value`); from != "21:30" {
		p.T.Errorf("quiet from %q", from)
	}
}

// speakOther: all that follows is in the other language.
func (o hour) speakOther(p *e2e.Page) {
	p.T.Helper()
	other := hour{lang: map[string]string{"de": "en", "en": "de"}[o.lang], width: o.width}
	p.Open("/app/settings")
	p.Click("main input[name=language][value=" + other.lang + "]")
	p.Leave("main button[value=language]")
	p.See("[data-toast]", other.word("portal.settings.language_saved"))
	p.Open("/app")
	p.See("main", other.word("portal.home.title"))
	if lang := e2e.Eval[string](p, "document.documentElement.lang"); lang != other.lang {
		p.T.Errorf("after a change to %s the pages are in %s", other.lang, lang)
	}
}

// stands fails unless the page is in the language that was asked for and fits the screen.
func (o hour) stands(p *e2e.Page, name string) {
	p.T.Helper()
	if lang := e2e.Eval[string](p, "document.documentElement.lang"); lang != o.lang {
		p.T.Errorf("%s is in %q, want %q", name, lang, o.lang)
	}
	p.Fits(fmt.Sprintf("%s in %s at %d px", name, o.lang, o.width))
	p.Shot("hour-" + o.lang + "-" + name)
}

// tap clicks the first match that can be seen: on a phone, some of a page is in another place.
func tap(p *e2e.Page, sel string) {
	p.T.Helper()
	p.Until(sel+" to be seen", fmt.Sprintf(`(() => {
		document.querySelector("[data-tap]")?.removeAttribute("data-tap")
		const e = [...document.querySelectorAll(%s)].find(e => e.checkVisibility({visibilityProperty: true}))
		e?.setAttribute("data-tap", "")
		return e
	})()`, e2e.Quote(sel)))
	p.Click("[data-tap]")
}

// newestData is the data root of the server that was set up last.
func newestData(t *testing.T, h *e2e.Hub) (newest string) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(h.Dir, "servers", "*", "data"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("servers: %v, %v", dirs, err)
	}
	var at int64
	for _, d := range dirs {
		info, err := os.Stat(filepath.Dir(d))
		if err != nil {
			t.Fatal(err)
		}
		if made := info.ModTime().UnixNano(); made > at {
			newest, at = d, made
		}
	}
	return newest
}
