package e2e

import (
	"crypto/ed25519"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// notTheirs is what a card says that is not the server's word.
const notTheirs = "What this card says is not what your server signed. Nothing was decided. Deny it"

// refusesCard opens the card of a question, presses the button that allows, and wants to read why nothing was signed.
func (p *page) refusesCard(c *client, id, why string) {
	p.t.Helper()
	p.open("/app/approvals/" + id)
	p.insists(why)
	if a := c.approval(id); a.State != wire.ApprovalPending || eval[string](p, `document.querySelector("[data-decision] input[name=signature]").value`) != "" {
		p.t.Fatalf("the question is %s", a.State)
	}
}

// insists presses the button that allows until the card says why nothing was signed: the stream of a page that was just
// opened draws the card anew, and a press may fall into that.
func (p *page) insists(why string) {
	p.t.Helper()
	p.until("why nothing was signed: "+why, `document.querySelector(".form-failed")?.innerText.includes(`+quote(why)+`) || document.querySelector("button[value=allow_once]")?.click()`)
}

// allowsCard allows it.
func (p *page) allowsCard(c *client, q wire.Approval) {
	p.t.Helper()
	p.open("/app/approvals/" + q.ID)
	p.click("button[value=allow_once]")
	c.end(q.RootRunID)
	if n := count(c.receipts(q.RootRunID), "call.started", q.Tool); n != 1 {
		p.t.Fatalf("%d starts", n)
	}
}

// denied ends a question in the browser, which needs no signature, and wants that nothing ran.
func (p *page) denied(c *client, q wire.Approval) {
	p.t.Helper()
	p.open("/app/approvals/" + q.ID)
	p.click("button[value=deny]")
	c.end(q.RootRunID)
	if n := count(c.receipts(q.RootRunID), "call.started", q.Tool); n != 0 {
		p.t.Errorf("%d starts", n)
	}
}

// dummy is a file that may be deleted.
func (h *hub) dummy(t *testing.T, name string) string {
	t.Helper()
	if err := os.WriteFile(h.data("tmp", name), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "tmp/" + name
}

// rewrittenSentence: the arguments are those of the server, and the sentence above them is not. As the server wrote it, the
// card can be allowed.
func rewrittenSentence(p *page, h *hub, c *client) {
	q := c.asked(c.say("it-admin", deletion(p.t, h.dummy(p.t, "sentence.txt"))))
	h.rewriteTo(p.t, q.ID, "summary = $2", "List what is there")
	p.refusesCard(c, q.ID, notTheirs)
	p.shot("approval-not-signed")
	h.rewriteTo(p.t, q.ID, "summary = $2, reason = $3", q.Summary, "You asked for it.")
	p.refusesCard(c, q.ID, notTheirs)
	h.rewriteTo(p.t, q.ID, "reason = $2, facts = $3::json", q.Reason, `[{"name":"files","value":0,"text":"0 files"}]`)
	p.refusesCard(c, q.ID, notTheirs)
	facts, err := json.Marshal(q.Facts)
	if err != nil {
		p.t.Fatal(err)
	}
	h.rewriteTo(p.t, q.ID, "facts = $2::json", string(facts))
	p.open("/app/approvals/" + q.ID)
	p.drawnElse("[data-said=summary]", "List what is there")
	p.allowsCard(c, q)
}

// drawnElse is a hub that draws one thing on the open card and names another to the script: nothing is signed, also where
// the card is drawn as it should be right after the button was pressed.
func (p *page) drawnElse(what, words string) {
	p.t.Helper()
	eval[bool](p, `(addEventListener("submit", () => {
		const part = document.querySelector(`+quote(what)+`), honest = part.innerHTML;
		part.textContent = `+quote(words)+`;
		queueMicrotask(() => { part.innerHTML = honest; });
	}, true), true)`)
	p.insists(notTheirs)
}

// rewrittenDiff: what would be written is not what the card shows as the change.
func rewrittenDiff(p *page, h *hub, c *client) {
	ask := script(p.t, call(tool("file_write", map[string]any{"path": "tmp/prices.txt", "content": "Rolls 9.90\n\tBread `4.20`\r\nΟΔΟΣ\nnull \x01 ü\n"})), step{Say: "I have tried."})
	q := c.asked(c.say("secretary", ask))
	if q.Diff == nil || !strings.Contains(q.Diff.Unified, "+Rolls 9.90") {
		p.t.Fatalf("asked %+v", q)
	}
	other := *q.Diff
	other.Unified = strings.ReplaceAll(other.Unified, "9.90", "0.90")
	raw, err := json.Marshal(other)
	if err != nil {
		p.t.Fatal(err)
	}
	h.rewriteTo(p.t, q.ID, "diff = $2::json", string(raw))
	p.refusesCard(c, q.ID, notTheirs)
	if raw, err = json.Marshal(q.Diff); err != nil {
		p.t.Fatal(err)
	}
	h.rewriteTo(p.t, q.ID, "diff = $2::json", string(raw))
	p.open("/app/approvals/" + q.ID)
	p.drawnElse(".diff tr.add td.text", "Rolls 0.90")
	p.allowsCard(c, q)
}

// otherServer: the sentence is signed, but by a key of whoever rewrote the database; or by none, as by a server that signs
// no cards. This browser knows better.
func otherServer(p *page, h *hub, c *client) {
	q := c.asked(c.say("it-admin", deletion(p.t, h.dummy(p.t, "other.txt"))))
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	forged := q
	forged.Summary = "List what is there"
	if forged.Vouched, err = forged.Vouch(key); err != nil {
		p.t.Fatal(err)
	}
	h.vouch(p.t, forged)
	p.refusesCard(c, q.ID, notTheirs)
	forged.Vouched = nil
	h.vouch(p.t, forged)
	p.refusesCard(c, q.ID, notTheirs)
	p.denied(c, q)
}

// vouch lets the database say what a says, with its signature.
func (h *hub) vouch(t *testing.T, a wire.Approval) {
	t.Helper()
	raw, err := json.Marshal(a.Vouched)
	if err != nil {
		t.Fatal(err)
	}
	h.rewriteTo(t, a.ID, "summary = $2, context = jsonb_set(context::jsonb, '{vouched}', $3::jsonb)::json", a.Summary, string(raw))
}

// cannotCheck: a browser whose WebCrypto has no Ed25519 says so, and signs nothing.
func cannotCheck(p *page, c *client) {
	q := c.asked(c.say("it-admin", deletion(p.t, "tmp")))
	p.open("/app/approvals/" + q.ID)
	eval[bool](p, `(() => {
		const honest = crypto.subtle.importKey.bind(crypto.subtle);
		crypto.subtle.importKey = async (form, key, as, ...rest) => {
			if (as === "Ed25519") throw new DOMException("Unrecognized name.", "NotSupportedError");
			return honest(form, key, as, ...rest);
		};
		return true;
	})()`)
	p.insists("This browser cannot check the signature of your server")
	p.denied(c, q)
}

// signsNone: a browser that never saw a signed card of its server takes one that is not signed, as the servers of the
// version before send it; the first signed one is the last of that.
func signsNone(p *page, h *hub, c *client) {
	p.forgetsServer()
	q := c.asked(c.say("it-admin", deletion(p.t, h.dummy(p.t, "before.txt"))))
	unsigned := q
	unsigned.Vouched = nil
	h.vouch(p.t, unsigned)
	p.allowsCard(c, q)
	p.allowsCard(c, c.asked(c.say("it-admin", deletion(p.t, h.dummy(p.t, "first.txt")))))
	q = c.asked(c.say("it-admin", deletion(p.t, h.dummy(p.t, "later.txt"))))
	unsigned = q
	unsigned.Vouched = nil
	h.vouch(p.t, unsigned)
	p.refusesCard(c, q.ID, notTheirs)
	p.denied(c, q)
}

// forgetsServer makes this browser one whose key was enrolled before servers said with which key they sign their cards.
func (p *page) forgetsServer() {
	p.t.Helper()
	eval[bool](p, `(() => {
		const opening = indexedDB.open("gatehouse", 1);
		opening.onsuccess = () => {
			const work = opening.result.transaction("keys", "readwrite"), all = work.objectStore("keys").getAll();
			all.onsuccess = () => all.result.forEach(key => { window.knew = key.card; delete key.card; work.objectStore("keys").put(key); });
			work.oncomplete = () => { opening.result.close(); window.forgot = true; };
		};
		return true;
	})()`)
	p.until("the key of the server is forgotten", `window.forgot && window.knew`)
}
