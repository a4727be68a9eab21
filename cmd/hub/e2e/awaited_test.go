package e2e

import (
	"strings"
	"testing"
)

// TestAwaited is a call that needs a secret which nobody has given yet: the run waits, the conversation asks for the
// value, and goes on with a reference. What was typed leaves the browser sealed; neither the hub nor the model has it.
func TestAwaited(t *testing.T) {
	wire, m := newTap(t), startModel(t)
	t.Parallel()
	slot(t)
	h := startHub(t, append(m.env(), wire.env...)...)
	c, p := h.api(t), h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	values := map[string]string{"crm.api_key": random(), "crm.smtp_password": random()}
	for name, value := range values {
		h.plant(name, value)
	}
	t.Run("given in the conversation", func(t *testing.T) { p.t = t; giveInChat(p, values["crm.api_key"]) })
	t.Run("found on the first page", func(t *testing.T) { p.t = t; findFromHome(p) })
	t.Run("given on the page", func(t *testing.T) { p.t = t; giveOnPage(p, c, values["crm.smtp_password"]) })
	t.Run("made by the server", func(t *testing.T) { p.t = t; letMake(p) })
	t.Run("declined", func(t *testing.T) { p.t = t; declineInChat(p) })
	t.Run("stopped", func(t *testing.T) { p.t = t; stopAwaited(p) })
	c.awaitLink()
	wire.wantNothing(t, h, values)
	for name, value := range values {
		if m.told(value) {
			t.Errorf("the model was told %s", name)
		}
	}
}

// needs is the script of an agent that asks for a secret of the customer database.
func needs(t *testing.T, key string) string {
	t.Helper()
	return script(t, call(tool("get_credential", map[string]any{"service": "crm", "key": key})), step{Say: "I have gone on."})
}

// lastTurn is the newest answer of the conversation.
const lastTurn = ".turn.answer:last-of-type "

// sayNeeds writes to the administrator, who asks for a secret, and waits for the card.
func sayNeeds(p *page, key string) {
	p.t.Helper()
	p.open("/app/chat/agent/it-admin?new=1")
	p.write("#composer-text", needs(p.t, key)+"\r")
	p.see(lastTurn+".secret-asked", "crm."+key)
}

func (p *page) wentOn() {
	p.t.Helper()
	p.until("the run's end", `document.querySelector("`+lastTurn+`.turn-foot")?.dataset.state === "done"`)
	p.see(lastTurn+".prose", "I have gone on.")
	p.until("no card is left", `!document.querySelector(".secret-asked")`)
}

// giveInChat: another tab looks on. What is typed stays while the conversation moves, and the page while it is sent.
func giveInChat(p *page, value string) {
	sayNeeds(p, "api_key")
	p.until("the address of the conversation", `document.querySelector("#composer [name=session]").value`)
	talk := "/app/chat/" + eval[string](p, `document.querySelector("#composer [name=session]").value`)
	other := p.tab()
	other.open(talk)
	other.see(lastTurn+".secret-asked", "crm.api_key")
	p.see(lastTurn+".turn-foot", "It goes on when the credential is given.")
	p.shot("awaited")
	p.phone()
	p.shot("awaited-phone")
	p.do(scheme("dark"))
	p.shot("awaited-phone-dark")
	p.desktop()
	p.shot("awaited-dark")
	p.do(scheme("light"))
	p.write(lastTurn+"[data-value]", value)
	other.write("#composer-text", "One more thing\r")
	p.see(".turn.person .bubble", "One more thing")
	if typed := eval[string](p, `document.querySelector("[data-value]").value`); typed != value {
		p.t.Errorf("what was typed became %d characters", len(typed))
	}
	p.click(".secret-asked button.primary")
	p.until("the conversation, and no card in it", `location.pathname === "`+talk+`" && document.readyState === "complete" && !document.querySelector(".secret-asked")`)
	p.see("#thread", "I have gone on.")
	p.until("the message after it is answered too", `document.querySelector("`+lastTurn+`.turn-foot")?.dataset.state === "done"`)
	other.until("no card in the other tab", `!document.querySelector(".secret-asked")`)
	other.see("#thread", "I have gone on.")
	p.shot("awaited-given")
	if text := eval[string](p, `document.documentElement.outerHTML`); strings.Contains(text, value) {
		p.t.Error("the page holds the value")
	}
}

// findFromHome: the first page says that a call waits, leads to it, and forgets it when it is answered.
func findFromHome(p *page) {
	sayNeeds(p, "portal_key")
	home := p.tab()
	home.open("/app")
	home.see("#home .need", "crm.portal_key")
	home.shots("home-secret")
	here := p.tab()
	here.open("/app")
	here.leave("#home .need a")
	here.until("the conversation, at the card", `location.pathname.startsWith("/app/chat/") && document.querySelector(location.hash + ".secret-asked")`)
	here.see(lastTurn+".secret-asked", "crm.portal_key")
	p.click(".secret-asked button[value=decline]")
	p.wentOn()
	home.until("nothing that waits", `!document.querySelector("#home .need")`)
	home.see("#home", "All quiet.")
}

// giveOnPage: the page of credentials lists what is waited for, and leads on to the secret.
func giveOnPage(p *page, c *client, value string) {
	run := c.say("it-admin", needs(p.t, "smtp_password"))
	p.open("/app/credentials")
	until(p.t, "the page asks for it", func() bool {
		p.open("/app/credentials")
		return eval[int](p, `document.querySelectorAll(".secret-asked").length`) == 1
	})
	p.shot("credentials-asked")
	p.write(".secret-asked [data-value]", value)
	p.leave(".secret-asked button.primary")
	p.see("h1", "crm.smtp_password")
	if s := c.end(run); !strings.Contains(s.text, "I have gone on.") {
		p.t.Errorf("the run ended with %v", s.tail())
	}
}

func letMake(p *page) {
	sayNeeds(p, "db_password")
	p.click(".secret-asked button[value=generate]")
	p.wentOn()
	p.open("/app/credentials")
	p.see("#credentials", "crm.db_password")
}

func declineInChat(p *page) {
	sayNeeds(p, "other_key")
	p.click(".secret-asked button[value=decline]")
	p.wentOn()
	p.see(lastTurn+".chip", "failed")
	p.shot("awaited-declined")
}

// stopAwaited: a run that is stopped asks for nothing anymore, anywhere.
func stopAwaited(p *page) {
	sayNeeds(p, "last_key")
	p.click("[data-stop] button")
	p.until("a stopped run", `document.querySelector("`+lastTurn+`.turn-foot")?.dataset.state === "stopped"`)
	p.until("no card is left", `!document.querySelector(".secret-asked")`)
	p.open("/app/credentials")
	if n := eval[int](p, `document.querySelectorAll(".secret-asked").length`); n != 0 {
		p.t.Errorf("%d cards are left", n)
	}
}
