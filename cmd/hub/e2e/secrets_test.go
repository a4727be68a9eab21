package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/leakscan"
)

// TestSecrets is the life of a secret in people's hands: given, seen, copied, replaced, shared once, asked from somebody
// else. Everything that reaches the hub, that it stores and that it logs is kept and searched: no value is in it, in any
// encoding.
func TestSecrets(t *testing.T) {
	wire := newTap(t)
	h, c := parallelHub(t, wire.env...)
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	p.until("the portal", `location.pathname === "/app"`)
	p.enrolHere(h)
	values := map[string]string{}
	t.Run("give", func(t *testing.T) { p.t = t; values["shop.api_key"] = give(p, "shop.api_key") })
	t.Run("reveal", func(t *testing.T) { p.t = t; reveal(p, "shop.api_key", values["shop.api_key"]) })
	t.Run("generate", func(t *testing.T) { p.t = t; values["shop.cookie"] = generate(p, "shop.cookie") })
	t.Run("rotate", func(t *testing.T) {
		p.t = t
		values["shop.cookie again"] = rotate(p, "shop.cookie", values["shop.cookie"])
	})
	t.Run("share once", func(t *testing.T) { p.t = t; shareOnce(p, h, "shop.api_key", values["shop.api_key"]) })
	t.Run("ask somebody", func(t *testing.T) { p.t = t; values["shop.smtp_password"] = askSomebody(p, h, "shop.smtp_password") })
	t.Run("audit", func(t *testing.T) { p.t = t; audited(p) })
	c.awaitLink()
	wire.wantNothing(t, h, values)
}

// enrolHere gives this browser a key that may allow, with the code that the terminal shows.
func (p *page) enrolHere(h *hub) {
	p.t.Helper()
	p.open("/app/settings/approvers")
	code, err := h.EnrolCode()
	if err != nil {
		p.t.Fatal(err)
	}
	p.write("[data-code]", code)
	p.click("form[data-enrol] button[value=browser]")
	p.see("[data-own-keys]", "")
	p.until("the key of this browser", `document.querySelector("[data-own]:not([hidden])")`)
}

func give(p *page, name string) (value string) {
	value = random()
	p.open("/app/credentials")
	p.shot("credentials-empty")
	p.write("#add [name=name]", name)
	p.write("#add [data-value]", value)
	p.click("#add form[data-seal] button.primary")
	p.until("the page of the secret", `location.pathname === "/app/credentials/`+name+`"`)
	p.shot("credential")
	return value
}

// unlock types the password that is asked for each time.
func unlock(p *page) { p.write("#reveal [name=password]", p.hub.Demo.Customer.Password) }

func reveal(p *page, name, value string) {
	p.open("/app/credentials/" + name)
	p.write("#reveal [name=password]", "not the password of anybody")
	p.click("#reveal button[value=show]")
	p.see("#reveal .form-failed", "")
	unlock(p)
	p.click("#reveal button[value=show]")
	p.until("the value", `document.querySelector("[data-plain]").textContent === `+quote(value))
	p.see("[data-left]", "")
	p.shot("credential-shown")
	p.until("the value is hidden again", `document.querySelector("[data-shown]").hidden && document.querySelector("[data-plain]").textContent === ""`)
}

// shown fetches the value of a secret as a person does.
func shown(p *page, name string) string {
	p.t.Helper()
	p.open("/app/credentials/" + name)
	unlock(p)
	p.click("#reveal button[value=show]")
	p.until("the value", `document.querySelector("[data-plain]").textContent`)
	return eval[string](p, `document.querySelector("[data-plain]").textContent`)
}

func generate(p *page, name string) string {
	p.open("/app/credentials")
	p.click("#add summary")
	p.write("#add [name=new]", name)
	p.click("#add button[value=generate]")
	p.until("the page of the secret", `location.pathname === "/app/credentials/`+name+`"`)
	value := shown(p, name)
	if len(value) != 32 {
		p.t.Errorf("made %d characters", len(value))
	}
	return value
}

// rotate: a service that the server cannot change itself is changed by a person, who gives the new value; the former one
// can be had again.
func rotate(p *page, name, before string) (value string) {
	p.open("/app/credentials/" + name)
	p.click("#rotate button[value=rotate]")
	p.see(".notice[data-kind=bad]", "")
	value = random()
	p.click("#rotate summary")
	p.write("#rotate [data-value]", value)
	p.click("#rotate form[data-seal] button.primary")
	p.see("#versions", "Version 2")
	if got := shown(p, name); got != value {
		p.t.Errorf("the vault has another value of %d characters", len(got))
	}
	p.open("/app/credentials/" + name)
	p.click("#versions button[value=rollback]")
	p.see("#versions", "Version 3")
	if got := shown(p, name); got != before {
		p.t.Error("the former value is not back")
	}
	return value
}

// shareOnce: robots that look at the address spoil nothing, one person sees the value, the next one does not.
func shareOnce(p *page, h *hub, name, value string) {
	p.open("/app/credentials/" + name)
	unlock(p)
	p.click("#reveal button[value=share]")
	p.until("the link", `document.querySelector("#reveal [data-address]").textContent`)
	link := eval[string](p, `document.querySelector("#reveal [data-address]").textContent`)
	p.shot("credential-shared")
	path := link[strings.Index(link, "/s/"):]
	for range 5 {
		h.newPage(p.t).open(path).see("main", name)
	}
	first := h.newPage(p.t).open(path)
	first.click("form[data-link] button")
	first.until("the value", `document.querySelector("[data-plain]").textContent === `+quote(value))
	first.until("nothing more to press", `document.querySelector("form[data-link] button").hidden`)
	first.shot("secret-link")
	h.newPage(p.t).open(path).see("main", "used or has run out")
}

