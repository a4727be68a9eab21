package ui_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gatehouse/views/ui"
)

func nothing() []templ.Component {
	return []templ.Component{ui.PageTop(ui.PageHead{Title: "Page"})}
}

// TestLive_resumes: a cut stream comes back with the id of the last message, and the strip says so in words.
func TestLive_resumes(t *testing.T) {
	t.Parallel()
	s := newStream(t)
	p := open(t, site(t, s, nothing(), nil), 1280, 900)
	p.until(live)
	s.push("42", ui.Say("First sentence."))
	p.until(`document.querySelector("#say").textContent === "First sentence."`)
	s.drop <- struct{}{}
	s.push("43", ui.PushToast(ui.Toast{Kind: "ok", Text: "After the cut"}))
	p.until(`document.querySelector("#toasts").textContent.includes("After the cut")`)
	if opens := s.opened(); !slices.Equal(opens, []string{"", "42"}) {
		t.Errorf("opened with %q", opens)
	}
	p.until(live)
}

// TestLive_signedOut: an ended sign-in stops all tries and leads to the sign-in.
func TestLive_signedOut(t *testing.T) {
	t.Parallel()
	const out = `document.querySelector("#live").dataset.state === "out" && getComputedStyle(document.querySelector("[data-when=out]")).display !== "none"`
	t.Run("told by the stream", func(t *testing.T) {
		t.Parallel()
		s := newStream(t)
		p := open(t, site(t, s, nothing(), nil), 1280, 900)
		p.until(live)
		s.refuse(http.StatusUnauthorized)
		s.out <- "event: signed-out\ndata:\n\n"
		p.until(out)
		s.drop <- struct{}{}
		p.quiet(s, 1)
	})
	t.Run("refused while reconnecting", func(t *testing.T) {
		t.Parallel()
		s := newStream(t)
		p := open(t, site(t, s, nothing(), nil), 1280, 900)
		p.until(live)
		s.refuse(http.StatusUnauthorized)
		s.drop <- struct{}{}
		p.until(out)
		p.quiet(s, 2)
	})
	t.Run("refused at once", func(t *testing.T) {
		t.Parallel()
		s := newStream(t)
		s.refuse(http.StatusUnauthorized)
		p := open(t, site(t, s, nothing(), nil), 1280, 900)
		p.until(out)
		p.quiet(s, 1)
	})
}

// quiet waits longer than the first retry would take and counts how often the stream was asked for.
func (p *tab) quiet(s *stream, want int) {
	p.t.Helper()
	ask[bool](p, `new Promise(done => setTimeout(() => done(true), 1200))`)
	if n := len(s.opened()); n != want {
		p.t.Errorf("the stream was asked for %d times, want %d", n, want)
	}
}

// TestTheme: the page changes at once and the choice is posted, to be kept in a cookie.
func TestTheme(t *testing.T) {
	t.Parallel()
	posted := make(chan url.Values, 1)
	p := open(t, site(t, newStream(t), nothing(), map[string]http.HandlerFunc{"/theme": answer(posted, http.StatusSeeOther, nil)}), 1280, 900)
	p.do(click(".account summary"), click(".theme [value=dark]"))
	if form := <-posted; form.Get("theme") != "dark" || form.Get("csrf") != "token" || form.Get("back") != "/app/approvals" {
		t.Errorf("posted %v", form)
	}
	if ground := ask[string](p, `getComputedStyle(document.body).backgroundColor`); ground != "rgb(16, 19, 23)" {
		t.Errorf("the ground is %s", ground)
	}
	p.do(press(kb.Escape))
	p.until(`!document.querySelector(".account").open && document.activeElement.matches(".account summary")`)
}

