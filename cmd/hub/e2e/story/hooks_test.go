package story

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/cmd/hub/e2e"
)

// sent is one delivery to a hook, and what its sender is told.
func sent(t *testing.T, address, body string, headers ...string) (code int, after string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
	return res.StatusCode, res.Header.Get("Retry-After")
}

// hooked has the owner make a hook, and gives its address and its secret, which no table and no log of the hub may hold.
func hooked(t *testing.T, h *e2e.Hub, p *e2e.Page, name, proof string) (address, secret string) {
	t.Helper()
	p.Open("/app/hooks/new")
	p.Write("[name=name]", name)
	p.Choose("agent", "it-admin")
	p.Write("[name=task]", "Look at what came.")
	p.Click("[name=proof][value=" + proof + "]")
	p.Until("the address", `document.querySelector("[data-address]").textContent.endsWith("/`+name+`")`)
	address, secret = e2e.Eval[string](p, `document.querySelector("[data-address]").textContent`),
		e2e.Eval[string](p, `document.querySelector("[data-secret]").value`)
	if !strings.HasPrefix(secret, "ghk_") || len(secret) < 40 {
		t.Fatalf("the secret is %q", secret)
	}
	h.Plant("hook "+name, secret)
	p.Click("[name=copied]")
	p.Click("#hook-form button[type=submit]")
	p.See("[data-toast]", "The hook is made")
	return address, secret
}

// TestHooks: an owner makes a hook, and a program outside has an agent work, once for each delivery, with its content held for content
// from outside: what it wants changed is asked first. Who cannot prove itself is refused, and the owner reads all of it.
func TestHooks(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	p.Open("/app/hooks")
	p.See("main", "No hooks yet")
	p.InspectOpen("no hooks yet")
	address, secret := hooked(t, h, p, "orders", "token")
	page := e2e.Eval[string](p, "location.pathname")

	body := e2e.ToolScript(t, "It is written.", e2e.ToolCall{Name: "file_write", Args: `{"path":"order.txt","content":"from outside"}`})
	for _, c := range []struct {
		token, id string
		want      int
	}{{"guessed", "1", 401}, {secret, "1", 202}, {secret, "1", 200}} {
		if got, _ := sent(t, address, body, "Authorization", "Bearer "+c.token, "Idempotency-Key", c.id); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	p.Open("/app/approvals")
	p.See("main", "order.txt")
	p.See("main", "hook orders")
	p.Open(page)
	for _, want := range []string{"Accepted", "Repeated", "The bearer token is not that of this hook."} {
		p.See("#deliveries", want)
	}
	p.InspectOpen("a hook")
	p.Shots("hook")

	signedAt, key := hooked(t, h, p, "mails", "signed")
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(stamp + ".{}"))
	signature := "t=" + stamp + ",v1=" + hex.EncodeToString(m.Sum(nil))
	for body, want := range map[string]int{"{}": 202, "{ }": 401} {
		if got, _ := sent(t, signedAt, body, "X-Gatehouse-Signature", signature); got != want {
			t.Errorf("%s: %d", body, got)
		}
	}
	p.Click("#hook form:not([data-hook]) button")
	p.See("#hook", "Paused")
	m.Reset()
	m.Write([]byte(stamp + ".[]"))
	signature = "t=" + stamp + ",v1=" + hex.EncodeToString(m.Sum(nil))
	if got, after := sent(t, signedAt, "[]", "X-Gatehouse-Signature", signature); got != 503 || after == "" {
		t.Errorf("paused: %d, Retry-After %q", got, after)
	}
	p.Click("#hook form[data-hook] button")
	p.See("[data-toast]", "It goes on")

	nowhere := strings.Replace(address, "/h/"+strings.Split(address, "/h/")[1][:8], "/h/00000000", 1)
	if got, after := sent(t, nowhere, body, "Authorization", "Bearer "+secret); got != 503 || after != "60" {
		t.Errorf("a server that is away: %d, Retry-After %q", got, after)
	}
}
