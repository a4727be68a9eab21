package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/nats-io/nats-server/v2/server"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/account/accounttest"
	"gatehouse/app/audit"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/cmd/hub/rig"
	"gatehouse/cmd/hub/units"
	"gatehouse/db"
)

// TestRolling restarts one of two hubs after the other, behind the shipped configuration of nginx, while people read and write
// pages, one follows a stream and a server holds its link: no request fails, and stream and link find the other hub. (/readyz is
// no page: a hub that is about to go says no there.)
func TestRolling(t *testing.T) {
	t.Parallel()
	rounds := 1
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		rounds = 20
	}
	r := newRolling(t)
	all := []func(){
		r.reader("GET", "/pricing", ""), r.reader("GET", "/healthz", ""), r.reader("POST", "/theme", "theme=dark&back=/"),
		r.follower, r.link,
	}
	r.done = append(r.done, &atomic.Int64{}, &atomic.Int64{}) // of the last two
	for _, c := range all {
		r.clients.Go(c)
	}
	r.until("everybody is at work", func() bool { return r.allSince(make([]int64, len(all))) })
	for range rounds {
		for i := range r.hubs {
			before := r.progress()
			r.hubs[i].restart(t)
			r.until("everybody goes on", func() bool { return r.allSince(before) })
		}
	}
	r.until("stream and link were opened again", func() bool { return r.streams.Load() > 1 && r.links.Load() > 1 })
	r.stop()
	r.clients.Wait()
	for _, f := range r.failures {
		t.Error(f)
	}
	t.Logf("pages, answers of /healthz, posts, pushes, links: %v; %d streams", r.progress(), r.streams.Load())
}

// rolling is two hubs over one database and one nats-server, behind nginx, and who uses them.
type rolling struct {
	t      *testing.T
	url    string
	cookie string
	client *http.Client
	hubs   []*process

	ctx            context.Context
	stop           context.CancelFunc
	clients        sync.WaitGroup
	done           []*atomic.Int64 // what each client got
	streams, links atomic.Int64

	mu       sync.Mutex
	failures []string
}

func newRolling(t *testing.T) *rolling {
	t.Helper()
	env := environment(t)
	public := freePort(t)
	env["NATS_URL"], env["HUB_BEHIND_TLS"], env["HUB_PUBLIC_URL"] = natsServer(t), "1", "https://"+public
	r := &rolling{t: t, url: env["HUB_PUBLIC_URL"], cookie: "__Host-ssid=" + staffSecret(t, env)}
	r.ctx, r.stop = context.WithCancel(t.Context())
	for range 2 {
		p := &process{env: map[string]string{}}
		for k, v := range env {
			p.env[k] = v
		}
		p.env["HUB_ADDR"] = freePort(t)
		p.start(t)
		r.hubs = append(r.hubs, p)
	}
	r.client = nginx(t, public, r.hubs[0].env["HUB_ADDR"], r.hubs[1].env["HUB_ADDR"])
	r.until("nginx serves", func() bool { return r.ask("GET", "/readyz", "") == nil })
	return r
}

// process is one hub.
type process struct {
	env map[string]string
	cmd *exec.Cmd
	out output
}

func (p *process) start(t *testing.T) {
	t.Helper()
	p.cmd = exec.CommandContext(t.Context(), os.Args[0], "serve")
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = append(os.Environ(), asHub+"=1"), &p.out, &p.out
	for k, v := range p.env {
		p.cmd.Env = append(p.cmd.Env, k+"="+v)
	}
	ok(t, p.cmd.Start())
	waitServing(t, "http://"+p.env["HUB_ADDR"]+"/readyz")
}

func (p *process) restart(t *testing.T) {
	t.Helper()
	ok(t, p.cmd.Process.Signal(syscall.SIGTERM))
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("a hub that was told to stop: %v\n%s", err, p.out.String())
	}
	p.start(t)
}

// natsServer is one for both hubs.
func natsServer(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true, Authorization: "a-token-of-the-test",
		MaxPayload: wire.MaxBody + 1<<20, MaxPending: 8 * wire.MaxBody,
	})
	ok(t, err)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("nats-server does not start")
	}
	return "nats://a-token-of-the-test@" + s.Addr().String()
}

// staffSecret signs in one of our staff.
func staffSecret(t *testing.T, env map[string]string) string {
	t.Helper()
	d, err := db.Open(t.Context(), env["DATABASE_URL"])
	ok(t, err)
	defer d.Close()
	keys, err := db.OpenKeyring(keyPath(env["GATEHOUSE_DIR"]))
	ok(t, err)
	s := &staff.Service{
		Store: &db.Staff{DB: d, Keys: keys}, Hasher: accounttest.Hasher(), Tries: account.NewTries(9, time.Minute, time.Now), Now: time.Now,
	}
	in := staff.NewMember{Email: "someone@example.com", Role: staff.Owner, Password: "three quiet bakers at dawn"}
	m, _, err := s.Create(t.Context(), in, audit.Itself)
	ok(t, err)
	desk := signin.Desk{Store: &db.Signins{DB: d}, Now: time.Now}
	_, secret, err := desk.Open(t.Context(), signin.Staff, signin.Subject{StaffID: string(m.ID)}, signin.Origin{Address: "127.0.0.1"}, "")
	ok(t, err)
	return secret
}