// TestKeys: help opens, letters lead to pages, and none of it in a field or when switched off.
func TestKeys(t *testing.T) {
	t.Parallel()
	visited := make(chan url.Values, 12)
	content := []templ.Component{ui.PageTop(ui.PageHead{Title: "Page"}), ui.FieldBox(ui.Field{Name: "note", Label: "Note"})}
	p := open(t, site(t, newStream(t), content, map[string]http.HandlerFunc{"/app/agents": answer(visited, http.StatusNoContent, nil)}), 1280, 900)
	p.until(live)
	p.do(click("#f-note"), press("g?t"))
	if got := ask[string](p, `document.querySelector("#f-note").value + document.querySelector("#help").open`); got != "g?tfalse" {
		t.Errorf("in a field: %s", got)
	}
	p.do(press(kb.Escape), press("?"))
	p.until(`document.querySelector("#help").open`)
	p.do(click("[data-keys-off]"), press(kb.Escape), press("?"))
	if ask[bool](p, `document.querySelector("#help").open`) {
		t.Error("a key that was switched off opened the help")
	}
	p.do(chromedp.Evaluate[chromedp.Void](`localStorage.clear(); document.querySelector("[data-keys-off]").checked = false; document.activeElement.blur()`))
	for range 12 { // the second key counts for a while after the first, which a busy machine may let pass
		p.do(press("g"), press("t"))
		select {
		case <-visited:
			return
		case <-time.After(5 * time.Second):
		}
	}
	t.Error("the letters lead nowhere")
}

// TestDialog: the safe way has the focus, Escape closes, and the focus returns.
func TestDialog(t *testing.T) {
	t.Parallel()
	content := []templ.Component{ui.PageTop(ui.PageHead{Title: "Page"}), ui.OpenDialog("wipe", "/wipe", "Delete all"), ui.ConfirmDialog(ui.Confirm{ID: "wipe", Title: "Sure?", Phrase: "x", Action: "/wipe", Do: "Delete", Cancel: "/"})}
	p := open(t, site(t, newStream(t), content, nil), 1280, 900)
	p.do(click("[data-open=wipe]"))
	p.until(`document.querySelector("#wipe").open && document.activeElement.textContent === "Cancel"`)
	p.do(press(kb.Escape))
	p.until(`!document.querySelector("#wipe").open && document.activeElement.dataset.open === "wipe"`)
}

// TestWithoutScript: a decision is a plain form post, menus open, and nothing that needs a script shows.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	posted := make(chan url.Values, 1)
	address := site(t, newStream(t), []templ.Component{ui.ApprovalCard(approval("a1", "red"), ui.Full), ui.Copy("text")}, map[string]http.HandlerFunc{
		"/decide/a1": answer(posted, http.StatusOK, func(url.Values) templ.Component { return raw("<title>Denied</title>Denied") }),
	})
	p := open(t, "about:blank", 1280, 900)
	p.do(scriptsOff, chromedp.Navigate(address), click(".account summary"), chromedp.WaitVisible(chromedp.CSS(".account form[action='/auth/sign-out'] button")), chromedp.WaitNotVisible(chromedp.CSS("[data-copy]")), click(".verbs [value=deny]"))
	if form := <-posted; form.Get("decision") != "deny" || form.Get("csrf") != "token" || form.Get("type") != "" {
		t.Errorf("posted %v", form)
	}
}

// TestPrint: on paper the menus are gone, everything is open, and the moment stands beside the relative time.
func TestPrint(t *testing.T) {
	t.Parallel()
	p := open(t, site(t, newStream(t), run(), nil), 794, 1123)
	p.do(onPaper)
	for what, js := range map[string]string{
		"menus are gone":            `[".top-end", ".side-bar", ".bottom", "[data-print]"].every(s => getComputedStyle(document.querySelector(s)).display === "none")`,
		"whose it is stands on top": `getComputedStyle(document.querySelector(".top-of")).display === "block"`,
		"closed panels show":        `[...document.querySelectorAll(".receipt details:not([open]) > .kv")].every(e => e.getBoundingClientRect().height > 20)`,
		"black on white":            `getComputedStyle(document.body).color === "rgb(0, 0, 0)" && getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)"`,
		"times are told in full":    `getComputedStyle(document.querySelector(".receipt time[title]"), "::after").content.includes("UTC")`,
	} {
		if !ask[bool](p, js) {
			t.Errorf("not so: %s", what)
		}
	}
	if dir := os.Getenv("UI_SHOTS"); dir != "" {
		p.keep(dir, "print")
	}
}

var onPaper = chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	return err
})

var scriptsOff = chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
})
