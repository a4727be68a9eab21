package ui_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"
	"github.com/chromedp/chromedp"

	"gatehouse/agentd"
	rules "gatehouse/agentd/policy"
	"gatehouse/agentd/seeded"
	"gatehouse/agentd/tools/message"
	"gatehouse/agentd/wire"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"
	"gatehouse/views/inbox"
	"gatehouse/views/layout"
	pages "gatehouse/views/portal"
	"gatehouse/views/portal/chat"
	"gatehouse/views/ui"
)

// talk is the page of a conversation in which each of these is asked, as an owner of the demo sees it.
func talk(all []wire.Approval) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		r := ui.Of(ctx)
		r.MailAt = "/mail"
		ctx = ui.With(ctx, r)
		turn := ui.Turn{Run: "r1", Agent: dispatcher, At: now, State: "parked"}
		for _, a := range all {
			turn.Flow = append(turn.Flow, templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
				look := card.Look{Agent: func(string) ui.Agent { return itAdmin }}
				return inbox.Card(card.Of(ctx, a, look), ui.Inline).Render(ctx, w)
			}))
		}
		frame := portal("Chat", func(f *layout.Frame) { f.Fill = true })
		return chat.Page(frame, chat.Props{
			Title: "Opening hours", Agent: dispatcher, Member: member(), Thread: ui.Thread{Label: "Chat", Turns: []ui.Turn{turn}},
			Composer: ui.Composer{Action: "/chat", Label: "Message", Hint: "Write to the team", Stop: "/stop", Run: "r1"},
		}).Render(ctx, w)
	})
}

// TestApproval_fits: in a conversation, whatever one decides by is in view at once with the buttons, for every tool that exists,
// on a phone and on a small laptop, in every language, in practice mode.
func TestApproval_fits(t *testing.T) {
	t.Parallel()
	var all []wire.Approval
	var known []string
	for i, c := range calls() {
		all, known = append(all, c.asked(t, fmt.Sprintf("a%d", i))), append(known, c.tool)
	}
	for _, d := range agentd.Definitions() {
		if !slices.Contains(known, d.Name) {
			t.Errorf("no card of the tool %s is looked at", d.Name)
		}
	}
	type view struct {
		locale        string
		width, height int64
	}
	var views []view
	for _, l := range i18n.Languages {
		views = append(views, view{l.Locale, 390, 700}, view{l.Locale, 1366, 768})
	}
	for _, v := range seeded.Sample(views, len(views)) {
		t.Run(fmt.Sprintf("%s at %d × %d", v.locale, v.width, v.height), func(t *testing.T) {
			t.Parallel()
			c := talk(all)
			at := hub(t, map[string]http.HandlerFunc{"/talk": func(w http.ResponseWriter, r *http.Request) { page(w, r, c) }})
			p := open(t, at+"/talk?locale="+v.locale, v.width, v.height)
			p.until(live)
			for _, told := range ask[[]string](p, unfit) {
				t.Error(told)
			}
		})
	}
}

// unfit tells which cards do not fit, and what one decides by that is not in view beside the buttons, with nothing scrolled but the
// conversation.
const unfit = `(() => {
	const room = document.querySelector(".thread-scroll"), told = [];
	const seen = one => { // how much of its height shows
		let { top, bottom } = one.getBoundingClientRect();
		for (let box = one.parentElement; box !== room.parentElement; box = box.parentElement) {
			if (getComputedStyle(box).overflowY === "visible") continue;
			const edge = box.getBoundingClientRect();
			top = Math.max(top, edge.top), bottom = Math.min(bottom, edge.bottom);
		}
		return one.checkVisibility() ? bottom - top : 0;
	};
	for (const card of document.querySelectorAll(".approval")) {
		const tell = what => told.push(card.querySelector("h2").textContent.trim().slice(0, 60) + ": " + what);
		if (card.offsetHeight > room.clientHeight) tell(card.offsetHeight + " px high, the conversation has " + room.clientHeight);
		card.scrollIntoView({ block: "center" });
		const box = card.getBoundingClientRect();
		for (const [part, least] of Object.entries({
			".tier": 16, ".approval-asks .eyebrow": 14, "h2": 18, ".facts li": 16, ".args dt": 12, ".args dd": 12, ".draft figcaption": 24,
			".draft-body": 24, ".diff-file summary": 16, ".diff-scroll": 12,
			"[value=deny]": 30, "[data-verb=edit]": 30, "[value=allow_once]": 30,
		})) {
			const one = [...card.querySelectorAll(part)].find(e => !e.closest(".approval-more, .more-verbs"));
			const fixed = /edit/.test(part) && card.textContent.includes("channel_send"); // an answer by a channel is sent as it is
			if (!one) { if (/verb|value/.test(part) && !fixed) tell("no " + part); continue; }
			if (seen(one) < least) tell(part + " shows " + Math.round(seen(one)) + " px");
			const at = one.getBoundingClientRect();
			if (at.right > box.right + 1 || at.left < box.left - 1) tell(part + " is cut off at a side");
		}
	}
	return told;
})()`

