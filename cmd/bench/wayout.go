package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gopkg.in/yaml.v3"

	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/llm/socket"
	"gatehouse/agentd/redact"
)

// knownSecrets is how many values the proxy has to look for.
const knownSecrets = 200

// wayOut is the shipped model proxy as a process of its own, with its settings, and a client at its socket.
type wayOut struct {
	cmd    *exec.Cmd
	dir    string
	client *http.Client
}

const wayToken = "caller-of-the-bench"

// openWay starts a proxy with these settings and hands it a registry.
func openWay(ctx context.Context, s *Stage, set profile.Set) (*wayOut, error) {
	dir, err := os.MkdirTemp(s.dir, "proxy-")
	if err != nil {
		return nil, err
	}
	w := &wayOut{dir: dir}
	settings, err := yaml.Marshal(set)
	if err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{profile.File: settings, "proxy.token": []byte(wayToken)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	w.cmd = exec.Command(filepath.Join(s.bench.bin, "agentd"), "llm-proxy") //nolint:noctx // it is ended by Close
	w.cmd.Env = []string{"PATH=/usr/bin:/bin", "AGENTD_PROXY_STATE=" + dir, "AGENTD_PROXY_SOCKET=" + filepath.Join(dir, "s"), "LOG_LEVEL=error"}
	w.cmd.Stderr = os.Stderr
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // a killed bench leaves no proxy
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	w.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return socket.Dial(ctx, filepath.Join(dir, "s"))
	}}}
	if err := w.handOver(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// handOver asks until the proxy is there and knows the secrets.
func (w *wayOut) handOver(ctx context.Context) error {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // values to look for, not to keep
	var known []redact.Known
	for i := range knownSecrets {
		known = append(known, redact.Known{Name: fmt.Sprintf("tool%d.key", i), Value: fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())})
	}
	body, err := json.Marshal(proxy.Registry{Known: known})
	if err != nil {
		return err
	}
	limit := time.Now().Add(answerLimit)
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://localhost"+proxy.RegistryPath, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+wayToken)
		res, err := w.client.Do(req)
		if err == nil {
			_ = res.Body.Close() // the status says it
			if res.StatusCode == http.StatusNoContent {
				return nil
			}
			err = errors.New(res.Status)
		}
		if time.Now().After(limit) {
			return fmt.Errorf("the model proxy does not take the registry: %w", err)
		}
		time.Sleep(5 * time.Millisecond) // asked again until it listens
	}
}

// Close ends the proxy as a service manager does.
func (w *wayOut) Close() error {
	err := w.cmd.Process.Signal(syscall.SIGTERM)
	_ = w.cmd.Wait() // it was told to end
	return errors.Join(err, os.RemoveAll(w.dir))
}

// first sends a request and says how long it took until the first piece of the answer was there.
func first(ctx context.Context, c *http.Client, url string, body []byte) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+wayToken)
	req.Header.Set("Content-Type", "application/json")
	begin := time.Now()
	res, err := c.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.ReadFull(res.Body, make([]byte, 6)); err != nil {
		return 0, err
	}
	took := time.Since(begin)
	rest, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", res.Status, rest)
	}
	return took, err
}

// conversation is a request of about size bytes: mails, logs and answers, and at its end a message that is new.
func conversation(model string, size, turn int) []byte {
	type entry struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	all := []entry{{"system", "You help a small bakery with its files and letters."}}
	for n, i := 0, 0; n < size; i++ {
		role := []string{"user", "assistant"}[i%2]
		line := fmt.Sprintf("%d: order of 12 loaves for Tuesday at 08:%02d, paid, note \"ring twice\", level=info path=/srv/orders/%d.json status=200\n", i, i%60, i)
		text := strings.Repeat(line, 12)
		all = append(all, entry{role, text})
		n += len(text)
	}
	all = append(all, entry{"user", fmt.Sprintf("And what about day %d?", turn)})
	b, _ := json.Marshal(map[string]any{"model": model, "stream": true, "messages": all}) // strings
	return b
}
