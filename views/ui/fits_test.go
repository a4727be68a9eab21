package ui_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/a-h/templ"

	"gatehouse/agentd"
	"gatehouse/agentd/seeded"
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
			if (!one) { if (/verb|value/.test(part)) tell("no " + part); continue; }
			if (seen(one) < least) tell(part + " shows " + Math.round(seen(one)) + " px");
			const at = one.getBoundingClientRect();
			if (at.right > box.right + 1 || at.left < box.left - 1) tell(part + " is cut off at a side");
		}
	}
	return told;
})()`

// member is the agent of the conversation.
func member() pages.AgentProps { return pages.AgentProps{Agent: dispatcher, Level: 2} }
