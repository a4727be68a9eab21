package fault

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestStreamDropped breaks the stream of a page five times in one answer: what stands there in the end is what stands
// there after an answer that nobody disturbed, and the page only ever opens its stream anew: it never polls.
func TestStreamDropped(t *testing.T) {
	front, env := startProxy(t)
	m := e2e.StartModel(t)
	h, _ := e2e.Start(t, append(env, m.Env()...)...)
	p := h.NewPage(t)
	p.SignIn()
	calm, opened := longAnswer(p, m, front, func() {})
	dropped, again := longAnswer(p, m, front, func() {
		if front.cut("GET /app/stream") == 0 {
			t.Error("no stream was open")
		}
	})
	if dropped != calm {
		t.Errorf("the page shows\n%s\nand without a break\n%s", dropped, calm)
	}
	if opened != 0 || again != breaks {
		t.Errorf("the stream was opened %d times more without a break and %d times with %d", opened, again, breaks)
	}
}

// breaks is how often the stream is broken in one answer.
const breaks = 5

// longAnswer has a long answer written, with something that happens now and then, and gives the
// final DOM of the turn, without what differs from run to run, and how often the stream was opened. Anything else that
// the page asks for meanwhile fails.
func longAnswer(p *e2e.Page, m *e2e.Model, front *proxy, happens func()) (dom string, opened int) {
	p.T.Helper()
	const every = 50
	p.Open("/app/chat/agent/secretary")
	p.Until("the stream", `document.querySelector("[data-live]").dataset.state === "live"`)
	const answers = `document.querySelectorAll(".turn.answer")`
	answer := fmt.Sprintf(answers+"[%d]", e2e.Eval[int](p, answers+".length"))
	p.Say(e2e.Script(p.T, e2e.Step{Pieces: (breaks + 1) * every, Every: every}))
	sent := 0
	for i := range breaks + 1 {
		p.Until("the answer goes on", answer+"?.innerText.includes('word"+strconv.Itoa((i+1)*every-1)+"')")
		if i == 0 {
			sent = front.passed()
		}
		if i < breaks {
			happens()
		}
		m.GoOn(p.T)
	}
	p.Until("the run's end", answer+".querySelector('.turn-foot').dataset.state === 'done'")
	for _, r := range front.since(sent) {
		if opened++; !strings.HasPrefix(r, "GET /app/stream") {
			p.T.Errorf("the page asked for %s", r)
		}
	}
	return e2e.Eval[string](p, answer+`.outerHTML.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME").replace(/\d\d:\d\d(:\d\d)?/g, "TIME").replace(/<time[^]*?<\/time>/g, "")`), opened
}
