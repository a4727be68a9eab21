package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	sizes "gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/devmail"
)

// TestStories is the main job as a newcomer lives it: from the landing page to the staff console, on one hub.
func TestStories(t *testing.T) {
	t.Parallel()
	slot(t)
	h := startHub(t, ownPostgres)
	p := h.newPage(t)
	t.Run("1 order a server", func(t *testing.T) { p.t = t; order(p) })
	if t.Failed() {
		return
	}
	server := newcomersData(t, h)
	t.Run("2 ask how full the disk is", func(t *testing.T) { p.t = t; askDisk(p) })
	t.Run("3 delete old temporary files", func(t *testing.T) { p.t = t; deleteFiles(p, h, server) })
	t.Run("4 e-mail someone outside", func(t *testing.T) { p.t = t; sendMail(p, h) })
	t.Run("5 stop, leave and come back", func(t *testing.T) { p.t = t; stopAndReturn(p) })
	t.Run("6 staff look on", func(t *testing.T) { staff(h.newPage(t), h) })
}

// order: landing page, pricing, the Build plan through the test checkout, the order live until the portal opens.
func order(p *page) {
	p.keepStates()
	p.open("/")
	p.see("h1", "")
	p.shot("landing")
	p.click(`a[href="/pricing"]`)
	p.see("main", "Build")
	p.shot("pricing")
	p.click(`a[href*="plan=build"]`)
	p.click(`main form button[type=submit], main form button:not([type])`)
	p.write("[name=business]", "Corner Bakery")
	p.write("[name=name]", "The owner")
	p.write("[name=email]", "newcomer@example.com")
	p.write("[name=password]", "a long enough pass phrase")
	p.shot("checkout")
	p.click(`main form button[type=submit]`)
	p.until("the order's page", `sessionStorage.loads`)
	p.shot("onboard")
	p.until("the portal, by itself", `location.pathname === "/app"`)
	states := strings.Split(eval[string](p, `JSON.parse(sessionStorage.states).join()`), ",")
	if loads := eval[string](p, `sessionStorage.loads`); loads != "1" || len(states) < 3 || states[len(states)-1] != "FULFILLED" {
		p.t.Errorf("the order's page was loaded %s times and showed %v; want it once, and its states one after the other", loads, states)
	}
	p.see("main", "")
	p.shot("portal-home")
}

// newcomersData is the data root of the server that the order made beside the demo's.
func newcomersData(t *testing.T, h *hub) string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(h.Dir, "servers", "*", "data"))
	if err != nil || len(dirs) != 2 {
		t.Fatalf("servers: %v, %v; want the demo's and the newcomer's", dirs, err)
	}
	for _, d := range dirs {
		if !strings.Contains(d, h.Demo.ServerID) {
			return d
		}
	}
	t.Fatalf("no server but the demo's %s among %v", h.Demo.ServerID, dirs)
	return ""
}

// say writes a message and sends it with Enter.
func say(p *page, text string) {
	p.t.Helper()
	p.write("#composer-text", text+"\r")
	p.see(".turn.person .bubble", text)
}

