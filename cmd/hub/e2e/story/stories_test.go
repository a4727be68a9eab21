package story

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"gatehouse/agentd/leakscan"
	"gatehouse/agentd/seeded"
	sizes "gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestStories is the main job as a newcomer lives it: from the landing page to the staff console, on one hub.
func TestStories(t *testing.T) {
	h, _ := e2e.Start(t, e2e.OwnPostgres)
	p := h.NewPageAlone(t)
	t.Run("1 order a server", func(t *testing.T) { p.T = t; order(p, h) })
	if t.Failed() {
		return
	}
	server := newcomersData(t, h)
	t.Run("2 ask how full the disk is", func(t *testing.T) { p.T = t; askDisk(p) })
	t.Run("3 delete old temporary files", func(t *testing.T) { p.T = t; deleteFiles(p, server) })
	t.Run("4 e-mail someone outside", func(t *testing.T) { p.T = t; sendMail(p, h) })
	t.Run("5 stop, leave and come back", func(t *testing.T) { p.T = t; stopAndReturn(p) })
	t.Run("6 staff look on", func(t *testing.T) { staff(h.NewPage(t), h) })
	for _, o := range seeded.One(t, hours) {
		t.Run("7 the first hour, "+o.name, func(t *testing.T) { firstHour(h.NewPage(t), h, o) })
	}
}

// order: landing page, pricing, the Build plan through the test checkout, the order live until the portal can be opened.
func order(p *e2e.Page, h *e2e.Hub) {
	keepStates(p)
	p.Open("/")
	p.See("h1", "")
	p.Shot("landing")
	p.Click(`a[href="/pricing"]`)
	p.See("main", "Build")
	p.Shot("pricing")
	p.Click(`a[href*="plan=build"]`)
	p.Click(`main form button[type=submit], main form button:not([type])`)
	p.Write("[name=business]", "Corner Bakery")
	p.Write("[name=name]", "The owner")
	p.Write("[name=email]", "newcomer@example.com")
	p.Write("[name=password]", "a long enough pass phrase")
	p.Shot("checkout")
	p.Click(`main form button[type=submit]`)
	p.Until("the order's page", `sessionStorage.loads`)
	p.Shot("onboard")
	p.Until("the word that this browser may approve", `document.querySelector("[data-kept]")?.checkVisibility()`)
	p.Shot("onboard-ready")
	keepCode(p, h)
	p.Click(`#progress a[href="/app"]`)
	p.Until("the portal", `location.pathname === "/app"`)
	states := strings.Split(e2e.Eval[string](p, `JSON.parse(sessionStorage.states).join()`), ",")
	// How many it shows is for the machine to say: on a busy one the page is there late. One load, and more than one state, is news.
	if loads := e2e.Eval[string](p, `sessionStorage.loads`); loads != "1" || len(states) < 2 || states[len(states)-1] != "FULFILLED" {
		p.T.Errorf("the order's page was loaded %s times and showed %v; want it once, and its states one after the other", loads, states)
	}
	p.See("main", "")
	p.Shot("portal-home")
}

// keepCode: the browser that ordered shows the recovery code, takes no wrong group for a right one, and once four were typed
// nothing of it is left: not in the hub's tables, logs and mails, and on the server its slow hash alone.
func keepCode(p *e2e.Page, h *e2e.Hub) {
	p.Until("the recovery code", `document.querySelectorAll("[data-recovery-code] span").length === 6`)
	code := e2e.Eval[string](p, `[...document.querySelectorAll("[data-recovery-code] span")].map(s => s.textContent).join("-")`)
	plain := strings.ReplaceAll(code, "-", "")
	scan := leakscan.New(leakscan.Canary{Name: "recovery code", Value: code}, leakscan.Canary{Name: "plain recovery code", Value: plain})
	for _, leak := range h.Scan(p.T, scan) {
		p.T.Errorf("while it waits: %v", leak)
	}
	p.Click("[data-recovery-next]")
	p.Shot("onboard-recovery")
	typeGroups(p, code, "ZZZZ")
	p.Until("the refusal", `document.querySelector("[data-recovery-check] .form-failed")?.checkVisibility()`)
	typeGroups(p, code, "")
	p.Until("that it was kept", `document.querySelector("[data-recovery-done]")?.checkVisibility()`)
	for _, leak := range h.Scan(p.T, scan) {
		p.T.Errorf("after it was kept: %v", leak)
	}
	conn := h.Connect(p.T)
	defer func() { _ = conn.Close(context.WithoutCancel(p.T.Context())) }() // it was only read
	var boxes int
	if err := conn.QueryRow(p.T.Context(), "SELECT count(recovery) FROM approver_lists").Scan(&boxes); err != nil || boxes != 0 {
		p.T.Errorf("%d boxes are left at the hub, %v", boxes, err)
	}
	wantCodeForgotten(p.T, newcomersData(p.T, h))
}

