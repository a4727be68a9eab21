package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"time"

	"github.com/caarlos0/env/v11"

	"gatehouse/agentd"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/llm/socket"
	"gatehouse/agentd/procmem"
	"gatehouse/agentd/sandbox"
	"gatehouse/agentd/store"
)

// proxySettings are the variables that agentd llm-proxy reads.
type proxySettings struct {
	State   string   `env:"AGENTD_PROXY_STATE" envDefault:"/var/lib/agentd-llm-proxy" help:"the model proxy's state directory: models.yaml, keys, counters; mode 0700"`
	Socket  string   `env:"AGENTD_PROXY_SOCKET" help:"unix socket of the model proxy; without it agentd runs one of its own, as its child (llm-proxy: default /run/agentd-llm-proxy/proxy.sock)"`
	Token   string   `env:"AGENTD_PROXY_TOKEN_FILE" help:"file with what callers show (default proxy.token among systemd's credentials, else in the state directory)"`
	Agentd  string   `env:"AGENTD_PROXY_AGENTD" help:"llm-proxy: user that agentd runs as (default: the proxy's own)"`
	Callers []string `env:"AGENTD_PROXY_CALLERS" help:"llm-proxy: other users who may call over the socket, with commas between"`
	Addr    string   `env:"AGENTD_PROXY_ADDR" help:"llm-proxy: loopback address for other programs, such as 127.0.0.1:7411; without it there is the socket alone"`
	BaseURL string   `env:"MODEL_BASE_URL"`
	Model   string   `env:"MODEL_NAME"`
	Vectors string   `env:"MODEL_EMBEDDINGS"`
	Level   string   `env:"LOG_LEVEL" envDefault:"info"`
	Tied    bool     `env:"AGENTD_PROXY_TIED" help:"1: end with the standard input (agentd starts its own proxy so)"`
}

const defaultSocket = "/run/agentd-llm-proxy/proxy.sock"

// llmProxy is "agentd llm-proxy".
func llmProxy(ctx context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	var s proxySettings
	if err := env.Parse(&s); err != nil {
		return fmt.Errorf("%w: settings:\n%w", errUsage, err)
	}
	if _, err := level(s.Level); err != nil {
		return fmt.Errorf("%w: settings:\n%w", errUsage, err)
	}
	if err := sandbox.Harden(); err != nil {
		return fmt.Errorf("hide this process's memory: %w", err)
	}
	forgetKeys()
	if s.Tied {
		ctx = tied(ctx, c.in)
	}
	log := logger(c.errOut, s.Level)
	if err := s.serve(ctx, log); err != nil {
		log.Error("model proxy cannot go on", "error", err)
		return err
	}
	return nil
}

// tied ends with whoever holds the other end of in.
func tied(ctx context.Context, in io.Reader) context.Context {
	ctx, end := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in) // that it ends is all it says
		end()
	}()
	return ctx
}

// serve opens the state and answers until ctx ends.
func (s proxySettings) serve(ctx context.Context, log *slog.Logger) (err error) {
	o, err := s.options(log)
	if err != nil {
		return err
	}
	db, err := store.Open(s.State, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	o.DB, o.Calls = db, filepath.Join(s.State, "calls")
	if o.Keys, err = s.keys(ctx, db, o.Set); err != nil {
		return err
	}
	p, err := proxy.New(ctx, o)
	if err != nil {
		return err
	}
	listeners, err := s.listen(ctx, o)
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "model proxy is ready", "socket", s.socket(), "address", s.Addr, "profiles", len(o.Set.Profiles))
	if err := procmem.Settle(); err != nil {
		log.WarnContext(ctx, "memory of the start kept", "error", err)
	}
	return p.Serve(ctx, listeners...)
}

func (s proxySettings) socket() string {
	if s.Socket == "" {
		return defaultSocket
	}
	return s.Socket
}

// options reads everything that is asked once.
func (s proxySettings) options(log *slog.Logger) (o proxy.Options, err error) {
	o = proxy.Options{Now: time.Now, Log: log, Engine: inProcess}
	if o.Set, err = profile.Load(s.State, s.BaseURL, s.Model, s.Vectors); err != nil {
		return o, fmt.Errorf("%w: settings:\n%w", errUsage, err)
	}
	if o.Agentd, err = userID(s.Agentd); err != nil {
		return o, fmt.Errorf("%w: AGENTD_PROXY_AGENTD: %w", errUsage, err)
	}
	for _, name := range s.Callers {
		id, err := userID(name)
		if err != nil {
			return o, fmt.Errorf("%w: AGENTD_PROXY_CALLERS: %w", errUsage, err)
		}
		o.Callers = append(o.Callers, id)
	}
	for _, p := range o.Set.Profiles {
		if p.Plain() {
			log.Warn("a model endpoint is reached without encryption", "profile", p.Name, "host", p.Host())
		}
	}
	o.Token, err = s.token()
	return o, err
}

// userID is a user by name or number; the own one when nothing is said.
func userID(name string) (int, error) {
	if name == "" {
		return os.Geteuid(), nil
	}
	if id, err := strconv.Atoi(name); err == nil {
		return id, nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(u.Uid)
}

// token is what callers show: the file that is named, or proxy.token among systemd's credentials or in the state
// directory.
func (s proxySettings) token() (string, error) {
	paths := []string{s.Token}
	if s.Token == "" {
		paths = []string{filepath.Join(os.Getenv("CREDENTIALS_DIRECTORY"), agentd.ProxyTokenFile), filepath.Join(s.State, agentd.ProxyTokenFile)}
	}
	for _, path := range paths {
		if token, err := private(path); err != nil || token != "" {
			return token, err
		}
	}
	return "", fmt.Errorf("%w: there is no %s", errUsage, agentd.ProxyTokenFile)
}

// listen opens the socket, and the loopback where it is wanted.
func (s proxySettings) listen(ctx context.Context, o proxy.Options) ([]net.Listener, error) {
	mode := socket.Own
	if o.Agentd != os.Geteuid() || len(o.Callers) > 0 {
		mode = socket.Shared
	}
	local, err := socket.Listen(ctx, s.socket(), mode)
	if err != nil || s.Addr == "" {
		return []net.Listener{local}, err
	}
	host, _, err := net.SplitHostPort(s.Addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("%w: AGENTD_PROXY_ADDR is %q; it must be an address of the loopback and a port", errUsage, s.Addr), local.Close())
	}
	var lc net.ListenConfig
	tcp, err := lc.Listen(ctx, "tcp", s.Addr)
	if err != nil {
		return nil, errors.Join(err, local.Close())
	}
	return []net.Listener{local, tcp}, nil
}
