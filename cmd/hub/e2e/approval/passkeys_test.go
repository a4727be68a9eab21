package approval

import (
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestPasskeys is the life of a passkey for signing in, with the virtual authenticator of the DevTools: a customer and one of our
// staff add one, sign in with it and remove it. It is never one for approving: a decision that it signs is refused, and a passkey
// for approving signs nobody in.
func TestPasskeys(t *testing.T) {
	h, c := e2e.Start(t)
	t.Run("a customer", func(t *testing.T) { customerPasskey(t, h, c) })
	t.Run("one of our staff", func(t *testing.T) { staffPasskey(t, h) })
	t.Run("one for approving signs nobody in", func(t *testing.T) { approvingPasskey(t, h) })
}

// adds adds a passkey on a page of one's own account.
func adds(p *e2e.Page, page, name string) {
	p.T.Helper()
	p.Open(page)
	p.Write("form[data-passkey=create] [name=name]", name)
	p.Leave("form[data-passkey=create] button")
	p.See("#passkeys", name)
}

// entered signs in with a passkey.
const entered = `form[data-passkey=get] button`

func customerPasskey(t *testing.T, h *e2e.Hub, c *e2e.Client) {
	p := h.NewPage(t)
	p.Authenticator()
	p.SignIn()
	p.Until("the portal", `location.pathname === "/app"`)
	adds(p, "/app/settings/sign-in", "My phone")
	h.AwaitMail(t, h.Demo.Customer.Email, "A passkey was added to your account")
	p.Click("[data-passkey-item] summary")
	p.InspectOpen("/app/settings/sign-in with a passkey")
	p.Desktop()
	forges(p, c)
	p.Open("/auth/sign-in?again=1")
	p.InspectOpen("/auth/sign-in with passkeys")
	p.Desktop()
	p.Leave(entered)
	p.Until("the portal", `location.pathname === "/app"`)
	p.Open("/app/settings/sign-in")
	p.See("[data-passkey-item]", "Last used")
	p.Click("[data-passkey-item] summary")
	p.Write("[data-passkey-item] [name=name]", "Old phone")
	p.Leave("[data-passkey-item] details button")
	p.See("[data-passkey-item]", "Old phone")
	p.Leave("[data-passkey-item] > form button")
	p.See("#passkeys", "You have no passkey yet.")
	p.Open("/auth/sign-in?again=1")
	p.Leave(entered)
	p.See("main", "This passkey does not sign in here.")
}

// forges has the browser sign a decision with the passkey for signing in, as if it were the approver key: nothing is allowed.
func forges(p *e2e.Page, c *e2e.Client) {
	p.T.Helper()
	q := c.Asked(c.Say("secretary", "Email someone@example.com that we open at ten"))
	p.Open("/app/approvals/" + q.ID)
	e2e.Eval[bool](p, `window.forged = false, (async () => {
		const server = document.querySelector("form[data-sign]").dataset.sign.split("\n")[1];
		const asks = {challenge: new Uint8Array(32), userVerification: "required"};
		const made = await navigator.credentials.get({publicKey: asks}), id = await crypto.subtle.digest("SHA-256", made.rawId);
		const url = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)))
			.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
		const opening = indexedDB.open("gatehouse", 1);
		opening.onupgradeneeded = () => opening.result.createObjectStore("keys", {keyPath: "server"});
		await new Promise(done => { opening.onsuccess = done; });
		const work = opening.result.transaction("keys", "readwrite");
		work.objectStore("keys").put({server, id: url(id), kind: "passkey", credential: url(made.rawId)});
		await new Promise(done => { work.oncomplete = done; });
		opening.result.close();
		window.forged = true;
	})(), true`)
	p.Until("a passkey for signing in where the approver key belongs", `window.forged`)
	p.Click("button[value=allow_once]")
	p.See("main", "This device may not approve on your server. Nothing was decided.")
	c.WantUnchanged(q)
}

func staffPasskey(t *testing.T, h *e2e.Hub) {
	p := h.NewPage(t)
	p.Authenticator()
	p.SignInStaff()
	adds(p, "/admin/profile", "Office key")
	h.AwaitMail(t, h.Demo.Staff.Email, "A passkey was added to your staff account")
	p.InspectOpen("/admin/profile with a passkey")
	p.Desktop()
	p.Open("/admin/auth/sign-in?again=1&next=/admin/orders")
	p.Leave(entered)
	p.Until("the console", `location.pathname === "/admin/orders"`)
	p.Open("/auth/sign-in")
	p.Leave(entered)
	p.See("main", "This passkey does not sign in here.")
}

// approvingPasskey: an approver key is a passkey, and the only one of the browser.
func approvingPasskey(t *testing.T, h *e2e.Hub) {
	p := h.NewPage(t)
	p.Authenticator()
	p.SignIn()
	p.Until("the portal", `location.pathname === "/app"`)
	addKey(p, h, "passkey")
	p.Open("/auth/sign-in?again=1")
	p.Leave(entered)
	p.See("main", "This passkey does not sign in here.")
}
