package agentd

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"path/filepath"
	"time"

	"gatehouse/agentd/vault/external"
)

// Config is what the operator of a server sets. The owner's settings come over the link (agentd/config).
type Config struct {
	State     string // state directory: agentd's own files
	Data      string // data folder: the business's files, all that tools see
	Hub       string // base URL of the hub; empty: where the server was registered
	TokenFile string // one-time registration token; deleted after use
	SMTPAddr  string // host:port that mail is handed to; empty: no mail
	MailFrom  string // sender of the team's mail
	Demo      bool   // put the demo's files into the data folder, once

	ModelBaseURL string // OpenAI-compatible endpoint, for the model proxy; empty: the rehearsal model
	ModelName    string // required with ModelBaseURL
	Embeddings   string // a model there that turns texts into vectors; empty: none

	GuardianModel string // model of the second look; empty: off beside a real model until the owner switches it on, then ModelName

	ProxySocket    string // of a model proxy that somebody else runs; empty: agentd runs its own
	ProxyTokenFile string // required with ProxySocket

	KV external.Config // an external vault that secrets may come from

	Pause       time.Duration // between two pieces of a rehearsal answer
	MetricsAddr string        // loopback address of the metrics and of hooks; port 0: any
	Version     string        // of this binary

	DockerSocket string // of the container engine; empty: where Docker listens
	WipeFile     string // what the helper waits for that wipes this machine; empty: there is none

	Subagents int // that have not ended at once, 1 to 64; 0: as the runtime has it
}

// Check says everything that is wrong with c, or nil.
func (c Config) Check() error {
	var wrong []error
	bad := func(name, format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%s %s", name, fmt.Sprintf(format, args...)))
	}
	if !filepath.IsAbs(c.State) {
		bad("AGENTD_STATE", "is %q; it must be an absolute path", c.State)
	}
	if !filepath.IsAbs(c.Data) {
		bad("AGENTD_DATA", "is %q; it must be an absolute path", c.Data)
	}
	if c.Hub != "" && !isURL(c.Hub) {
		bad("AGENTD_HUB", "is %q; it must be an http or https URL", c.Hub)
	}
	if c.SMTPAddr != "" && !isHostPort(c.SMTPAddr) {
		bad("AGENTD_SMTP_ADDR", "is %q; it must be host:port", c.SMTPAddr)
	}
	if _, err := mail.ParseAddress(c.MailFrom); c.MailFrom != "" && err != nil {
		bad("AGENTD_MAIL_FROM", "is %q; it must be an e-mail address", c.MailFrom)
	}
	if c.SMTPAddr != "" && c.MailFrom == "" {
		bad("AGENTD_MAIL_FROM", "is missing; AGENTD_SMTP_ADDR needs it")
	}
	if c.Subagents < 0 || c.Subagents > 64 {
		bad("AGENTD_SUBAGENTS", "is %d; it must be from 1 to 64, or 0 for the usual number", c.Subagents)
	}
	return errors.Join(append(append(wrong, c.checkModel()...), c.checkKV()...)...)
}

// checkKV keeps credentials for the external vault out of what tools read, and what vouches for it out of what they write.
func (c Config) checkKV() []error {
	wrong := c.KV.Check()
	for _, f := range []struct{ name, path string }{
		{"AGENTD_KV_TOKEN_FILE", c.KV.TokenFile}, {"AGENTD_KV_SECRET_ID_FILE", c.KV.SecretIDFile}, {"AGENTD_KV_CA_FILE", c.KV.CAFile},
	} {
		if f.path != "" && lies(f.path, c.Data) {
			wrong = append(wrong, fmt.Errorf("%s is %q; it must not lie in the data folder, where tools read and write", f.name, f.path))
		}
	}
	return wrong
}

// lies says whether a file is inside a folder, whatever links lead there.
func lies(file, dir string) bool {
	for _, at := range []string{followed(file), filepath.Join(followed(filepath.Dir(file)), filepath.Base(file))} {
		if rel, err := filepath.Rel(followed(dir), at); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// followed is a path without links, as far as it is there.
func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

func (c Config) checkModel() (wrong []error) {
	if c.ModelBaseURL != "" && !isURL(c.ModelBaseURL) {
		wrong = append(wrong, fmt.Errorf("MODEL_BASE_URL is %q; it must be an http or https URL", c.ModelBaseURL))
	}
	if c.ModelBaseURL != "" && c.ModelName == "" {
		wrong = append(wrong, errors.New("MODEL_NAME is missing; MODEL_BASE_URL needs it"))
	}
	if c.ModelBaseURL == "" && c.Embeddings != "" {
		wrong = append(wrong, errors.New("MODEL_BASE_URL is missing; MODEL_EMBEDDINGS needs it"))
	}
	if c.ModelBaseURL == "" && c.ModelName != "" && c.ProxySocket == "" {
		wrong = append(wrong, errors.New("MODEL_BASE_URL is missing; MODEL_NAME needs it"))
	}
	if c.ProxySocket != "" && (!filepath.IsAbs(c.ProxySocket) || c.ProxyTokenFile == "") {
		wrong = append(wrong, fmt.Errorf("AGENTD_PROXY_SOCKET is %q; it must be an absolute path, and AGENTD_PROXY_TOKEN_FILE must be set with it", c.ProxySocket))
	}
	if host, _, err := net.SplitHostPort(c.MetricsAddr); err != nil || !isLoopback(host) {
		wrong = append(wrong, fmt.Errorf("AGENTD_METRICS_ADDR is %q; it must be host:port on the loopback", c.MetricsAddr))
	}
	return wrong
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

func isHostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	return err == nil && host != "" && port != ""
}
