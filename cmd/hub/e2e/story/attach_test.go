package story

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// attach puts a file of this machine into the composer.
func attach(p *e2e.Page, file string) {
	p.Do(chromedp.SetUploadFiles(chromedp.CSS("[data-attach-files]"), []string{file}))
}

// answered waits for the end of the newest answer.
func answered(p *e2e.Page) {
	p.Until("the answer", `[...document.querySelectorAll(".turn.answer .turn-foot")].pop()?.dataset.state === "done"`)
}

// TestAttach: the owner attaches a file in the chat. The message waits for the upload, names the file to the team and shows
// it, also after a reload; an agent reads it, which taints its run; the answer leads to the page of a file that it names, and
// to nothing else.
func TestAttach(t *testing.T) {
	h, c, p := e2e.StartOwned(t)
	content := bytes.Repeat([]byte("Rye bread, 750 g, 4.20\n"), 26_000) // three stretches
	file := filepath.Join(t.TempDir(), "Price list.txt")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	month := "Uploads/" + time.Now().Format("2006-01") + "/"
	h.Own(t, h.Data("letters/opening.txt"), "We open at 7.\n", 0o600)
	p.Open("/app/chat/agent/it-admin")
	p.InspectOpen("a conversation with the way to attach")
	p.Desktop()
	p.Click(".attach summary")
	p.Shots("attach-menu")
	p.Click(".attach summary")

	read := e2e.Tool("file_read", map[string]any{"path": month + "Price list.txt"})
	const says = "It costs 4.20. The letter is `letters/opening.txt`, not ../state/agentd.db, .env or letters/none.txt."
	text := e2e.ToolScript(t, says, read)
	partsSent(p, "1")
	attach(p, file)
	p.Until("the second stretch is on its way", `window.parts.includes("1")`)
	p.Write("#composer-text", text)
	p.Click(".composer .send")
	p.See("[data-attach-note]", "as soon as its files are uploaded")
	p.Shots("attach-waits")
	p.Open("/app/chat/agent/it-admin") // the page was left in the middle: what is chosen again goes on
	partsSent(p, "-1")
	attach(p, file)
	p.Until("the upload", `document.querySelector("[data-attached] [data-state=done]")`)
	if sent := e2e.Eval[string](p, `window.parts.join()`); sent != "1,2" {
		t.Errorf("gone on with the stretches %s", sent)
	}
	wantFile(t, h.Data(month+"Price list.txt"), content)
	p.Open("/app/chat/agent/it-admin")
	p.See("[data-attached]", "Price list.txt")
	p.Shots("attach-done")
	p.Write("#composer-text", "")
	p.Say(text)
	p.See(".turn.person .file-links", "Price list.txt")
	answered(p)
	p.See(".turn.answer .file-links", "opening.txt")
	if n := e2e.Eval[int](p, `document.querySelectorAll(".turn.answer .file-links a").length`); n != 1 {
		t.Errorf("the answer offers %d files", n)
	}
	p.Until("the composer is empty again", `!document.querySelector("[data-attached] > li")`)
	p.Shots("attach-answered")
	p.Open("/app/chat/agent/it-admin")
	p.See(".turn.person .file-links", "Price list.txt")
	p.See(".turn.answer .file-links", "opening.txt")
	p.Leave(".turn.person .file-links a")
	p.See("#preview", "Rye bread")
	p.Open("/app/chat/agent/it-admin")
	p.Leave(".turn.answer .file-links a")
	p.See("h1", "opening.txt")
	p.See("#preview", "We open at 7.")
	wantTainted(t, c, month+"Price list.txt")
	wantForgedRefused(t, h, c)
}

// wantTainted checks that what was attached counts as content from outside for the run that has read it.
func wantTainted(t *testing.T, c *e2e.Client, path string) {
	t.Helper()
	read := e2e.Tool("file_read", map[string]any{"path": path})
	write := e2e.Tool("shell", map[string]any{"command": "touch notes-of-it.txt"})
	run := c.Say("it-admin", e2e.Script(t, e2e.Call(read), e2e.Call(write), e2e.Step{Say: "Done."}))
	asked := c.Asked(run)
	if len(asked.Taint) == 0 || !strings.Contains(asked.Taint[0].Source, "upload") {
		t.Errorf("asked is %+v", asked)
	}
	c.Decide(asked.ID, wire.Deny)
	c.End(run)
}

// wantForgedRefused sends messages whose files are none of the business's: nothing of them is taken.
func wantForgedRefused(t *testing.T, h *e2e.Hub, c *e2e.Client) {
	t.Helper()
	if err := os.Symlink("/etc/passwd", h.Data("passwd.txt")); err != nil {
		t.Fatal(err)
	}
	const unreadable, none = http.StatusUnprocessableEntity, http.StatusConflict
	for path, status := range map[string]int{
		"../state/agentd.db": unreadable, "/etc/passwd": unreadable, "letters/../letters/opening.txt": unreadable,
		"passwd.txt": none, "letters/none.txt": none, "letters": none, ".env": none,
	} {
		c.Want(status, http.MethodPost, "/chat", map[string]any{"agent": "it-admin", "text": "read it", "files": []string{path}}, nil)
	}
	var run struct {
		RunID string `json:"run_id"`
	}
	says := e2e.Script(t, e2e.Step{Say: "Here it is."})
	body := map[string]any{"agent": "it-admin", "text": says, "files": []string{"letters/opening.txt"}}
	c.Want(http.StatusAccepted, http.MethodPost, "/chat", body, &run)
	c.End(run.RunID)
}

