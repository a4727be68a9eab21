package approval

import (
	"crypto/ed25519"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// notTheirs is what a card says that is not the server's word.
const notTheirs = "This request does not match what your server signed. Nothing was decided. Deny it"

// refusesCard opens the card of a question, presses the button that allows, and wants to read why nothing was signed.
func refusesCard(p *e2e.Page, c *e2e.Client, id, why string) {
	p.T.Helper()
	p.Open("/app/approvals/" + id)
	insists(p, why)
	signature := e2e.Eval[string](p, `document.querySelector("[data-decision] input[name=signature]").value`)
	if a := c.Approval(id); a.State != wire.ApprovalPending || signature != "" {
		p.T.Fatalf("the question is %s", a.State)
	}
}

// insists presses the button that allows until the card says why nothing was signed: the stream of a page that was just
// opened draws the card anew, and a press may fall into that.
func insists(p *e2e.Page, why string) {
	p.T.Helper()
	p.Until("why nothing was signed: "+why, `document.querySelector(".form-failed")?.innerText.includes(`+e2e.Quote(why)+`) ||
		document.querySelector("button[value=allow_once]")?.click()`)
}

// allowsCard allows it.
func allowsCard(p *e2e.Page, c *e2e.Client, q wire.Approval) {
	p.T.Helper()
	p.Open("/app/approvals/" + q.ID)
	p.Click("button[value=allow_once]")
	c.End(q.RootRunID)
	if n := e2e.Count(c.Receipts(q.RootRunID), "call.started", q.Tool); n != 1 {
		p.T.Fatalf("%d starts", n)
	}
}

// denied ends a question in the browser, which needs no signature, and wants that nothing ran.
func denied(p *e2e.Page, c *e2e.Client, q wire.Approval) {
	p.T.Helper()
	p.Open("/app/approvals/" + q.ID)
	p.Click("button[value=deny]")
	c.End(q.RootRunID)
	if n := e2e.Count(c.Receipts(q.RootRunID), "call.started", q.Tool); n != 0 {
		p.T.Errorf("%d starts", n)
	}
}

// dummy is a file that may be deleted.
func dummy(h *e2e.Hub, t *testing.T, name string) string {
	t.Helper()
	if err := os.WriteFile(h.Data("tmp", name), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "tmp/" + name
}

// rewrittenSentence: the arguments are those of the server, and the sentence above them is not. As the server wrote it, the
// card can be allowed.
func rewrittenSentence(p *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	q := c.Asked(c.Say("it-admin", deletion(p.T, dummy(h, p.T, "sentence.txt"))))
	rewriteTo(h, p.T, q.ID, "summary = $2", "List what is there")
	refusesCard(p, c, q.ID, notTheirs)
	p.Shot("approval-not-signed")
	rewriteTo(h, p.T, q.ID, "summary = $2, reason = $3", q.Summary, "You asked for it.")
	refusesCard(p, c, q.ID, notTheirs)
	rewriteTo(h, p.T, q.ID, "reason = $2, facts = $3::json", q.Reason, `[{"name":"files","value":0,"text":"0 files"}]`)
	refusesCard(p, c, q.ID, notTheirs)
	facts, err := json.Marshal(q.Facts)
	if err != nil {
		p.T.Fatal(err)
	}
	rewriteTo(h, p.T, q.ID, "facts = $2::json", string(facts))
	p.Open("/app/approvals/" + q.ID)
	drawnElse(p, "[data-said=summary]", "List what is there")
	allowsCard(p, c, q)
}

// drawnElse is a hub that draws one thing on the open card and names another to the script: nothing is signed, also where
// the card is drawn as it should be right after the button was pressed.
func drawnElse(p *e2e.Page, what, words string) {
	p.T.Helper()
	e2e.Eval[bool](p, `(addEventListener("submit", () => {
		const part = document.querySelector(`+e2e.Quote(what)+`), honest = part.innerHTML;
		part.textContent = `+e2e.Quote(words)+`;
		queueMicrotask(() => { part.innerHTML = honest; });
	}, true), true)`)
	insists(p, notTheirs)
}

// rewrittenDiff: what would be written is not what the card shows as the change.
func rewrittenDiff(p *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	const content = "Rolls 9.90\n\tBread `4.20`\r\nΟΔΟΣ\nnull \x01 ü\n"
	ask := e2e.ToolScript(p.T, "I have tried.", e2e.Tool("file_write", map[string]any{"path": "tmp/prices.txt", "content": content}))
	q := c.Asked(c.Say("secretary", ask))
	if q.Diff == nil || !strings.Contains(q.Diff.Unified, "+Rolls 9.90") {
		p.T.Fatalf("asked %+v", q)
	}
	other := *q.Diff
	other.Unified = strings.ReplaceAll(other.Unified, "9.90", "0.90")
	raw, err := json.Marshal(other)
	if err != nil {
		p.T.Fatal(err)
	}
	rewriteTo(h, p.T, q.ID, "diff = $2::json", string(raw))
	refusesCard(p, c, q.ID, notTheirs)
	if raw, err = json.Marshal(q.Diff); err != nil {
		p.T.Fatal(err)
	}
	rewriteTo(h, p.T, q.ID, "diff = $2::json", string(raw))
	p.Open("/app/approvals/" + q.ID)
	drawnElse(p, ".diff tr.add td.text", "Rolls 0.90")
	allowsCard(p, c, q)
}

// otherServer: the sentence is signed, but by a key of whoever rewrote the database; or by none, as by a server that signs
// no cards. This browser knows better.
func otherServer(p *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	q := c.Asked(c.Say("it-admin", deletion(p.T, dummy(h, p.T, "other.txt"))))
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		p.T.Fatal(err)
	}
	forged := q
	forged.Summary = "List what is there"
	if forged.Vouched, err = forged.Vouch(key); err != nil {
		p.T.Fatal(err)
	}
	vouch(h, p.T, forged)
	refusesCard(p, c, q.ID, notTheirs)
	forged.Vouched = nil
	vouch(h, p.T, forged)
	refusesCard(p, c, q.ID, notTheirs)
	denied(p, c, q)
}

// vouch lets the database say what a says, with its signature.
func vouch(h *e2e.Hub, t *testing.T, a wire.Approval) {
	t.Helper()
	raw, err := json.Marshal(a.Vouched)
	if err != nil {
		t.Fatal(err)
	}
	rewriteTo(h, t, a.ID, "summary = $2, context = jsonb_set(context::jsonb, '{vouched}', $3::jsonb)::json", a.Summary, string(raw))
}

// cannotCheck: a browser whose WebCrypto has no Ed25519 says so, and signs nothing.
func cannotCheck(p *e2e.Page, c *e2e.Client) {
	q := c.Asked(c.Say("it-admin", deletion(p.T, "tmp")))
	p.Open("/app/approvals/" + q.ID)
	e2e.Eval[bool](p, `(() => {
		const honest = crypto.subtle.importKey.bind(crypto.subtle);
		crypto.subtle.importKey = async (form, key, as, ...rest) => {
			if (as === "Ed25519") throw new DOMException("Unrecognized name.", "NotSupportedError");
			return honest(form, key, as, ...rest);
		};
		return true;
	})()`)
	insists(p, "This browser cannot check that this request comes from your server")
	denied(p, c, q)
}

// signsNone: a browser that never saw a signed card of its server takes one that is not signed, as the servers of the
// version before send it; the first signed one is the last of that.
func signsNone(p *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	forgetsServer(p)
	q := c.Asked(c.Say("it-admin", deletion(p.T, dummy(h, p.T, "before.txt"))))
	unsigned := q
	unsigned.Vouched = nil
	vouch(h, p.T, unsigned)
	allowsCard(p, c, q)
	allowsCard(p, c, c.Asked(c.Say("it-admin", deletion(p.T, dummy(h, p.T, "first.txt")))))
	q = c.Asked(c.Say("it-admin", deletion(p.T, dummy(h, p.T, "later.txt"))))
	unsigned = q
	unsigned.Vouched = nil
	vouch(h, p.T, unsigned)
	refusesCard(p, c, q.ID, notTheirs)
	denied(p, c, q)
}

// forgetsServer makes this browser one whose key was enrolled before servers said with which key they sign their cards.
func forgetsServer(p *e2e.Page) {
	p.T.Helper()
	e2e.Eval[bool](p, `(() => {
		const opening = indexedDB.open("gatehouse", 1);
		opening.onsuccess = () => {
			const work = opening.result.transaction("keys", "readwrite"), all = work.objectStore("keys").getAll();
			all.onsuccess = () => all.result.forEach(key => {
				window.knew = key.card;
				delete key.card;
				work.objectStore("keys").put(key);
			});
			work.oncomplete = () => { opening.result.close(); window.forgot = true; };
		};
		return true;
	})()`)
	p.Until("the key of the server is forgotten", `window.forgot && window.knew`)
}
