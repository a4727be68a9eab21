package agentd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gatehouse/agentd/config"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/rehearsal"
	"gatehouse/agentd/llm/via"
)

// KeyFile is the file that holds the key of the provider of MODEL_BASE_URL, in the model proxy's state directory. An
// operator may lay it into agentd's: it is moved where it belongs before anything else happens.
const KeyFile = "model.key"

// ProxyTokenFile is the file with what callers show to the model proxy.
const ProxyTokenFile = "proxy.token"

// proxyDir is the state directory of a model proxy that agentd runs itself, and proxySocket its socket there.
const (
	proxyDir    = "proxy"
	proxySocket = "proxy.sock"
)

// OwnProxySocket is the socket of the model proxy that the agentd of a state directory runs itself.
func OwnProxySocket(stateDir string) string { return filepath.Join(stateDir, proxyDir, proxySocket) }

// openModel makes the one model that all agents use. A real one is reached through the model proxy alone; a half-set or
// failing endpoint never falls back to rehearsal.
func (d *Daemon) openModel() (llm.Provider, error) {
	if d.cfg.ModelName == "" {
		return counted{rehearsal.New(d.cfg.Pause), d}, nil
	}
	socket, tokenFile := d.cfg.ProxySocket, d.cfg.ProxyTokenFile
	if socket == "" {
		if err := d.ownProxy(); err != nil {
			return nil, err
		}
		socket, tokenFile = OwnProxySocket(d.cfg.State), filepath.Join(d.cfg.State, proxyDir, ProxyTokenFile)
	}
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		return nil, fmt.Errorf("read the model proxy's token: %w", err)
	}
	d.way = via.New(via.Options{Socket: socket, Token: strings.TrimSpace(string(token)), Log: d.log})
	if err := d.vault.Subscribe(d.way.Learn); err != nil {
		return nil, err
	}
	d.live.Subscribe(func(s config.State) {
		d.way.Limit(limitsOf(s.Config()))
		d.pauses.look()
	})
	d.way.Limit(limitsOf(d.config()))
	return d.way.Provider(d.cfg.ModelName, llm.Limits{})
}

// ownProxy prepares a model proxy that runs as agentd's child, where no service manager runs one.
func (d *Daemon) ownProxy() error {
	dir := filepath.Join(d.cfg.State, proxyDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the model proxy's directory: %w", err)
	}
	err := os.Rename(filepath.Join(d.cfg.State, KeyFile), filepath.Join(dir, KeyFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("move the model's key to the model proxy: %w", err)
	}
	bin, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find agentd's own program: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, ProxyTokenFile), []byte(rand.Text()+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the model proxy's token: %w", err)
	}
	d.child = &via.Child{Command: []string{bin, "llm-proxy"}, Output: os.Stderr, Log: d.log, Env: []string{
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC", "AGENTD_PROXY_TIED=1",
		"AGENTD_PROXY_STATE=" + dir, "AGENTD_PROXY_SOCKET=" + OwnProxySocket(d.cfg.State), "AGENTD_PROXY_AGENTD=" + strconv.Itoa(os.Geteuid()),
		"MODEL_BASE_URL=" + d.cfg.ModelBaseURL, "MODEL_NAME=" + d.cfg.ModelName, "MODEL_EMBEDDINGS=" + d.cfg.Embeddings,
	}}
	return nil
}

// keepWay keeps the way to models open until ctx ends.
func (d *Daemon) keepWay(ctx context.Context) error {
	if d.way != nil {
		d.way.Run(ctx)
	}
	return nil
}

// keepProxy keeps agentd's own model proxy running until ctx ends.
func (d *Daemon) keepProxy(ctx context.Context) error {
	if d.child != nil {
		d.child.Run(ctx)
	}
	return nil
}