// typeGroups fills in the groups that are asked for, or the same wrong text in all of them.
func typeGroups(p *e2e.Page, code, wrong string) {
	e2e.Eval[any](p, `for (const label of document.querySelectorAll(".recovery-groups label")) label.querySelector("input").value =
		"`+wrong+`" || "`+code+`".split("-")[label.innerText.match(/\d+/)[0] - 1]; 0`)
	p.Click("[data-recovery-check] button[type=submit]")
}

// wantCodeForgotten fails unless the server keeps the slow hash of the code without its box, and has all of it on record.
func wantCodeForgotten(t *testing.T, data string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(filepath.Dir(data), "state", "agentd.db")+"?mode=ro&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was only read
	var hashes, boxes, receipts int
	const kept = `SELECT count(*), count(box), (SELECT count(*) FROM receipts
		WHERE type IN ('approver.recovery', 'approver.recovery_kept')) FROM approver_recovery`
	err = db.QueryRowContext(t.Context(), kept).Scan(&hashes, &boxes, &receipts)
	if err != nil || hashes != 1 || boxes != 0 || receipts != 2 {
		t.Errorf("%d hashes, %d boxes, %d receipts, %v; want 1, 0 and 2", hashes, boxes, receipts, err)
	}
}

// renewCode: in the settings the same browser shows the code that waits, and a new one in its place.
func renewCode(p *e2e.Page) {
	const shown = `[...document.querySelectorAll("[data-recovery-code] span")].map(s => s.textContent).join("-")`
	p.Open("/app")
	p.Until("the reminder of the recovery code", `document.querySelector("[data-recovery-notice] [data-here]")?.checkVisibility()`)
	p.Shot("portal-recovery-reminder")
	p.Click("[data-recovery-notice] [data-here] a")
	p.Until("the code", shown+`.length === 29`)
	former := e2e.Eval[string](p, shown)
	p.Click("[data-recovery-new] button[type=submit]")
	p.Until("another code", shown+`.length === 29 && `+shown+` !== "`+former+`"`)
	p.Shot("portal-recovery")
	code := e2e.Eval[string](p, shown)
	p.Click("[data-recovery-next]")
	typeGroups(p, former, "")
	p.Until("the refusal", `document.querySelector("[data-recovery-check] .form-failed")?.checkVisibility()`)
	typeGroups(p, code, "")
	p.Until("that it was kept", `document.querySelector("[data-recovery-done]")?.checkVisibility()`)
	p.Open("/app")
	p.Until("no reminder", `document.querySelector("#home") && !document.querySelector("[data-recovery-notice]")`)
}