// TestApproval_sender: the card of a mail says whom it comes from, as the server measures it, and whom it goes to.
func TestApproval_sender(t *testing.T) {
	t.Parallel()
	args := rules.MessageArgs{To: "someone@example.com", Subject: "We open at nine", Text: "From Monday on we open at nine."}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	measured, err := message.New(message.Config{Addr: "127.0.0.1:25", From: "Corner Bakery <bakery@example.com>"}).Measure(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	c := call{tool: "message", args: args}
	for _, f := range measured.Facts {
		c.facts = append(c.facts, f.Text)
	}
	a := c.asked(t, "a1")
	for locale, want := range map[string]string{
		i18n.English: "From bakery@example.com Goes to someone@example.com",
		i18n.German:  "Von bakery@example.com Geht an someone@example.com",
	} {
		for _, mode := range []ui.Mode{ui.Inline, ui.Full} {
			ctx := ui.With(t.Context(), ui.Request{Now: now, Locale: locale})
			var b strings.Builder
			if err := inbox.Card(card.Of(ctx, a, card.Look{Agent: card.Unread}), mode).Render(ctx, &b); err != nil {
				t.Fatal(err)
			}
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(b.String()))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(strings.Fields(doc.Find(".draft figcaption").Text()), " "); got != want {
				t.Errorf("%s, %s: the letter is headed %q, want %q", locale, mode, got, want)
			}
		}
	}
}

// TestComposer_low: above the keyboard of a phone, and with more text than fits, what sends it stays in view, above the menu.
func TestComposer_low(t *testing.T) {
	t.Parallel()
	c := talk([]wire.Approval{outwardCalls()[0].asked(t, "a1")})
	at := hub(t, map[string]http.HandlerFunc{"/talk": func(w http.ResponseWriter, r *http.Request) { page(w, r, c) }})
	p := open(t, at+"/talk", 390, 400)
	p.until(live)
	p.do(click("#composer-text"))
	ask[any](p, `(field => {
		field.value = "We open at nine from Monday on.\n".repeat(60);
		field.dispatchEvent(new Event("input", { bubbles: true }));
	})(document.querySelector("#composer-text"))`)
	for _, height := range []int64{400, 340, 700} {
		p.do(chromedp.EmulateViewport(390, height))
		for _, to := range []string{"0", "document.body.scrollHeight"} {
			ask[any](p, "scrollTo(0, "+to+")")
			if told := ask[string](p, sendInView); told != "" {
				t.Errorf("390 × %d, scrolled to %s: %s", height, to, told)
			}
		}
	}
}

// sendInView tells what stands in the way of the button that sends; empty when nothing does.
const sendInView = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
	const at = document.querySelector(".composer .send").getBoundingClientRect();
	const menu = document.querySelector(".bottom").getBoundingClientRect();
	if (at.top < 0 || at.bottom > innerHeight) return "it ends at " + at.bottom + " of " + innerHeight;
	if (at.bottom > menu.top) return "it ends at " + at.bottom + ", the menu begins at " + menu.top;
	const there = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
	return there?.closest(".send") ? "" : "over it lies " + there?.outerHTML.slice(0, 80);
})`

// member is the agent of the conversation.
func member() pages.AgentProps { return pages.AgentProps{Agent: dispatcher, Level: 2} }
