package secret

import (
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestAwaited is a call that needs a secret which nobody has given yet: the run waits, the conversation asks for the
// value, and goes on with a reference. What was typed leaves the browser sealed; neither the hub nor the model has it.
func TestAwaited(t *testing.T) {
	wire, m := newTap(t), e2e.StartModel(t)
	h, c := e2e.Start(t, append(m.Env(), wire.env...)...)
	p := h.NewPage(t)
	p.SignIn()
	values := map[string]string{"crm.api_key": e2e.Random(), "crm.smtp_password": e2e.Random()}
	for name, value := range values {
		h.Plant(name, value)
	}
	t.Run("given in the conversation", func(t *testing.T) { p.T = t; giveInChat(p, values["crm.api_key"]) })
	t.Run("found on the first page", func(t *testing.T) { p.T = t; findFromHome(p) })
	t.Run("given on the page", func(t *testing.T) { p.T = t; giveOnPage(p, c, values["crm.smtp_password"]) })
	t.Run("made by the server", func(t *testing.T) { p.T = t; letMake(p) })
	t.Run("declined", func(t *testing.T) { p.T = t; declineInChat(p) })
	t.Run("stopped", func(t *testing.T) { p.T = t; stopAwaited(p) })
	c.AwaitLink()
	wire.wantNothing(t, h, values)
	for name, value := range values {
		if m.Saw(value) {
			t.Errorf("the model was told %s", name)
		}
	}
}

// needs is the script of an agent that asks for a secret of the customer database.
func needs(t *testing.T, key string) string {
	t.Helper()
	return e2e.ToolScript(t, "I have gone on.", e2e.Tool("get_credential", map[string]any{"service": "crm", "key": key}))
}

// lastTurn is the newest answer of the conversation.
const lastTurn = ".turn.answer:last-of-type "

// sayNeeds writes to the administrator, who asks for a secret, and waits for the card.
func sayNeeds(p *e2e.Page, key string) {
	p.T.Helper()
	p.Open("/app/chat/agent/it-admin?new=1")
	p.Write("#composer-text", needs(p.T, key)+"\r")
	p.See(lastTurn+".secret-asked", "crm."+key)
}

func wentOn(p *e2e.Page) {
	p.T.Helper()
	p.Until("the run's end", `document.querySelector("`+lastTurn+`.turn-foot")?.dataset.state === "done"`)
	p.See(lastTurn+".prose", "I have gone on.")
	p.Until("no card is left", `!document.querySelector(".secret-asked")`)
}

// giveInChat: another tab looks on. What is typed stays while the conversation moves, and the page while it is sent.
func giveInChat(p *e2e.Page, value string) {
	sayNeeds(p, "api_key")
	p.Until("the address of the conversation", `document.querySelector("#composer [name=session]").value`)
	talk := "/app/chat/" + e2e.Eval[string](p, `document.querySelector("#composer [name=session]").value`)
	other := p.Tab()
	other.Open(talk)
	other.See(lastTurn+".secret-asked", "crm.api_key")
	p.See(lastTurn+".turn-foot", "The task continues when you give the credential.")
	p.Shot("awaited")
	p.Phone()
	p.Shot("awaited-phone")
	p.Do(e2e.Scheme("dark"))
	p.Shot("awaited-phone-dark")
	p.Desktop()
	p.Shot("awaited-dark")
	p.Do(e2e.Scheme("light"))
	p.Write(lastTurn+"[data-value]", value)
	other.Write("#composer-text", "One more thing\r")
	p.See(".turn.person .bubble", "One more thing")
	if typed := e2e.Eval[string](p, `document.querySelector("[data-value]").value`); typed != value {
		p.T.Errorf("what was typed became %d characters", len(typed))
	}
	p.Click(".secret-asked button.primary")
	p.Until("the conversation, and no card in it",
		`location.pathname === "`+talk+`" && document.readyState === "complete" && !document.querySelector(".secret-asked")`)
	p.See("#thread", "I have gone on.")
	p.Until("the message after it is answered too", `document.querySelector("`+lastTurn+`.turn-foot")?.dataset.state === "done"`)
	other.Until("no card in the other tab", `!document.querySelector(".secret-asked")`)
	other.See("#thread", "I have gone on.")
	p.Shot("awaited-given")
	if text := e2e.Eval[string](p, `document.documentElement.outerHTML`); strings.Contains(text, value) {
		p.T.Error("the page holds the value")
	}
}

// findFromHome: the first page says that a call waits, leads to it, and forgets it when it is answered.
func findFromHome(p *e2e.Page) {
	sayNeeds(p, "portal_key")
	home := p.Tab()
	home.Open("/app")
	home.See("#home .need", "crm.portal_key")
	home.Shots("home-secret")
	here := p.Tab()
	here.Open("/app")
	here.Leave("#home .need a")
	here.Until("the conversation, at the card",
		`location.pathname.startsWith("/app/chat/") && document.querySelector(location.hash + ".secret-asked")`)
	here.See(lastTurn+".secret-asked", "crm.portal_key")
	p.Click(".secret-asked button[value=decline]")
	wentOn(p)
	home.Until("nothing that waits", `!document.querySelector("#home .need")`)
	home.See("#home", "All done.")
}

// giveOnPage: the page of credentials lists what is waited for, and leads on to the secret.
func giveOnPage(p *e2e.Page, c *e2e.Client, value string) {
	run := c.Say("it-admin", needs(p.T, "smtp_password"))
	p.Open("/app/credentials")
	e2e.Until(p.T, "the page asks for it", func() bool {
		p.Open("/app/credentials")
		return e2e.Eval[int](p, `document.querySelectorAll(".secret-asked").length`) == 1
	})
	p.Shot("credentials-asked")
	p.Write(".secret-asked [data-value]", value)
	p.Leave(".secret-asked button.primary")
	p.See("h1", "crm.smtp_password")
	if s := c.End(run); !strings.Contains(s.Text, "I have gone on.") {
		p.T.Errorf("the run ended with %v", s.Tail())
	}
}

func letMake(p *e2e.Page) {
	sayNeeds(p, "db_password")
	p.Click(".secret-asked button[value=generate]")
	wentOn(p)
	p.Open("/app/credentials")
	p.See("#credentials", "crm.db_password")
}

func declineInChat(p *e2e.Page) {
	sayNeeds(p, "other_key")
	p.Click(".secret-asked button[value=decline]")
	wentOn(p)
	p.See(lastTurn+".chip", "failed")
	p.Shot("awaited-declined")
}

// stopAwaited: a run that is stopped asks for nothing anymore, anywhere.
func stopAwaited(p *e2e.Page) {
	sayNeeds(p, "last_key")
	p.Click("[data-stop] button")
	p.Until("a stopped run", `document.querySelector("`+lastTurn+`.turn-foot")?.dataset.state === "stopped"`)
	p.Until("no card is left", `!document.querySelector(".secret-asked")`)
	p.Open("/app/credentials")
	if n := e2e.Eval[int](p, `document.querySelectorAll(".secret-asked").length`); n != 0 {
		p.T.Errorf("%d cards are left", n)
	}
}
