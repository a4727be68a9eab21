package ui_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a-h/templ"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gatehouse/views/layout"
	"gatehouse/views/ui"
	"gatehouse/views/ui/hx"
)

// part is a partial with content.
func part(target string, style hx.Style, content ...templ.Component) templ.Component {
	return in(hx.Partial(target, style), content...)
}

// answer serves a form: it hands what was posted to the test and answers with a view.
func answer(posted chan<- url.Values, status int, view func(url.Values) templ.Component) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		form := r.PostForm
		form.Set("type", r.Header.Get("HX-Request-Type"))
		posted <- form
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		if view == nil {
			return
		}
		if err := view(form).Render(ui.With(r.Context(), ui.Request{CSRF: "token", Now: now}), w); err != nil {
			_, _ = io.WriteString(w, err.Error())
		}
	}
}

func press(keys string) chromedp.Action[chromedp.Void] { return chromedp.KeyEvent(keys) }

func click(sel string) chromedp.Action[chromedp.Void] { return chromedp.Click(chromedp.CSS(sel)) }

const live = `document.querySelector("#live").dataset.state === "live"`

// TestDecision_byKeyboard: a key finds the verb, Enter decides, the outcome takes the focus; the form carries what binds
// the decision to what was seen. What stands below stays where it is until the card is out of view.
func TestDecision_byKeyboard(t *testing.T) {
	t.Parallel()
	posted := make(chan url.Values, 1)
	url := site(t, newStream(t), []templ.Component{ui.ApprovalCard(approval("a1", "red"), ui.Full), raw(strings.Repeat("<p>What follows.</p>", 60))}, map[string]http.HandlerFunc{
		"/decide/a1": answer(posted, http.StatusOK, func(url.Values) templ.Component {
			a := decided("a1", "allowed", "queued")
			a.Focus = true
			return ui.ApprovalCard(a, ui.Full)
		}),
	})
	p := open(t, url, 360, 1400)
	p.until(live)
	p.do(press("a"))
	p.until(`document.activeElement.value === "allow_once"`)
	p.watchShifts()
	p.do(press(kb.Enter))
	form := <-posted
	for name, want := range map[string]string{"decision": "allow_once", "digest": "0f3a", "csrf": "token", "mode": "full", "type": "partial"} {
		if form.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, form.Get(name), want)
		}
	}
	p.until(`document.activeElement.classList.contains("outcome-line")`)
	p.wantStill("a decision", 0)
	if left := ask[int](p, `document.querySelectorAll("#approval-a1 button").length`); left != 0 {
		t.Errorf("%d buttons are left on a decided card", left)
	}
	const height = `document.querySelector("#approval-a1").offsetHeight`
	kept := ask[int](p, height)
	p.do(chromedp.Evaluate[chromedp.Void](`scrollTo(0, 1e6)`))
	p.until(fmt.Sprintf("%s < %d", height, kept))
}

