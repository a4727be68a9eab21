package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestStreamDropped breaks the stream of a page five times in one answer: what stands there in the end is what stands
// there after an answer that nobody disturbed, and the page only ever opens its stream anew: it never polls.
func TestStreamDropped(t *testing.T) {
	front, env := startProxy(t)
	m := startModel(t)
	h, _ := parallelHub(t, append(env, m.env()...)...)
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	calm, opened := p.longAnswer(m, front, func() {})
	dropped, again := p.longAnswer(m, front, func() {
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
func (p *page) longAnswer(m *model, front *proxy, happens func()) (dom string, opened int) {
	p.t.Helper()
	const every = 50
	p.open("/app/chat/agent/secretary")
	p.until("the stream", `document.querySelector("[data-live]").dataset.state === "live"`)
	answer := fmt.Sprintf(`document.querySelectorAll(".turn.answer")[%d]`, eval[int](p, `document.querySelectorAll(".turn.answer").length`))
	say(p, script(p.t, step{Pieces: (breaks + 1) * every, Every: every}))
	sent := 0
	for i := range breaks + 1 {
		p.until("the answer goes on", answer+"?.innerText.includes('word"+strconv.Itoa((i+1)*every-1)+"')")
		if i == 0 {
			sent = front.passed()
		}
		if i < breaks {
			happens()
		}
		m.goOn(p.t)
	}
	p.until("the run's end", answer+".querySelector('.turn-foot').dataset.state === 'done'")
	for _, r := range front.since(sent) {
		if opened++; !strings.HasPrefix(r, "GET /app/stream") {
			p.t.Errorf("the page asked for %s", r)
		}
	}
	return eval[string](p, answer+`.outerHTML.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME").replace(/\d\d:\d\d(:\d\d)?/g, "TIME").replace(/<time[^]*?<\/time>/g, "")`), opened
}