// newcomersData is the data root of the server that the order made beside the demo's.
func newcomersData(t *testing.T, h *e2e.Hub) string {
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

// askDisk: the dispatcher hands over, the chip shows tool and tier, the answer streams, the evidence lists receipts.
func askDisk(p *e2e.Page) {
	p.Open("/app/chat")
	countGrowth(p)
	p.Say("How full is the disk?")
	p.See(".hop summary", "IT admin")
	p.Until("the chip of the shell call", `[...document.querySelectorAll(".chip")].some(e =>
		e.textContent.includes("shell") && e.textContent.includes("Looks only"))`)
	p.Until("an answer with a figure", `[...document.querySelectorAll(".turn.answer:last-of-type .prose")].some(e =>
		/\d+\s?%/.test(e.innerText))`)
	p.Until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "done"`)
	p.Until("an answer that grew piece by piece", `window.growth >= 2`)
	p.Click(".turn.answer:last-of-type .evidence summary")
	p.See(".turn.answer:last-of-type .evidence .looked", "steps that only looked")
	p.Shot("chat-disk")
	p.Phone()
	p.Shot("chat-disk-phone")
	p.Desktop()
}

// countGrowth counts how often the text of answers changes, to tell a stream from an answer in one piece.
func countGrowth(p *e2e.Page) {
	p.T.Helper()
	e2e.Eval[bool](p, `(() => {
		window.growth = 0
		const grown = changes => { if (changes.some(x => x.target.closest && x.target.closest(".tail"))) window.growth++ }
		new MutationObserver(grown).observe(document.body, {subtree: true, childList: true, characterData: true})
		return true
	})()`)
}

// deleteFiles: the approval names arguments and measured facts on every open page; deny with a reason, then allow. The
// browser that ordered allows at once, without a code.
func deleteFiles(p *e2e.Page, data string) {
	inbox := p.Tab()
	inbox.Open("/app/approvals")
	p.Open("/app/chat")
	before, size := tempFiles(p.T, data)
	if before == 0 {
		p.T.Fatalf("no temporary files to delete in %s", data)
	}
	p.Say("Delete the old temporary files")
	for _, on := range []*e2e.Page{p, inbox} {
		on.See(".approval", "Delete tmp")
		on.See(".approval", "tmp/*.tmp")
		for _, fact := range []string{strconv.Itoa(before) + " files", size} {
			on.Until("a card that says "+fact, `[...document.querySelectorAll(".approval")].some(e =>
				e.innerText.replace(/\s+/g, " ").includes(`+e2e.Quote(fact)+`))`)
		}
	}
	p.Shot("chat-approval")
	inbox.Shot("inbox")
	p.Click(".approval [id$='-say'] summary")
	p.Write(".approval textarea[name=reason]", "Not before the audit on Friday")
	watchShifts(inbox)
	p.Click(".approval [id$='-say'] button[value=deny]")
	inbox.Until("the card in the inbox shows the decision", `!document.querySelector(".approval [data-decision]")`)
	wantStill(inbox, "a decision made elsewhere", 0)
	p.See(".turn.answer:last-of-type .prose", "audit")
	if n, _ := tempFiles(p.T, data); n != before {
		p.T.Fatalf("%d files after the denial, want %d", n, before)
	}
	p.Say("Delete the old temporary files")
	p.Click(".turn.answer:last-of-type .approval button[value=allow_once]")
	p.Until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "done"`)
	p.Until("a card that leaves no hole", `(card => card.getBoundingClientRect().bottom -
		card.lastElementChild.getBoundingClientRect().bottom < 40)(document.querySelector(".turn.answer:last-of-type .approval"))`)
	p.Shot("chat-allowed")
	p.See(".turn.answer:last-of-type .prose", "I have deleted tmp/*.tmp: "+strconv.Itoa(before)+" files")
	e2e.Until(p.T, "the files are gone", func() bool { n, _ := tempFiles(p.T, data); return n == 0 })
	p.Click(".turn.answer:last-of-type .evidence summary")
	p.See(".turn.answer:last-of-type .evidence .act", "allowed by newcomer@example.com")
	p.Shot("chat-evidence")
	e2e.Eval[bool](p, `document.querySelectorAll(".evidence .act > details").forEach(call => { call.open = true }) || true`)
	for _, word := range []string{"Requested", "Risk determined", "Approval requested", "Allowed by a person", "Started", "Finished"} {
		p.See(".turn.answer:last-of-type .evidence", word)
	}
	p.See(".turn.answer:last-of-type .evidence", "newcomer@example.com")
	wantKeyOnRecord(p.T, data)
	p.Shot("chat-deleted")
}