// TestAttach_more: a second file of a name gets another one; a picture is pasted and a file dropped; a file can be taken
// out; when the server is away attaching says so and the text stays; a device that may not approve is told how it may.
func TestAttach_more(t *testing.T) {
	h, c, p := e2e.StartOwned(t)
	month := "Uploads/" + time.Now().Format("2006-01") + "/"
	file := filepath.Join(t.TempDir(), "offer.txt")
	if err := os.WriteFile(file, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Open("/app/chat/agent/it-admin?new=1")
	e2e.Eval[bool](p, `(document.querySelector("[data-attach] input[name=own]").click(), true)`)
	done := func(n string) {
		t.Helper()
		p.Until(n+" uploads", `document.querySelectorAll("[data-attached] [data-state=done]").length === `+n)
	}
	attach(p, file)
	done("1")
	attach(p, file)
	done("2")
	wantFile(t, h.Data(month+"offer.txt"), []byte("one"))
	wantFile(t, h.Data(month+"offer (2).txt"), []byte("one"))
	p.See("[data-attached]", "offer (2).txt")
	p.See("[data-attached]", "made by us")
	pixel := base64.StdEncoding.EncodeToString([]byte("no picture, but of its type"))
	const carry = `(() => {
		const bytes = Uint8Array.from(atob("%"), c => c.charCodeAt(0)), carrier = new DataTransfer()
		carrier.items.add(new File([bytes], "image.png", { type: "image/png" }))
		return carrier
	})()`
	carrier := strings.Replace(carry, "%", pixel, 1)
	e2e.Eval[bool](p, `document.querySelector("#composer-text")
		.dispatchEvent(new ClipboardEvent("paste", { clipboardData: `+carrier+`, bubbles: true })) || true`)
	done("3")
	p.See("[data-attached]", "Picture ")
	e2e.Eval[bool](p, `document.querySelector("main")
		.dispatchEvent(new DragEvent("drop", { dataTransfer: `+carrier+`, bubbles: true, cancelable: true })) || true`)
	done("4")
	p.See("[data-attached]", "image.png")
	p.Click("[data-attached] > li:last-child button")
	done("3")
	p.See("[data-attach-note]", "stays on your server: "+month+"image.png")
	p.Open("/app/chat/agent/it-admin?new=1")
	if !e2e.Eval[bool](p, `document.querySelector("[data-attach] input[name=own]").checked`) {
		t.Error("this device has forgotten that its files are the business's own")
	}
	h.Own(t, h.Data("letters/opening.txt"), "We open at 7.\n", 0o600)
	e2e.Signal(t, h.Agentd(t), syscall.SIGSTOP)
	p.Write("#composer-text", "Read this")
	attach(p, file)
	p.See("[data-attached] [data-state=failed]", "Your server is away")
	p.Click(".composer .send")
	p.See("[data-attach-note]", "not sent yet")
	p.Shots("attach-away")
	if text := e2e.Eval[string](p, `document.querySelector("#composer-text").value`); text != "Read this" {
		t.Errorf("the field has %q", text)
	}
	soonWithoutServer(p)
	e2e.Signal(t, h.Agentd(t), syscall.SIGCONT)
	c.AwaitLink()
	e2e.Until(t, "files are shown as the server answers again", func() bool {
		return strings.Contains(p.Fetch("/app/files?path=letters"), "opening.txt")
	})
	p.Click("[data-attached] [data-state=failed] button[data-failed]")
	done("4")
	e2e.Eval[bool](p, `indexedDB.deleteDatabase("gatehouse") && true`)
	attach(p, file)
	p.Until("the dialog", `document.querySelector("#enrol-here")?.open`)
	p.Shots("attach-enrol")
	e2e.Eval[bool](p, `(document.querySelector("#enrol-here").close(), true)`)
	p.See("[data-attached] [data-state=failed]", "")
	p.Until("the way to a key", `document.querySelector("[data-attached] [data-state=failed] a[href^='/app/settings/approvers']")`)
	p.Shots("attach-unsigned")
}

// soonWithoutServer opens pages of several kinds while the server hangs: only the first may wait in full. A machine that others keep
// busy makes a page slow once, a full wait each time.
func soonWithoutServer(p *e2e.Page) {
	p.T.Helper()
	p.Fetch("/app/activity")
	const soon = 2 * time.Second // below the 2.5 s of a full wait
	for _, path := range []string{"/app/files?path=letters", "/app/settings/data", "/app/agents", "/app/credentials"} {
		var page string
		took := 2 * soon
		for try := 0; try < 5 && took > soon; try++ {
			begun := time.Now()
			page = p.Fetch(path)
			took = time.Since(begun)
		}
		if took > soon || !strings.Contains(page, `id="offline"`) {
			p.T.Errorf("%s took %s while the server hangs, or does not say so", path, took)
		}
	}
}