// TestDecision_inConversation: a decided card stays as high as it was until the answer goes on below it; then it leaves no hole.
func TestDecision_inConversation(t *testing.T) {
	t.Parallel()
	s, posted := newStream(t), make(chan url.Values, 1)
	turn := ui.Turn{Run: "r1", Agent: dispatcher, At: now, State: "parked"}
	turn.Flow = []templ.Component{ui.ApprovalCard(approval("a1", "red"), ui.Full)}
	thread := ui.Thread{Label: "Talk", Turns: []ui.Turn{turn}}
	content := []templ.Component{ui.ChatThread(thread), ui.ComposerBox(ui.Composer{Action: "/chat", Label: "Message"})}
	p := open(t, site(t, s, content, map[string]http.HandlerFunc{
		"/decide/a1": answer(posted, http.StatusOK, func(url.Values) templ.Component {
			return ui.ApprovalCard(decided("a1", "allowed", "queued"), ui.Full)
		}),
	}, func(f *layout.Frame) { f.Fill = true }), 1280, 900)
	p.until(live)
	const height = `document.querySelector("#approval-a1").offsetHeight`
	asks := ask[int](p, height)
	p.do(press("a"), press(kb.Enter))
	<-posted
	p.until(`!document.querySelector("#approval-a1 button")`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#approval-a1 :is(h2, h3)").append(" ")`)) // as a clock does
	turn.State, turn.Flow = "running", nil
	s.push("1", part("#"+ui.FootID("r1"), hx.OuterMorph, ui.TurnFoot(turn)))
	p.until(`document.querySelector("#foot-r1").dataset.state === "running"`)
	if got := ask[int](p, height); got != asks {
		t.Errorf("the card is %d px high, was %d", got, asks)
	}
	s.push("2", part("#"+ui.FlowID("r1"), hx.Append, ui.Prose("<p>I have deleted them.</p>")))
	p.until(fmt.Sprintf("%s < %d - 100", height, asks))
}

// TestDecision_answeredLate: a push that tells what became of a decision may overtake the answer to it. The answer does
// not take the card back.
func TestDecision_answeredLate(t *testing.T) {
	t.Parallel()
	s, posted, answerNow := newStream(t), make(chan url.Values, 1), make(chan struct{})
	url := site(t, s, []templ.Component{ui.ApprovalCard(approval("a1", "red"), ui.Full)}, map[string]http.HandlerFunc{
		"/decide/a1": answer(posted, http.StatusOK, func(url.Values) templ.Component {
			<-answerNow
			a := decided("a1", "allowed", "queued")
			a.Focus, a.Note = true, "Somebody was first."
			return ui.ApprovalCard(a, ui.Full)
		}),
	})
	p := open(t, url, 1280, 900)
	p.until(live)
	p.do(chromedp.Evaluate[chromedp.Void](`document.addEventListener("htmx:finally:swap", e => { if (!e.detail.ctx.sourceElement.matches("[data-live]")) window.answered = true })`))
	p.do(press("a"))
	p.until(`document.activeElement.value === "allow_once"`)
	p.do(press(kb.Enter))
	<-posted
	s.push("1", ui.PushApproval(decided("a1", "allowed", "done"), ui.Full))
	const is = `document.querySelector("#approval-a1").dataset.execution === `
	p.until(is + `"done"`)
	close(answerNow)
	p.until(`window.answered`)
	if !ask[bool](p, is+`"done"`) || !ask[bool](p, `document.querySelector("#approval-a1 .outcome").textContent.match(/Done\s*Somebody was first/) !== null`) {
		t.Error("the answer took the card back, or was not told")
	}
	s.push("2", ui.PushApproval(approval("a1", "red"), ui.Full)) // the server did not take it: asked again
	p.until(`document.querySelector("#approval-a1").dataset.state === "pending" && document.querySelector("#approval-a1 button[value=allow_once]")`)
}

// TestDecision_critical: no key leads to what cannot be undone.
func TestDecision_critical(t *testing.T) {
	t.Parallel()
	p := open(t, site(t, newStream(t), []templ.Component{ui.ApprovalCard(critical("a4"), ui.Full)}, nil), 1280, 900)
	p.until(live)
	p.do(press("a"), press("d"), press("e"))
	if ask[bool](p, `document.activeElement !== document.body && document.activeElement.matches(".approval *")`) {
		t.Error("a single key reached a verb of a critical card")
	}
	p.until(`document.querySelector("#alert").textContent.includes("left to decide")`) // its deadline is four minutes ahead
}

// TestPush_whileTyping: pushed changes of this card and another keep text, caret, focus and open panels.
func TestPush_whileTyping(t *testing.T) {
	t.Parallel()
	s := newStream(t)
	p := open(t, site(t, s, []templ.Component{ui.ApprovalCard(approval("a2", "red"), ui.Full), ui.ApprovalCard(approval("a1", "red"), ui.Full)}, nil), 1280, 1400)
	p.until(live)
	p.do(click("#approval-a1-say summary"), click("#approval-a1-reason"), press("Keep the ones"), press(kb.ArrowLeft))
	p.watchShifts()
	changed := approval("a1", "red")
	changed.Facts = []ui.Fact{{Value: "15", Name: "files"}}
	s.push("1", ui.PushApproval(changed, ui.Full), ui.PushApproval(decided("a2", "allowed", "running"), ui.Full), ui.PushBadge("approvals", 7))
	p.until(`document.querySelector("#approval-a2").dataset.state === "allowed" && document.querySelector("#approval-a1 .facts").textContent.includes("15")`)
	p.wantStill("two pushed cards", 0.01)
	const state = `[document.activeElement.id, document.activeElement.value, document.activeElement.selectionStart, document.querySelector("#approval-a1-say").open, document.querySelector("#badge-approvals").textContent.trim()].join("|")`
	if got := ask[string](p, state); got != "approval-a1-reason|Keep the ones|12|true|7 7 waiting" {
		t.Errorf("after the push: %s", got)
	}
}

// TestPush_takesTheFocusedControl: whoever stood on it lands on the card's heading and is told.
func TestPush_takesTheFocusedControl(t *testing.T) {
	t.Parallel()
	s := newStream(t)
	p := open(t, site(t, s, []templ.Component{ui.ApprovalCard(approval("a1", "red"), ui.Full)}, nil), 1280, 900)
	p.until(live)
	p.do(press("d"))
	p.until(`document.activeElement.value === "deny"`)
	s.push("1", ui.PushApproval(decided("a1", "withdrawn", "none"), ui.Full))
	p.until(`document.activeElement.id === "approval-a1-asks"`)
	p.until(`document.querySelector("#say").textContent !== ""`)
}

// TestForm_invalid: the focus is in the summary, its links reach fields and groups, what was typed stays.
func TestForm_invalid(t *testing.T) {
	t.Parallel()
	posted := make(chan url.Values, 1)
	again := func(form url.Values) templ.Component {
		return in(ui.FormBox(ui.Form{ID: "f", Action: "/form", Partial: true, Problems: []ui.Problem{{Field: "email", Text: "Enter an e-mail address."}, {Field: "level", Text: "Choose a level."}}}),
			ui.FieldBox(ui.Field{Name: "email", Label: "E-mail", Value: form.Get("email"), Error: "Enter an e-mail address."}),
			ui.FieldBox(ui.Field{Name: "level", Label: "Level", Kind: "radio", Options: []ui.Option{{Value: "1", Label: "One"}}}),
			raw(`<button class="btn primary" type="submit">Save</button>`))
	}
	first := in(ui.FormBox(ui.Form{ID: "f", Action: "/form", Partial: true}), ui.FieldBox(ui.Field{Name: "email", Label: "E-mail", Required: true}), raw(`<button class="btn primary" type="submit">Save</button>`))
	p := open(t, site(t, newStream(t), []templ.Component{first}, map[string]http.HandlerFunc{"/form": answer(posted, http.StatusUnprocessableEntity, again)}), 1280, 900)
	p.do(click("#f-email"), press("owner@"), press(kb.Enter))
	<-posted
	p.until(`document.activeElement.id === "f-problems"`)
	p.do(click(".summary li:nth-child(2) a"))
	p.until(`document.activeElement.type === "radio"`)
	p.do(click(".summary li:nth-child(1) a"))
	p.until(`document.activeElement.id === "f-email" && document.activeElement.value === "owner@"`)
}

// TestComposer: Enter sends and empties the field, Shift and Enter does not; what did not arrive stays.
func TestComposer(t *testing.T) {
	t.Parallel()
	posted := make(chan url.Values, 1)
	ok := answer(posted, http.StatusOK, func(f url.Values) templ.Component {
		return part("#"+ui.ThreadID, hx.Append, ui.ChatTurn(ui.Turn{Run: "r1", Person: true, Who: "You", At: now, Text: f.Get("text")}), ui.ChatTurn(ui.Turn{Run: "r1", Agent: dispatcher, At: now, State: "running"}))
	})
	content := []templ.Component{ui.ChatThread(ui.Thread{Label: "Talk"}), ui.ComposerBox(ui.Composer{Action: "/chat", Label: "Message", Agent: "dispatcher", Session: "s1"})}
	p := open(t, site(t, newStream(t), content, map[string]http.HandlerFunc{"/chat": func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err == nil && strings.Contains(r.PostForm.Get("text"), "fail") {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		ok(w, r)
	}}, func(f *layout.Frame) { f.Fill = true }), 1280, 900)
	p.until(live)
	p.do(click("#composer-text"), press("one"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(8)), press("two"), press(kb.Enter))
	if form := <-posted; form.Get("text") != "one\r\ntwo" && form.Get("text") != "one\ntwo" {
		t.Errorf("sent %q", form.Get("text"))
	}
	p.until(`document.querySelector("#turn-r1-asks .bubble").textContent === "one\ntwo" && document.querySelector("#composer-text").value === ""`)
	p.do(press("please fail"), press(kb.Enter))
	p.until(`document.querySelector("#composer-note .error")`)
	if left := ask[string](p, `document.querySelector("#composer-text").value`); left != "please fail" {
		t.Errorf("the text became %q", left)
	}
}

// TestComposer_answerLost: what is sent again because no answer came, or half of one, is sent as the same message, also
// when a push has drawn the bar below it anew; what is written after an answer is another one. Browsers themselves send
// again what broke on a connection that they had used before.
func TestComposer_answerLost(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(http.ResponseWriter){
		"no answer": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"half of it": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "<p>half") // the server breaks the connection for the rest
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, posted := newStream(t), make(chan url.Values, 8)
			bar := func(once string) ui.Composer {
				return ui.Composer{Action: "/chat", Label: "Message", Agent: "dispatcher", Session: "s1", Once: once}
			}
			var losing atomic.Bool
			losing.Store(true)
			taken := answer(posted, http.StatusOK, func(url.Values) templ.Component { return ui.PushTaken(bar("second")) })
			p := open(t, site(t, s, []templ.Component{ui.ComposerBox(bar("first"))}, map[string]http.HandlerFunc{"/chat": func(w http.ResponseWriter, r *http.Request) {
				if losing.Load() {
					lose(w)
					return
				}
				taken(w, r)
			}}), 1280, 900)
			p.until(live)
			p.do(click("#composer-text"), press("order flour"), press(kb.Enter))
			p.until(`document.querySelector("#composer-note .error")?.textContent.includes("safely send it again")`)
			s.push("1", ui.PushComposer(bar("of a push")))
			p.until(`!document.querySelector("#composer-note .error")`)
			losing.Store(false)
			p.do(press(kb.Enter))
			p.until(`document.querySelector("#composer-text").value === "" && document.querySelector("#composer [name=once]").value === "second"`)
			p.do(press("order flour"), press(kb.Enter))
			for _, want := range []string{"first", "second"} {
				if form := <-posted; form.Get("once") != want || form.Get("text") != "order flour" {
					t.Errorf("sent %v, want it with %q", form, want)
				}
			}
		})
	}
}

