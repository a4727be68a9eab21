package e2e

import "strings"

// WriteBindings writes into the form of shop.api_key where it may be used, and does not send it.
func (p *Page) WriteBindings(lines ...string) {
	p.T.Helper()
	p.Open("/app/credentials/shop.api_key")
	p.Click("#bindings summary")
	p.Write("#bindings textarea", strings.Join(lines, "\n"))
}

// GiveSecret gives the server a secret with a random value, and calls it by the words of its name.
func (p *Page) GiveSecret(name string) (planted string) {
	planted = Random()
	p.Hub.Plant(name, planted)
	p.Open("/app/credentials")
	p.Shot("credentials-empty")
	p.Write("#add [name=name]", strings.NewReplacer(".", " ", "_", " ").Replace(name))
	p.Write("#add [data-value]", planted)
	p.Click("#add form[data-seal] button.primary")
	p.Until("the page of the secret", `location.pathname === "/app/credentials/`+name+`"`)
	p.Shot("credential")
	return planted
}