// askDisk: the dispatcher hands over, the chip shows tool and tier, the answer streams, the evidence lists receipts.
func askDisk(p *page) {
	p.open("/app/chat")
	countGrowth(p)
	say(p, "How full is the disk?")
	p.see(".hop summary", "IT admin")
	p.until("the chip of the shell call", `[...document.querySelectorAll(".chip")].some(e => e.textContent.includes("shell") && e.textContent.includes("Looks only"))`)
	p.until("an answer with a figure", `[...document.querySelectorAll(".turn.answer:last-of-type .prose")].some(e => /\d+\s?%/.test(e.innerText))`)
	p.until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "done"`)
	p.until("an answer that grew piece by piece", `window.growth >= 2`)
	p.click(".turn.answer:last-of-type .evidence summary")
	p.see(".turn.answer:last-of-type .evidence", "Started")
	p.shot("chat-disk")
	p.phone()
	p.shot("chat-disk-phone")
	p.desktop()
}

// countGrowth counts how often the text of answers changes, to tell a stream from an answer in one piece.
func countGrowth(p *page) {
	p.t.Helper()
	eval[bool](p, `window.growth = 0, new MutationObserver(m => { if (m.some(x => x.target.closest && x.target.closest(".tail"))) window.growth++ }).observe(document.body, {subtree: true, childList: true, characterData: true}), true`)
}

// deleteFiles: the approval names arguments and measured facts on every open page; deny with a reason, then allow.
func deleteFiles(p *page, h *hub, data string) {
	inbox := p.tab()
	inbox.open("/app/approvals")
	p.open("/app/chat")
	before, size := tempFiles(p.t, data)
	if before == 0 {
		p.t.Fatalf("no temporary files to delete in %s", data)
	}
	say(p, "Delete the old temporary files")
	for _, on := range []*page{p, inbox} {
		on.see(".approval", "file_delete")
		on.see(".approval", "tmp/*.tmp")
		for _, fact := range []string{strconv.Itoa(before) + " files", size} {
			on.until("a card that says "+fact, `[...document.querySelectorAll(".approval")].some(e => e.innerText.replace(/\s+/g, " ").includes(`+quote(fact)+`))`)
		}
	}
	p.shot("chat-approval")
	inbox.shot("inbox")
	p.click(".approval [id$='-say'] summary")
	p.write(".approval textarea[name=reason]", "Not before the audit on Friday")
	inbox.watchShifts()
	p.click(".approval [id$='-say'] button[value=deny]")
	inbox.until("the card in the inbox shows the decision", `!document.querySelector(".approval [data-decision]")`)
	inbox.wantStill("a decision made elsewhere", 0)
	p.see(".turn.answer:last-of-type .prose", "audit")
	if n, _ := tempFiles(p.t, data); n != before {
		p.t.Fatalf("%d files after the denial, want %d", n, before)
	}
	say(p, "Delete the old temporary files")
	p.click(".turn.answer:last-of-type .approval button[value=allow_once]")
	addKey(p, h)
	p.until("the card", `document.querySelector(".turn.answer:last-of-type .approval button[value=allow_once]")`)
	p.watchShifts()
	p.click(".turn.answer:last-of-type .approval button[value=allow_once]")
	p.until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "done"`)
	p.wantStill("a decision, and the answer that streams in after it", 0.01)
	p.shot("chat-allowed")
	p.see(".turn.answer:last-of-type .prose", "I have deleted tmp/*.tmp: "+strconv.Itoa(before)+" files")
	until(p.t, "the files are gone", func() bool { n, _ := tempFiles(p.t, data); return n == 0 })
	p.click(".turn.answer:last-of-type .evidence summary")
	for _, word := range []string{"Requested", "Classified", "A person was asked", "Allowed by a person", "Started", "Finished"} {
		p.see(".turn.answer:last-of-type .evidence", word)
	}
	p.see(".turn.answer:last-of-type .evidence", "newcomer@example.com")
	p.shot("chat-deleted")
}

// addKey: a browser without a key is led to the page that adds one, and back. The code stands in the terminal alone.
func addKey(p *page, h *hub) {
	p.see(".turn.answer:last-of-type .form-failed", "no approver key")
	p.shot("chat-no-key")
	p.click(".turn.answer:last-of-type .form-failed a")
	p.until("the page of the keys", `location.pathname === "/app/settings/approvers"`)
	p.shot("approvers")
	p.write("[data-code]", printedCode(p.t, h))
	p.click("form[data-enrol] button[value=browser]")
	p.until("the conversation again", `location.pathname.startsWith("/app/chat")`)
}

// printedCode is the code of the server that was ordered last, as the terminal of hub dev shows it.
func printedCode(t *testing.T, h *hub) string {
	t.Helper()
	_, rest, found := strings.Cut(h.Output(), "was made. Its approver codes")
	_, rest, _ = strings.Cut(rest, "code ")
	if !found || len(strings.Fields(rest)) == 0 {
		t.Fatalf("no code in the terminal:\n%s", h.Output())
	}
	return strings.Fields(rest)[0]
}

