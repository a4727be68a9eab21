package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"gatehouse/app/web"
)

// config is everything that the environment says. Each field is a row of the table in --help. A field marked secret may
// come in a file instead: NAME_FILE is its path.
type config struct {
	DatabaseURL  string     `env:"DATABASE_URL" secret:"1" doc:"Postgres; hub dev starts a private one without it"`
	Addr         string     `env:"HUB_ADDR" envDefault:"127.0.0.1:8080" doc:"where pages, API and links are served; 127.0.0.1 serves ::1 too"`
	PublicURL    string     `env:"HUB_PUBLIC_URL" doc:"how people and servers reach the hub; http://localhost:PORT without it"`
	BehindTLS    bool       `env:"HUB_BEHIND_TLS" doc:"1: a proxy in front ends TLS; needed on any address but loopback"`
	Dir          string     `env:"GATEHOUSE_DIR" envDefault:"./var" doc:"keys and, for local servers, data"`
	KeyFile      string     `env:"HUB_KEY_FILE" doc:"key that closes the secrets in the database; secret.key in GATEHOUSE_DIR without it"`
	NATSURL      string     `env:"NATS_URL" secret:"1" doc:"NATS that several hubs share; one in this process without it"`
	SMTPAddr     string     `env:"SMTP_ADDR" doc:"mail server, host:port; hub dev catches mail itself without it"`
	SMTPUser     string     `env:"SMTP_USER" doc:"name at the mail server, when it wants one"`
	SMTPPassword string     `env:"SMTP_PASSWORD" secret:"1" doc:"password at the mail server"`
	SMTPTLS      bool       `env:"SMTP_TLS" doc:"1: never send mail without TLS"`
	MailFrom     string     `env:"MAIL_FROM" envDefault:"Gatehouse <gatehouse@localhost>" doc:"sender of the hub's and the team's mail"`
	MetricsAddr  string     `env:"HUB_METRICS_ADDR" envDefault:"127.0.0.1:0" doc:"where Prometheus metrics are served, loopback only; port 0 takes a free one and logs it"`
	LegalDir     string     `env:"HUB_LEGAL_DIR" doc:"folder with terms.md, privacy.md, imprint.md; terms.de.md is for readers of German"`
	ContactEmail string     `env:"HUB_CONTACT_EMAIL" doc:"address that the help and the footer show for questions"`
	ContactPhone string     `env:"HUB_CONTACT_PHONE" doc:"telephone number beside it"`
	ContactText  string     `env:"HUB_CONTACT_TEXT" doc:"one line beside it, such as when somebody answers"`
	AgentdBin    string     `env:"AGENTD_BIN" doc:"agentd for the servers that are set up; the one beside this program without it"`
	Provider     string     `env:"HUB_PROVIDER" envDefault:"local" doc:"where servers are set up: local (this machine), pool (over SSH), netcup or hetzner"`
	HetznerToken string     `env:"HETZNER_TOKEN" secret:"1" doc:"API token of a project at Hetzner Cloud, for reading and writing: machines are rented there"`
	HetznerKinds string     `env:"HETZNER_MACHINES" doc:"which are rented, by region or region/plan: eu=cx23@nbg1,eu/scale=cx33@nbg1,na=cpx21@ash"`
	HetznerURL   string     `env:"HETZNER_URL" doc:"API of Hetzner Cloud, when another one stands in for it"`
	NetcupURL    string     `env:"NETCUP_URL" doc:"Server Control Panel of netcup, when another one stands in for it"`
	AgentHub     string     `env:"HUB_AGENT_URL" doc:"how servers of the pool reach the hub; HUB_PUBLIC_URL without it"`
	AgentSMTP    string     `env:"HUB_AGENT_SMTP" doc:"mail server for the teams on servers of the pool, host:port; none without it"`
	DNS          string     `env:"HUB_DNS" envDefault:"loopback" doc:"makes records of names: loopback (none), manual, cloudflare, powerdns"`
	DNSZone      string     `env:"HUB_DNS_ZONE" doc:"servers without an own domain are called NAME.ZONE"`
	DNSURL       string     `env:"HUB_DNS_URL" doc:"API of PowerDNS, like http://127.0.0.1:8081; of Cloudflare without it"`
	DNSToken     string     `env:"HUB_DNS_TOKEN" secret:"1" doc:"token of Cloudflare (DNS edit), or API key of PowerDNS"`
	DNSResolver  string     `env:"HUB_DNS_RESOLVER" doc:"tells which name servers to ask, host:port; else the machine's"`
	DNSIssuer    string     `env:"HUB_DNS_ISSUER" envDefault:"letsencrypt.org" doc:"who issues certificates, as CAA records name it"`
	ACME         string     `env:"HUB_ACME_DIRECTORY" doc:"ACME directory of who gives servers certificates; else Let's Encrypt's"`
	DNSGiveUp    span       `env:"HUB_DNS_GIVE_UP" envDefault:"72h" doc:"an order fails when its name is not right for so long"`
	DNSPort      uint16     `env:"HUB_DNS_PORT" doc:"port of name servers, which may then be in private networks, for tests"`
	StripeKey    string     `env:"STRIPE_SECRET_KEY" secret:"1" doc:"secret key of Stripe; orders are paid by a test checkout without it"`
	StripeHook   string     `env:"STRIPE_WEBHOOK_SECRET" secret:"1" doc:"secret of the endpoint HUB_PUBLIC_URL/webhooks/stripe at Stripe"`
	StripeURL    string     `env:"STRIPE_URL" doc:"API and pages of Stripe, when another one stands in for it"`
	RatesURL     string     `env:"RATES_URL" doc:"file of exchange rates, when it is not the European Central Bank's"`
	ModelBaseURL string     `env:"MODEL_BASE_URL" doc:"OpenAI-compatible endpoint for local servers; rehearsal model without it"`
	ModelName    string     `env:"MODEL_NAME" doc:"model at that endpoint"`
	Embeddings   string     `env:"MODEL_EMBEDDINGS" doc:"a model there that says what notes mean; offered to owners, who sign for it"`
	ModelAPIKey  string     `env:"MODEL_API_KEY" secret:"1" doc:"key for that endpoint, when it wants one"`
	ModelAdmin   string     `env:"MODEL_ADMIN_KEY" secret:"1" doc:"admin key of an organization at OpenAI: each server gets its own key"`
	ModelProject string     `env:"MODEL_ADMIN_PROJECT" doc:"project there in which these keys are made"`
	ModelOrgURL  string     `env:"MODEL_ADMIN_URL" doc:"administration API, when another one stands in for OpenAI's"`
	PushLocal    bool       `env:"PUSH_LOCAL" doc:"1: push services on this machine are reached too, for tests"`
	LogLevel     slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"debug, info, warn or error"`

	Drain     time.Duration `env:"HUB_DRAIN" envDefault:"0s" doc:"how long a stopping hub serves on while /readyz says no"`
	BackupDir string        `env:"HUB_BACKUP_DIR" doc:"where hub backup writes and hub doctor looks for the last one"`
	BackupTo  []string      `env:"HUB_BACKUP_RECIPIENTS" doc:"age public keys that backups are encrypted to, separated by commas"`
}

// loadConfig reads the environment and reports everything that is wrong with it at once.
func loadConfig(environment map[string]string) (config, error) {
	environment, fileErr := withFiles(environment)
	var c config
	err := env.ParseWithOptions(&c, env.Options{Environment: environment})
	var all env.AggregateError
	if errors.As(err, &all) {
		err = errors.Join(all.Errors...)
	}
	if c.KeyFile != "" {
		c.KeyFile = handedOver(environment, c.KeyFile)
	}
	if err := errors.Join(fileErr, err, c.fill(), errors.Join(c.faults()...)); err != nil {
		return config{}, fmt.Errorf("configuration:\n%w", err)
	}
	return c, nil
}

// withFiles puts the contents of NAME_FILE under NAME, for secrets.
func withFiles(environment map[string]string) (map[string]string, error) {
	out := make(map[string]string, len(environment))
	for k, v := range environment {
		out[k] = v
	}
	var errs []error
	for f := range fields() {
		name := f.Tag.Get("env")
		path := environment[name+"_FILE"]
		if f.Tag.Get("secret") == "" || path == "" {
			continue
		}
		if environment[name] != "" {
			errs = append(errs, fmt.Errorf("%s and %s_FILE are both set: keep one", name, name))
			continue
		}
		b, err := os.ReadFile(handedOver(environment, path))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s_FILE: %w", name, err))
		}
		out[name] = strings.TrimSpace(string(b))
	}
	return out, errors.Join(errs...)
}

// handedOver is where a file that the environment names lies. systemd hands a service over, below a folder of its own, what
// root alone may read; there the file is looked for first, by its last name. So one environment file serves the services and
// the operator at the terminal.
func handedOver(environment map[string]string, path string) string {
	dir := environment["CREDENTIALS_DIRECTORY"]
	if dir == "" {
		return path
	}
	for _, name := range []string{filepath.Base(path), "secrets_" + filepath.Base(path)} { // alone, or of a whole folder
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(dir, name)
		}
	}
	return path
}

// fields are the fields of config, in the order of the table.
func fields() func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		t := reflect.TypeFor[config]()
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

// fill sets what follows from other values.
func (c *config) fill() error {
	if c.PublicURL == "" {
		_, port, err := net.SplitHostPort(c.Addr)
		if err != nil {
			return nil // faults says what is wrong with it
		}
		c.PublicURL = "http://localhost:" + port
	}
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	if c.AgentHub == "" {
		c.AgentHub = c.PublicURL
	}
	c.AgentHub = strings.TrimSuffix(c.AgentHub, "/")
	if c.AgentdBin == "" {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("AGENTD_BIN: %w", err)
		}
		c.AgentdBin = filepath.Join(filepath.Dir(self), "agentd")
	}
	return nil
}

// edge is what pages and API are served by.
func (c config) edge() web.Config {
	return web.Config{Addr: c.Addr, PublicURL: c.PublicURL, BehindTLS: c.BehindTLS}
}

func (c *config) faults() []error {
	var bad []error
	say := func(name, format string, args ...any) {
		bad = append(bad, fmt.Errorf(name+": "+format, args...))
	}
	if !isHostPort(c.Addr) {
		say("HUB_ADDR", "%q is no address like 127.0.0.1:8080", c.Addr)
	}
	if host, _, err := net.SplitHostPort(c.MetricsAddr); err != nil || !isHostPort(c.MetricsAddr) || !isLoopback(host) {
		say("HUB_METRICS_ADDR", "%q is no loopback address like 127.0.0.1:9090", c.MetricsAddr)
	}
	if c.SMTPAddr != "" && !isHostPort(c.SMTPAddr) {
		say("SMTP_ADDR", "%q is no address like mail.example.com:587", c.SMTPAddr)
	}
	if _, err := mail.ParseAddress(c.MailFrom); err != nil {
		say("MAIL_FROM", "%q is no e-mail address", c.MailFrom)
	}
	bad = append(bad, c.contactFaults()...)
	bad = append(bad, c.dnsFaults()...)
	if c.PushLocal && c.BehindTLS {
		say("PUSH_LOCAL", "it is for tests on one machine: a hub that others reach would send to itself whatever a browser names")
	}
	bad = append(bad, c.providerFaults()...)
	if c.StripeURL != "" && !isWeb(c.StripeURL) {
		say("STRIPE_URL", "%q is no http or https address", c.StripeURL)
	}
	if c.AgentHub != "" && !isWeb(c.AgentHub) {
		say("HUB_AGENT_URL", "%q is no http or https address", c.AgentHub)
	}
	if c.AgentSMTP != "" && !isHostPort(c.AgentSMTP) {
		say("HUB_AGENT_SMTP", "%q is no address like mail.example.com:587", c.AgentSMTP)
	}
	bad = append(bad, c.backupFaults()...)
	if c.Drain < 0 || c.Drain > maxDrain {
		say("HUB_DRAIN", "%s is not between 0s and %s", c.Drain, maxDrain)
	}
	if (c.ModelBaseURL == "") != (c.ModelName == "") {
		say("MODEL_BASE_URL and MODEL_NAME", "set both, or neither for the rehearsal model")
	}
	if c.Embeddings != "" && c.ModelBaseURL == "" {
		say("MODEL_EMBEDDINGS", "it is set, but MODEL_BASE_URL is not: there is nothing to ask")
	}
	if c.ModelBaseURL != "" && !isWeb(c.ModelBaseURL) {
		say("MODEL_BASE_URL", "%q is no http or https address", c.ModelBaseURL)
	}
	if c.ModelAPIKey != "" && c.ModelBaseURL == "" {
		say("MODEL_API_KEY", "it is set, but MODEL_BASE_URL is not: there is nothing to use it for")
	}
	if (c.ModelAdmin == "") != (c.ModelProject == "") {
		say("MODEL_ADMIN_KEY and MODEL_ADMIN_PROJECT", "set both, or neither: then all servers share MODEL_API_KEY")
	}
	if c.ModelAdmin != "" && c.ModelBaseURL == "" {
		say("MODEL_ADMIN_KEY", "it is set, but MODEL_BASE_URL is not: there is nothing to use keys for")
	}
	return bad
}

// maxDrain is how long a hub that was told to stop may go on serving.
const maxDrain = 25 * time.Second

// needs says what must be set for a hub that is not the demo.
func (c *config) needs() error {
	var bad []error
	for name, value := range map[string]string{"DATABASE_URL": c.DatabaseURL, "SMTP_ADDR": c.SMTPAddr} {
		if value == "" {
			bad = append(bad, fmt.Errorf("%s: needed; hub dev does without", name))
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("configuration:\n%w", errors.Join(bad...))
	}
	return nil
}

func isHostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	if err != nil || host == "" {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n <= 65535
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

func isWeb(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// configTable is the table of all variables, for --help.
func configTable() string {
	var b strings.Builder
	b.WriteString("Environment:\n")
	for f := range fields() {
		name, doc := f.Tag.Get("env"), f.Tag.Get("doc")
		if f.Tag.Get("secret") != "" {
			doc += " (or " + name + "_FILE)"
		}
		if d := f.Tag.Get("envDefault"); d != "" {
			doc += " [" + d + "]"
		}
		fmt.Fprintf(&b, "  %-21s %s\n", name, doc)
	}
	return b.String()
}