// nginx runs the distribution's, with the shipped configuration, and gives a client that knows its certificate.
func nginx(t *testing.T, public, one, other string) *http.Client {
	t.Helper()
	bin, err := exec.LookPath("nginx")
	if err != nil {
		if bin = "/usr/sbin/nginx"; !exists(bin) {
			t.Fatal("nginx is missing, so the shipped configuration was not tried: install the package nginx-light")
		}
	}
	dir := t.TempDir()
	pool := certificate(t, dir)
	text, err := units.Text("gatehouse.nginx")
	ok(t, err)
	_, port, err := net.SplitHostPort(public)
	ok(t, err)
	for old, now := range map[string]string{
		"127.0.0.1:8081": one, "127.0.0.1:8082": other, "/etc/gatehouse/tls": dir, "hub.example.com": "127.0.0.1",
		"    listen 80;\n": "", "    listen [::]:80;\n": "    listen " + freePort(t) + ";\n",
		"    listen [::]:443 ssl;\n": "", "listen 443 ssl": "listen 127.0.0.1:" + port + " ssl",
	} {
		if !strings.Contains(text, old) {
			t.Fatalf("the shipped configuration says nothing of %q", old)
		}
		text = strings.ReplaceAll(text, old, now)
	}
	conf := fmt.Sprintf("daemon off; pid %[1]s/pid; error_log %[1]s/error.log; worker_processes 1; events { worker_connections 512; }\n"+
		"http { access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/f; "+
		"uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;\n%[2]s\n}\n", dir, text)
	ok(t, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(conf), 0o600))
	cmd := exec.CommandContext(t.Context(), bin, "-c", filepath.Join(dir, "nginx.conf"), "-e", filepath.Join(dir, "error.log"))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	ok(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // it was told to end
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			t.Logf("nginx: %s%s", said.String(), log)
		}
	})
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// certificate makes one for 127.0.0.1.
func certificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ok(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	ok(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	ok(t, err)
	full := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	ok(t, os.WriteFile(filepath.Join(dir, "fullchain.pem"), full, 0o600))
	ok(t, os.WriteFile(filepath.Join(dir, "privkey.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), 0o600))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(full)
	return pool
}

// failed notes what a client met that it should not.
func (r *rolling) failed(format string, args ...any) {
	if r.ctx.Err() != nil {
		return // the test is over, and cut it off
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.failures) < 20 {
		r.failures = append(r.failures, fmt.Sprintf(format, args...))
	}
}

func (r *rolling) counter() *atomic.Int64 {
	n := &atomic.Int64{}
	r.done = append(r.done, n)
	return n
}

// reader asks for one thing again and again, each time when the last answer is there.
func (r *rolling) reader(method, path, body string) func() {
	n := r.counter()
	return func() {
		for r.ctx.Err() == nil {
			if err := r.ask(method, path, body); err != nil {
				r.failed("%s %s: %v", method, path, err)
			}
			n.Add(1)
		}
	}
}

func (r *rolling) request(method, path, body string) *http.Request {
	req, err := http.NewRequestWithContext(r.ctx, method, r.url+path, strings.NewReader(body))
	if err != nil {
		panic(err) // the address is the test's own
	}
	req.Header.Set("Cookie", r.cookie)
	if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", r.url)
	}
	return req
}

func (r *rolling) ask(method, path, body string) error {
	res, err := r.client.Do(r.request(method, path, body))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return err
	}
	if want := map[string]int{"GET": http.StatusOK, "POST": http.StatusSeeOther}[method]; res.StatusCode != want {
		return fmt.Errorf("%s: %.200s", res.Status, text)
	}
	return nil
}

// follower follows a page of the console; when its stream ends it opens it again, as browsers do.
func (r *rolling) follower() {
	for r.ctx.Err() == nil {
		res, err := r.client.Do(r.request("GET", "/admin/stream?topic=home", ""))
		if err != nil {
			r.failed("the stream: %v", err)
			continue
		}
		if res.StatusCode != http.StatusOK {
			r.failed("the stream: %s", res.Status)
		}
		r.streams.Add(1)
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data:") {
				r.done[3].Add(1)
			}
		}
		if err := lines.Err(); err != nil {
			r.failed("the stream did not end in order: %v", err)
		}
		_ = res.Body.Close() // it was read to its end
	}
}

// link opens the link of a server as far as a hub greets it, and again whenever it ends.
func (r *rolling) link() {
	for r.ctx.Err() == nil {
		at := strings.Replace(r.url, "https", "wss", 1) + "/agentd/link"
		ws, _, err := websocket.Dial(r.ctx, at, &websocket.DialOptions{HTTPClient: r.client})
		if err != nil {
			r.failed("the link: %v", err)
			continue
		}
		if _, _, err := ws.Read(r.ctx); err != nil {
			r.failed("no hub greeted the server: %v", err)
		}
		r.links.Add(1)
		r.done[4].Add(1)
		_, _, _ = ws.Read(r.ctx) // it says nothing more: until this hub goes, or loses its patience
		_ = ws.CloseNow()        // it has ended
	}
}

// progress is how far each client has come.
func (r *rolling) progress() (n []int64) {
	for _, c := range r.done {
		n = append(n, c.Load())
	}
	return n
}

// allSince says whether pages and posts were answered since then. Stream and link go on when their hub is away.
func (r *rolling) allSince(before []int64) bool {
	for i, n := range r.progress()[:3] {
		if n < before[i]+5 {
			return false
		}
	}
	return r.done[3].Load() > 0 && r.done[4].Load() > 0
}

func (r *rolling) until(what string, cond func() bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
	defer cancel()
	if !rig.Until(ctx, cond) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.t.Fatalf("never: %s; %v %v", what, r.progress(), r.failures)
	}
}