// tempFiles counts the files that the demo has to delete, and says as pages do how large they are.
func tempFiles(t *testing.T, data string) (n int, size string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, "tmp", "*.tmp"))
	if err != nil {
		t.Fatal(err)
	}
	var bytes int64
	for _, f := range files {
		if info, err := os.Stat(f); err == nil { // it may be gone by now
			bytes += info.Size()
		}
	}
	return len(files), sizes.Bytes(bytes)
}

// sendMail: asked because it is external; the edited text is what is sent.
func sendMail(p *page, h *hub) {
	say(p, "Email someone@example.com that we open at nine")
	p.see(".turn.answer:last-of-type .approval", "someone@example.com")
	p.shot("chat-mail")
	p.click(".turn.answer:last-of-type .approval a[data-verb=edit]")
	p.write("main [name='args.text'], main [name=text]", "We open at half past nine.")
	p.shot("approval-edit")
	p.leave("main form button[value=edit]")
	mail := mailTo(p, h, "someone@example.com", "")
	if !strings.Contains(mail.Text, "We open at half past nine.") {
		p.t.Fatalf("sent %q, want the edited text", mail.Text)
	}
	p.open("/app/chat")
	p.until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "done"`)
	p.click(`.rehearsal a[href="/dev/mail"]`)
	p.see("main", "someone@example.com")
	p.shot("dev-mail")
}

// mailTo waits for the mail that an address gets with these words in its subject.
func mailTo(p *page, h *hub, to, about string) (found devmail.Mail) {
	p.t.Helper()
	store, err := devmail.OpenStore(filepath.Join(h.Dir, "mail"), time.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	until(p.t, "a mail to "+to+" about "+about, func() bool {
		ids, err := store.IDs()
		if err != nil {
			p.t.Fatal(err)
		}
		for _, id := range ids {
			if m, err := store.Get(id); err == nil && m.To == to && strings.Contains(m.Subject, about) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// stopAndReturn: Stop in the middle of a long answer; after closing the page all is still there.
func stopAndReturn(p *page) {
	p.open("/app/chat")
	say(p, "Write me a long answer")
	p.until("a long answer under way", `(document.querySelector(".turn.answer:last-of-type")?.innerText.length ?? 0) > 200`)
	p.click("[data-stop] button")
	p.until("a stopped run", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "stopped"`)
	p.shot("chat-stopped")
	text := eval[string](p, `document.querySelector("#thread").innerText`)
	say(p, "Email someone@example.com that we close at six")
	p.see(".turn.answer:last-of-type .approval", "someone@example.com")
	p.open("/dev/mail") // away from the portal
	again := p.tab()
	again.open("/app/chat")
	again.see("#thread", "How full is the disk?")
	again.see(".turn.answer:last-of-type .approval", "someone@example.com")
	again.until("the stopped answer as it was", "document.querySelector('#thread').innerText.includes("+quote(firstLine(text))+")")
	again.click(".turn.answer:last-of-type .approval button[value=deny]")
	again.see(".turn.answer:last-of-type .approval .outcome", "Denied") // whoever leaves before has not answered
	leaveAndReturn(again)
	again.open("/app/conversations")
	again.see("main", "How full is the disk?")
	again.shot("conversations")
}

// leaveAndReturn: an answer that nobody watches goes on; whoever comes back in another tab sees it grow to its end. Where
// others keep the machine so busy that it has ended before, another is asked for.
func leaveAndReturn(p *page) {
	for range 5 {
		if again := p.awayAndBack(); again != nil {
			again.until("the answer's end", lastState+` === "done"`)
			again.see(".turn.answer:last-of-type .prose", "That was all of it.")
			return
		}
	}
	p.t.Error("each answer ended before anybody came back")
}