// TestThread_followsItsEnd while the reader is there, and offers the way back when not.
func TestThread_followsItsEnd(t *testing.T) {
	t.Parallel()
	s := newStream(t)
	content := conversation()
	p := open(t, site(t, s, content, nil, func(f *layout.Frame) { f.Fill = true }), 1280, 700)
	p.until(live)
	const gap = `(e => e.scrollHeight - e.scrollTop - e.clientHeight)(document.querySelector(".thread-scroll"))`
	p.until(gap + " < 2")
	if ask[bool](p, `document.documentElement.scrollHeight > document.documentElement.clientHeight`) {
		t.Error("the page scrolls beside the conversation")
	}
	s.push("1", part("#"+ui.FlowID("r6"), hx.Append, ui.Prose("<p>"+strings.Repeat("word ", 400)+"</p>")), part("#"+ui.TailID("r6"), hx.InnerHTML, raw("<p>and so on</p>")))
	p.until(`document.querySelector("#tail-r6").textContent.trim() === "and so on" && ` + gap + " < 2")
	// Something changes, as clocks do each second, before the browser has told that the reader scrolled.
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".thread-scroll").scrollTop = 0
		document.querySelector("#tail-r6").append(" ")`))
	p.until(`!document.querySelector("[data-jump]").hidden`)
	s.push("2", part("#"+ui.ThreadID, hx.Append, ui.ChatTurn(ui.Turn{Run: "r9", Person: true, Who: "You", At: now, Text: "From my phone"})))
	p.until(`document.querySelector("[data-jump]").textContent.trim() === "1 new"`)
	if top := ask[float64](p, `document.querySelector(".thread-scroll").scrollTop`); top != 0 {
		t.Errorf("the reader was moved to %v", top)
	}
	p.do(click("[data-jump]"))
	p.until(gap + ` < 2 && document.querySelector("[data-jump]").hidden`)
}

// TestEvidence_fetched: receipts come when a panel is opened, at once where doubt has opened it; it stays open.
func TestEvidence_fetched(t *testing.T) {
	t.Parallel()
	var content []templ.Component
	routes := map[string]http.HandlerFunc{}
	asked := make(chan url.Values, 4)
	for _, verdict := range []string{"proven", "not_proven"} {
		full := evidence(verdict, verdict)
		bare := *full
		bare.Receipts, bare.More = nil, "/evidence/"+verdict
		content = append(content, ui.EvidencePanel(bare))
		routes[bare.More] = answer(asked, http.StatusOK, func(url.Values) templ.Component { return ui.EvidencePanel(*full) })
	}
	p := open(t, site(t, newStream(t), content, routes), 1280, 900)
	const open = `(id => { const e = document.getElementById(id); return e.open && e.querySelectorAll(".receipt").length === 6; })`
	p.until(open + `("evidence-not_proven")`)
	if n := len(asked); n != 1 {
		t.Errorf("%d panels were fetched before one was opened", n)
	}
	p.do(click("#evidence-proven > summary"))
	p.until(open + `("evidence-proven")`)
}

// TestEvidence_inView: what is opened at the end of a conversation comes into view above the composer, with its receipts.
func TestEvidence_inView(t *testing.T) {
	t.Parallel()
	full := evidence("r1", "proven")
	bare := *full
	bare.Receipts, bare.More = nil, "/evidence/r1"
	thread := ui.Thread{Label: "Talk"}
	for range 12 {
		thread.Turns = append(thread.Turns, ui.Turn{Run: "p", Person: true, Who: "You", At: now, Text: strings.Repeat("word ", 60)})
	}
	thread.Turns = append(thread.Turns, ui.Turn{Run: "r1", Agent: dispatcher, At: now, State: "done", Proof: &bare})
	content := []templ.Component{ui.ChatThread(thread), ui.ComposerBox(ui.Composer{Action: "/chat", Label: "Message", Agent: "dispatcher", Session: "s1"})}
	asked := make(chan url.Values, 1)
	for name, size := range map[string][2]int64{"desktop": {1280, 900}, "phone": {360, 640}} {
		t.Run(name, func(t *testing.T) {
			routes := map[string]http.HandlerFunc{bare.More: answer(asked, http.StatusOK, func(url.Values) templ.Component { return ui.EvidencePanel(*full) })}
			p := open(t, site(t, newStream(t), content, routes, func(f *layout.Frame) { f.Fill = true }), size[0], size[1])
			p.until(live)
			p.do(click("#evidence-r1 > summary"))
			<-asked
			p.until(`(() => {
				const e = document.querySelector("#evidence-r1"), s = e.closest(".thread-scroll").getBoundingClientRect(), r = e.getBoundingClientRect();
				const fits = r.height <= s.height;
				return e.querySelectorAll(".receipt").length === 6 && r.top >= s.top - 1 && (fits ? r.bottom <= s.bottom + 1 : r.top < s.top + 40);
			})()`)
		})
	}
}

// TestRequest_refused: the words of an error page stand beside what was pressed, also when the stream draws it anew; the
// page stays as it was, and so does the focus.
func TestRequest_refused(t *testing.T) {
	t.Parallel()
	posted := make(chan url.Values, 1)
	content := []templ.Component{ui.ApprovalCard(approval("a1", "red"), ui.Full), ui.LazyPanel(ui.Lazy{ID: "health", Href: "/health", Label: "Load"})}
	refuse := func(text string) func(url.Values) templ.Component {
		return func(url.Values) templ.Component {
			return layout.ErrorPage(layout.Failure{Status: 429, Title: "Slow down", Text: text, Home: "/"})
		}
	}
	s := newStream(t)
	p := open(t, site(t, s, content, map[string]http.HandlerFunc{
		"/decide/a1": answer(posted, http.StatusTooManyRequests, refuse("Too many decisions at once. Nothing was decided.")),
		"/health":    answer(make(chan url.Values, 1), http.StatusServiceUnavailable, refuse("The server is away.")),
	}), 1280, 900)
	p.until(`document.querySelector("#health").textContent.trim() === "The server is away."`)
	p.do(press("d"), press(kb.Enter))
	<-posted
	p.until(`document.querySelector("#approval-a1 .form-failed")?.textContent.startsWith("Too many decisions")`)
	p.until(`document.activeElement.value === "deny" && !document.activeElement.disabled && document.activeElement.textContent.trim() === "Deny"`)
	if ask[int](p, `document.querySelectorAll("#main").length`) != 1 {
		t.Error("the error page landed in the page")
	}
	p.until(live)
	again := approval("a1", "red")
	again.Asks = "Delete what was named"
	s.push("1", ui.PushApproval(again, ui.Full))
	p.until(`document.querySelector("#approval-a1 h2").textContent.includes("Delete what was named") && document.querySelector("#approval-a1 .form-failed")?.textContent.startsWith("Too many decisions")`)
	p.do(press(kb.Enter))
	<-posted
	p.until(`document.querySelectorAll("#approval-a1 .form-failed").length === 1`)
}

// TestRequest_refusedElsewhere: what was said of one thing does not stand beside another that the stream puts in its place.
func TestRequest_refusedElsewhere(t *testing.T) {
	t.Parallel()
	posted := make(chan url.Values, 1)
	box := ui.Composer{Action: "/chat", Label: "Message", Agent: "dispatcher", Session: "s1", Stop: "/stop/r1"}
	s := newStream(t)
	p := open(t, site(t, s, []templ.Component{ui.ComposerBox(box)}, map[string]http.HandlerFunc{
		"/stop/r1": answer(posted, http.StatusServiceUnavailable, func(url.Values) templ.Component {
			return layout.ErrorPage(layout.Failure{Status: 503, Title: "Away", Text: "The server has not answered.", Home: "/"})
		}),
	}), 1280, 900)
	p.until(live)
	p.do(click("[data-stop] button"))
	<-posted
	p.until(`document.querySelector("[data-stop] .form-failed")`)
	box.Stop = "/stop/r2"
	s.push("1", ui.PushComposer(box))
	p.until(`document.querySelector("[data-stop]").getAttribute("action") === "/stop/r2" && !document.querySelector("[data-stop] .form-failed")`)
}

// TestComposer_draft: what is being written outlives a reload, in this tab and for this conversation alone, and is gone once
// it is sent.
func TestComposer_draft(t *testing.T) {
	t.Parallel()
	posted := make(chan url.Values, 1)
	box := ui.Composer{Action: "/chat", Label: "Message", Agent: "dispatcher", Session: "s1", Keep: "owner s1"}
	taken := answer(posted, http.StatusOK, func(url.Values) templ.Component { return ui.PushTaken(box) })
	at := site(t, newStream(t), []templ.Component{ui.ComposerBox(box)}, map[string]http.HandlerFunc{"/chat": taken})
	p := open(t, at, 1280, 900)
	p.until(live)
	value := func() string { return ask[string](p, `document.querySelector("#composer-text").value`) }
	p.do(click("#composer-text"), press("order flour"), chromedp.Reload())
	p.until(live)
	if got := value(); got != "order flour" {
		t.Errorf("after a reload the field holds %q", got)
	}
	p.do(click("#composer-text"), press(kb.Enter))
	<-posted
	p.until(`document.querySelector("#composer-text").value === ""`)
	p.do(chromedp.Reload())
	p.until(live)
	if got := value(); got != "" {
		t.Errorf("what was sent is back: %q", got)
	}
	if left := ask[int](p, `sessionStorage.length + localStorage.length`); left != 0 {
		t.Errorf("the browser keeps %d things", left)
	}
}

// TestComposer_limit: a text that is too long is told before it is sent, counted in characters, and nothing of it is lost.
func TestComposer_limit(t *testing.T) {
	t.Parallel()
	posted := make(chan url.Values, 1)
	box := ui.Composer{Action: "/chat", Label: "Message", Agent: "dispatcher", Session: "s1", Limit: 20}
	taken := answer(posted, http.StatusOK, func(url.Values) templ.Component { return ui.PushTaken(box) })
	at := site(t, newStream(t), []templ.Component{ui.ComposerBox(box)}, map[string]http.HandlerFunc{"/chat": taken})
	p := open(t, at, 1280, 900)
	p.until(live)
	note := func() string { return ask[string](p, `document.querySelector("#composer-note").textContent`) }
	p.do(click("#composer-text"), press(strings.Repeat("é", 19)))
	if got := note(); !strings.Contains(got, "Characters left: 1") {
		t.Errorf("near the limit it says %q", got)
	}
	p.do(press("é🍞🍞"), press(kb.Enter))
	if got := note(); !strings.Contains(got, "Characters over the limit: 2") {
		t.Errorf("above it it says %q", got)
	}
	if got := ask[string](p, `document.querySelector("#composer-text").value`); got != strings.Repeat("é", 20)+"🍞🍞" {
		t.Errorf("the text became %q", got)
	}
	p.do(press(kb.Backspace), press(kb.Backspace), press(kb.Enter))
	if form := <-posted; form.Get("text") != strings.Repeat("é", 20) {
		t.Errorf("sent %q", form.Get("text"))
	}
}