// askSomebody: a link takes a value from somebody who is not signed in.
func askSomebody(p *page, h *hub, name string) (value string) {
	value = random()
	p.open("/app/credentials")
	p.click("#add summary")
	p.write("#add [name=ask]", name)
	p.click("#add form[data-share] button")
	p.until("the link", `document.querySelector("#add [data-address]").textContent`)
	link := eval[string](p, `document.querySelector("#add [data-address]").textContent`)
	other := h.newPage(p.t).open(link[strings.Index(link, "/s/"):])
	other.write("[data-value]", value)
	other.click("form[data-link] button")
	other.until("that it has arrived", `!document.querySelector("[data-done]").hidden`)
	other.shot("secret-given")
	if got := shown(p, name); got != value {
		p.t.Errorf("the vault has another value of %d characters", len(got))
	}
	return value
}

func audited(p *page) {
	p.open("/app/credentials/shop.api_key")
	for _, act := range []string{"Value given", "Shown"} {
		p.see("#audit", act)
	}
	p.shot("credential-audit")
}

// tap keeps every byte that browsers send to the hub, as a proxy in front of it. What servers send is in frames that are
// packed; the memory of the hub is searched for it instead.
type tap struct {
	env    []string
	target string

	mu  sync.Mutex
	all bytes.Buffer
}

func newTap(t *testing.T) *tap {
	t.Helper()
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	back, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &tap{target: back.Addr().String()}
	_, port, _ := net.SplitHostPort(front.Addr().String()) // it has one
	w.env = []string{"HUB_ADDR=" + w.target, "HUB_PUBLIC_URL=http://localhost:" + port}
	if err := back.Close(); err != nil {
		t.Fatal(err)
	}
	go w.serve(front)
	t.Cleanup(func() { _ = front.Close() }) // it was good
	return w
}

func (w *tap) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.Write(b)
}

func (w *tap) serve(front net.Listener) {
	for {
		client, err := front.Accept()
		if err != nil {
			return
		}
		hub, err := net.Dial("tcp", w.target)
		if err != nil {
			_ = client.Close() // nobody is there yet
			continue
		}
		end := sync.OnceFunc(func() { _, _ = client.Close(), hub.Close() })
		go func() { _, _ = io.Copy(client, hub); end() }()
		go func() { _, _ = io.Copy(hub, io.TeeReader(client, &heard{tap: w})); end() }()
	}
}

// heard is one connection. Of what browsers ask for without sending anything, only the request lines differ.
type heard struct {
	tap  *tap
	asks bool
}

func (c *heard) Write(b []byte) (int, error) {
	switch {
	case bytes.HasPrefix(b, []byte("GET ")):
		c.asks = true
		line, _, _ := bytes.Cut(b, []byte("\r\n"))
		_, _ = c.tap.Write(line) // memory takes everything
	case bytes.HasPrefix(b, []byte("POST ")):
		c.asks = false
	}
	if c.asks {
		return len(b), nil
	}
	return c.tap.Write(b)
}

// wantNothing searches what passed the hub, what it stores and what it and the server wrote.
func (w *tap) wantNothing(t *testing.T, h *hub, values map[string]string) {
	t.Helper()
	w.mu.Lock()
	passed := bytes.Clone(w.all.Bytes())
	w.mu.Unlock()
	if len(passed) < 5_000 {
		t.Fatalf("only %d bytes passed", len(passed))
	}
	for name, value := range values {
		for _, found := range leakscan.New(leakscan.Canary{Name: name, Value: value}).Bytes("what passed the hub", passed) {
			t.Error(found)
		}
		if n := inMemory(t, h.PID(), value); n > 0 {
			t.Errorf("%s stands %d times in the memory of the hub", name, n)
		}
		if found := h.tables(t, value); len(found) > 0 {
			t.Errorf("%s is in tables %v", name, found)
		}
		if found := logsWith(t, h.Dir, value); len(found) > 0 {
			t.Errorf("%s is in logs %v", name, found)
		}
		for _, path := range []string{h.server("state", "agentd.db"), h.server("state", "agentd.db-wal")} {
			b, err := os.ReadFile(filepath.Clean(path))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if bytes.Contains(b, []byte(value)) {
				t.Errorf("%s stands in %s", name, filepath.Base(path))
			}
		}
	}
}

// inMemory says how often a word stands in what a process can write to: whatever it was ever told and has not forgotten.
func inMemory(t *testing.T, pid int, word string) (n int) {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mem.Close() }() // it was only read
	looked := 0
	for line := range strings.Lines(string(maps)) {
		var from, to int64
		var mode string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); err != nil || !strings.HasPrefix(mode, "rw") {
			continue
		}
		b := make([]byte, to-from)
		got, err := mem.ReadAt(b, from)
		if err != nil && got == 0 {
			continue // a region that cannot be read, such as one for devices
		}
		looked += got
		n += bytes.Count(b[:got], []byte(word))
	}
	if looked < 10<<20 {
		t.Fatalf("only %d bytes of memory could be read", looked)
	}
	return n
}