// awayAndBack goes away from an answer and comes back to it in another tab, which it gives if the answer grew there.
func (p *page) awayAndBack() *page {
	p.open("/app/chat")
	say(p, "Write me a long answer")
	p.until("a long answer under way", growing+` > 200`)
	p.open("/dev/mail")
	again := p.tab()
	again.open("/app/chat")
	again.until("the answer again", growing+` > 200`)
	if eval[string](again, lastState) == "done" {
		return nil
	}
	before := eval[int](again, growing)
	again.until("the answer grows", `(`+growing+" > "+strconv.Itoa(before)+" && "+lastState+` !== "done" && (window.grew = true)) || `+lastState+` === "done"`)
	if !eval[bool](again, "window.grew === true") {
		return nil
	}
	return again
}

// What the last answer in a conversation is: its length, and how far it is.
const (
	growing   = `(document.querySelector(".turn.answer:last-of-type")?.innerText.length ?? 0)`
	lastState = `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state`
)

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// staffPassword is the first step of a staff member's sign-in.
func (p *page) staffPassword(h *hub) {
	p.t.Helper()
	p.open("/admin")
	p.write("[name=email]", h.Demo.Staff.Email)
	p.write("[name=password]", h.Demo.Staff.Password)
	p.click("main form button[type=submit]")
	p.until("the second step", `location.pathname === "/admin/auth/2fa"`)
}

// signInStaff gives password and TOTP code.
func signInStaff(p *page, h *hub) {
	p.t.Helper()
	p.staffPassword(h)
	code, err := totp.GenerateCode(h.Demo.Staff.TOTPSecret, time.Now())
	if err != nil {
		p.t.Fatal(err)
	}
	p.write("[name=code]", code)
	p.click("main form button[type=submit]")
	p.until("the console", `location.pathname === "/admin"`)
	p.plantCookies()
}

// staff: password and TOTP, then customers, orders with stepper and log, servers with heartbeat, and the approvals of all
// customers, which come by themselves and without contents. Then out again.
func staff(p *page, h *hub) {
	signInStaff(p, h)
	p.shot("admin-home")
	p.open("/admin/customers")
	p.see("main", "Corner Bakery")
	p.shot("admin-customers")
	p.open("/admin/orders")
	p.see("main", "Fulfilled")
	p.shot("admin-orders")
	p.click("#orders tbody a") // the newest
	p.see("#main", "Corner Bakery")
	p.see(".stepper", "Provisioning")
	p.see(".log-line .text", "The server has opened its link.")
	p.shot("admin-order")
	p.click(`#order a[href^="/admin/servers/"]`)
	p.see("#main", "Corner Bakery")
	p.until("a heartbeat of the last two minutes", `Math.abs(Date.now() - Date.parse([...document.querySelectorAll("#server dt")].find(e => e.innerText === "Last heartbeat").nextElementSibling.querySelector("time").dateTime)) < 120e3`)
	p.shot("admin-server")
	p.open("/admin/servers")
	p.see("main", "Online")
	p.shot("admin-servers")
	p.open("/admin/approvals")
	c := h.api(p.t)
	q := c.asked(c.say("secretary", "Email staff-must-not-see@example.com that we open at nine"))
	p.see("main .approval", "message")
	if text := eval[string](p, "document.documentElement.outerHTML"); strings.Contains(text, "staff-must-not-see") {
		p.t.Error("staff see what a customer is asked")
	}
	p.shot("admin-approvals")
	c.decide(q.ID, wire.Deny)
	p.click(".account summary")
	p.click(`form[action="/admin/auth/sign-out"] button`)
	p.until("signed out", `location.pathname === "/admin/auth/signed-out"`)
}

// tab opens another page of the same browser, signed in as this one.
func (p *page) tab() *page {
	p.t.Helper()
	return sameBrowser(p)
}

// shotsDir makes the folder of pictures, when one is wanted.
func init() {
	if dir := os.Getenv("E2E_SHOTS"); dir != "" {
		_ = os.MkdirAll(dir, 0o755) // the first picture reports what is wrong with it
	}
}