// wantKeyOnRecord fails unless the server's log says that its first key came with the order, and that this key allowed.
func wantKeyOnRecord(t *testing.T, data string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(filepath.Dir(data), "state", "agentd.db")+"?mode=ro&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was only read
	var key string
	const first = "SELECT body->>'key_id' FROM receipts WHERE type = 'approver.enrolled' AND body->>'added_by' = 'order'"
	if err := db.QueryRowContext(t.Context(), first).Scan(&key); err != nil || key == "" {
		t.Fatalf("the key of the order is not on record: %q, %v", key, err)
	}
	var allowed int
	const decided = "SELECT count(*) FROM receipts WHERE type = 'call.approved' AND instr(body, ?) > 0"
	err = db.QueryRowContext(t.Context(), decided, key).Scan(&allowed)
	if err != nil || allowed != 1 {
		t.Errorf("%d decisions name the key %s, %v; want the one that allowed", allowed, key, err)
	}
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

// sendMail: asked because it is external; the edited text is what is sent. What was edited so that it cannot run as it is is asked
// again, with what was typed; it ends as done, and nothing runs for ever.
func sendMail(p *e2e.Page, h *e2e.Hub) {
	p.Say("Email someone@example.com that we open at nine")
	p.See(".turn.answer:last-of-type .approval", "someone@example.com")
	p.Shot("chat-mail")
	p.Click(".turn.answer:last-of-type .approval a[data-verb=edit]")
	const text = "main [name='args.text'], main [name=text]"
	p.Write(text, "We open at half past nine. The code is [SECRET:shop.key].")
	p.Leave("main form button[value=edit]")
	again := e2e.Eval[string](p, "location.pathname")
	p.See("main", "not shown")
	p.Click(".approval a[data-verb=edit]")
	p.Until("what was typed", `document.querySelector(`+e2e.Quote(text)+`)?.value.includes("[SECRET:shop.key]")`)
	p.Write(text, "We open at half past nine.")
	p.Shot("approval-edit")
	p.Leave("main form button[value=edit]")
	mail := p.Hub.AwaitMail(p.T, "someone@example.com", "")
	if !strings.Contains(mail.Text, "We open at half past nine.") {
		p.T.Fatalf("sent %q, want the edited text", mail.Text)
	}
	p.Open(again)
	p.Until("it is done", `document.querySelector(".approval")?.dataset.execution === "done"`)
	p.Open("/app/approvals/history")
	p.See("main", "someone@example.com")
	p.See("main", "Done")
	if text := e2e.Eval[string](p, `document.querySelector("main").innerText`); strings.Contains(text, "Running") {
		p.T.Errorf("something runs on in the history: %s", text)
	}
	p.Open("/app/chat")
	p.Until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "done"`)
	p.Click(`.rehearsal a[href="/dev/mail"]`)
	p.See("main", "someone@example.com")
	p.Shot("dev-mail")
}

// stopAndReturn: Stop in the middle of a long answer; after closing the page all is still there.
func stopAndReturn(p *e2e.Page) {
	p.Open("/app/chat")
	stopped(p)
	p.Shot("chat-stopped")
	text := e2e.Eval[string](p, `document.querySelector("#thread").innerText`)
	p.Say("Email someone@example.com that we close at six")
	p.See(".turn.answer:last-of-type .approval", "someone@example.com")
	p.Open("/dev/mail") // away from the portal
	again := p.Tab()
	again.Open("/app/chat")
	again.See("#thread", "How full is the disk?")
	again.See(".turn.answer:last-of-type .approval", "someone@example.com")
	again.Until("the stopped answer as it was", "document.querySelector('#thread').innerText.includes("+e2e.Quote(firstLine(text))+")")
	again.Click(".turn.answer:last-of-type .approval button[value=deny]")
	again.See(".turn.answer:last-of-type .approval .outcome", "Denied") // whoever leaves before has not answered
	leaveAndReturn(again)
	again.Open("/app/conversations")
	again.See("main", "How full is the disk?")
	again.Shot("conversations")
}

// stopped stops a long answer while it grows. Where others keep the machine so busy that it has ended before, another is asked for.
func stopped(p *e2e.Page) {
	p.T.Helper()
	for range 5 {
		before := e2e.Eval[int](p, `document.querySelectorAll(".turn.answer").length`)
		p.Say("Write me a long answer")
		p.Until("a long answer under way", fmt.Sprintf(`document.querySelectorAll(".turn.answer").length > %d &&
			(document.querySelector(".turn.answer:last-of-type")?.innerText.length ?? 0) > 200`, before))
		e2e.Eval[bool](p, `!!document.querySelector("[data-stop] button")?.click()`)
		p.Until("an answer that has ended", `["stopped", "done"].includes(`+lastState+`)`)
		if e2e.Eval[string](p, lastState) == "stopped" {
			return
		}
	}
	p.T.Fatal("each answer ended before it could be stopped")
}

// leaveAndReturn: an answer that nobody watches goes on; whoever comes back in another tab sees it grow to its end. Where
// others keep the machine so busy that it has ended before, another is asked for.
func leaveAndReturn(p *e2e.Page) {
	for range 5 {
		if again := awayAndBack(p); again != nil {
			again.Until("the answer's end", lastState+` === "done"`)
			again.See(".turn.answer:last-of-type .prose", "That was all of it.")
			return
		}
	}
	p.T.Error("each answer ended before anybody came back")
}

// awayAndBack goes away from an answer and comes back to it in another tab, which it gives if the answer grew there.
func awayAndBack(p *e2e.Page) *e2e.Page {
	p.Open("/app/chat")
	p.Say("Write me a long answer")
	p.Until("a long answer under way", growing+` > 200`)
	p.Open("/dev/mail")
	again := p.Tab()
	again.Open("/app/chat")
	again.Until("the answer again", growing+` > 200`)
	if e2e.Eval[string](again, lastState) == "done" {
		return nil
	}
	before := e2e.Eval[int](again, growing)
	grew := growing + " > " + strconv.Itoa(before) + " && " + lastState + ` !== "done" && (window.grew = true)`
	again.Until("the answer grows", `(`+grew+`) || `+lastState+` === "done"`)
	if !e2e.Eval[bool](again, "window.grew === true") {
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

// staff: password and TOTP, then customers, orders with stepper and log, servers with heartbeat, and the approvals of all
// customers, which come by themselves and without contents. Then out again.
func staff(p *e2e.Page, h *e2e.Hub) {
	p.SignInStaff()
	p.Shot("admin-home")
	p.Open("/admin/customers")
	p.See("main", "Corner Bakery")
	p.Shot("admin-customers")
	p.Open("/admin/orders")
	p.See("main", "Fulfilled")
	p.Shot("admin-orders")
	p.Click("#orders tbody a") // the newest
	p.See("#main", "Corner Bakery")
	p.See(".stepper", "Provisioning")
	p.See(".log-line .text", "The server has opened its link.")
	p.Shot("admin-order")
	p.Click(`#order a[href^="/admin/servers/"]`)
	p.See("#main", "Corner Bakery")
	p.Until("a heartbeat of the last two minutes", `Math.abs(Date.now() - Date.parse([...document.querySelectorAll("#server dt")].find(e =>
		e.innerText === "Last report").nextElementSibling.querySelector("time").dateTime)) < 120e3`)
	p.Shot("admin-server")
	p.Open("/admin/servers")
	p.See("main", "Online")
	p.Shot("admin-servers")
	p.Open("/admin/approvals")
	c := h.API(p.T)
	q := c.Asked(c.Say("secretary", "Email staff-must-not-see@example.com that we open at nine"))
	p.See("main .approval", "Send email")
	if text := e2e.Eval[string](p, "document.documentElement.outerHTML"); strings.Contains(text, "staff-must-not-see") {
		p.T.Error("staff see what a customer is asked")
	}
	p.Shot("admin-approvals")
	c.Decide(q.ID, wire.Deny)
	p.Click(".account summary")
	p.Click(`form[action="/admin/auth/sign-out"] button`)
	p.Until("signed out", `location.pathname === "/admin/auth/signed-out"`)
}
