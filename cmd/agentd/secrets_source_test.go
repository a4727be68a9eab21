package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/llm/via"
	"gatehouse/agentd/vault/external/fakekv"
	"gatehouse/agentd/wire"
)

// says runs a command of the shipped binary that ends with this code, and wants these words of it.
func (s *server) says(code int, words string, args ...string) {
	s.t.Helper()
	out, got := s.tool(args...)
	if got != code || !strings.Contains(out, words) || strings.Contains(out, "canary") {
		s.t.Fatalf("%v: exit %d\n%s", args, got, out)
	}
}

// TestProcess_external runs the shipped binary beside an external vault: it fetches, follows, starts while the external
// vault is away, and says so. No value and no credential is in a file, in the log, in what the hub was sent or in what
// other processes see.
func TestProcess_external(t *testing.T) {
	t.Parallel()
	kv := fakekv.New(t, false, time.Now)
	roleID, secretID := kv.Role(time.Hour, 0)
	id := filepath.Join(t.TempDir(), "secret-id")
	if err := os.WriteFile(id, []byte(secretID+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	kv.Put("apps/crm", map[string]any{"key": "canary-" + rand.Text()})
	h := newHub(t)
	s := start(t, h, "AGENTD_KV_ADDR="+kv.URL, "AGENTD_KV_MOUNT="+fakekv.Mount, "AGENTD_KV_NAMESPACE="+fakekv.Namespace, "AGENTD_KV_ROLE_ID="+roleID, "AGENTD_KV_SECRET_ID_FILE="+id)
	at := []string{"--state", s.state}
	do := func(name string, args ...string) []string {
		return append(append([]string{"secrets", name}, at...), args...)
	}
	s.says(0, "crm.api_key comes from apps/crm#key, version 1 there", do("source", "crm.api_key", "apps/crm#key")...)
	kv.Put("apps/crm", map[string]any{"key": "canary-" + rand.Text()})
	s.says(0, "version 2 there", do("refresh")...)
	s.says(0, "external version 1", do("versions", "crm.api_key")...)
	s.says(1, "it is changed there", do("generate", "crm.api_key")...)
	if r := h.ask(wire.MethodSecretsGenerate, wire.SecretGenerate{Name: "crm.api_key"}); r.Error == nil || !strings.Contains(r.Error.Text, "kept in another password store") {
		t.Errorf("%+v", r)
	}
	s.says(1, "no such secret in the external vault", do("source", "crm.other", "apps/none#key")...) // exit 1: it does not stand
	s.command("", do("remove", "crm.other")...)
	s.kill()
	kv.Seal(true)
	s.back()
	s.says(1, "crm.api_key comes from apps/crm#key: the external vault is sealed", do("refresh")...)
	if out, _ := s.tool("doctor", "--state", s.state, "--data", s.data); !strings.Contains(out, "warn  external") || !strings.Contains(out, "Unseal it") {
		t.Error(out)
	}
	list := s.secrets()
	if len(list) != 1 || list[0].Origin == nil || list[0].Origin.Version != 2 || !strings.Contains(list[0].Origin.Trouble, "sealed") {
		t.Errorf("%+v", list)
	}
	s.command(typed, do("set", "crm.api_key")...)
	if list := s.secrets(); list[0].Origin != nil || list[0].Version != 3 {
		t.Errorf("%+v", list[0])
	}
	s.noCanary()
	s.noWord(secretID)
}

// noWord looks where a credential could have got to: what the hub was sent, the log, the state, the process.
func (s *server) noWord(word string) {
	s.t.Helper()
	s.hub.mu.Lock()
	sent, err := json.Marshal(s.hub.got)
	s.hub.mu.Unlock()
	if err != nil || strings.Contains(string(sent), word) || strings.Contains(string(sent), "canary") {
		s.t.Errorf("the hub was sent what it must not see, %v", err)
	}
	db, err := os.ReadFile(filepath.Join(s.state, "agentd.db"))
	if err != nil || strings.Contains(string(db), word) || strings.Contains(s.log.String(), word) {
		s.t.Errorf("the credential stands in the state or in the log, %v", err)
	}
	for _, what := range []string{"cmdline", "environ"} {
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.cmd.Process.Pid, what)); strings.Contains(string(b), word) {
			s.t.Errorf("%s holds the credential, %v", what, err)
		}
	}
}

// TestSecrets_sourceAlone: without an agentd that runs, a secret can be told where it comes from, and be taken back.
func TestSecrets_sourceAlone(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	if out := want(t, "", "secrets", "source", "--state", dir, "--kind", "token", "crm.api_key", "apps/crm#key"); !strings.Contains(out, "from apps/crm#key: not fetched yet") {
		t.Error(out)
	}
	if out := want(t, "", "secrets", "list", "--state", dir); !strings.Contains(out, "from apps/crm#key: not fetched yet") || !strings.Contains(out, "token") {
		t.Error(out)
	}
	for _, args := range [][]string{{"rotate", "crm.api_key"}, {"generate", "crm.api_key"}, {"source", "crm.api_key", "apps/crm"}, {"source", "crm.api_key", "../sys#x"}, {"refresh"}} {
		out, errOut, code := invoke(t, typed, append([]string{"secrets", args[0], "--state", dir}, args[1:]...)...)
		if code == 0 || strings.Contains(out+errOut, "canary") {
			t.Errorf("%v: exit %d, %s%s", args, code, out, errOut)
		}
	}
	if out := want(t, typed, "secrets", "set", "--state", dir, "crm.api_key"); !strings.Contains(out, "does not come from apps/crm#key") {
		t.Error(out)
	}
}

// asksProxy lets another program on the server send words to the model through agentd's own model proxy.
func (s *server) asksProxy(words string) error {
	token, err := os.ReadFile(filepath.Join(s.state, "proxy", agentd.ProxyTokenFile))
	if err != nil {
		return err
	}
	c := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", agentd.OwnProxySocket(s.state))
	}}}
	body := fmt.Sprintf(`{"model":"scripted","stream":true,"messages":[{"role":"user","content":%q}]}`, words)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, via.Base+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	req.Header.Set("Content-Type", "application/json")
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// TestProcess_externalToModel: the model proxy, a process of its own, takes a fetched value out of what it sends, as soon
// as the command that fetched it has returned, and after a restart without the external vault too. Nothing but the
// registry could know these words.
func TestProcess_externalToModel(t *testing.T) {
	t.Parallel()
	kv := fakekv.New(t, false, time.Now)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(kv.Token(0, 0, false)), 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := "nine quiet herons by the river", "seven loud geese on the lawn"
	kv.Put("apps/crm", map[string]any{"key": first})
	e := newEndpoint(t)
	s := start(t, newHub(t), "MODEL_BASE_URL="+e.srv.URL+"/v1", "MODEL_NAME=scripted",
		"AGENTD_KV_ADDR="+kv.URL, "AGENTD_KV_MOUNT="+fakekv.Mount, "AGENTD_KV_NAMESPACE="+fakekv.Namespace, "AGENTD_KV_TOKEN_FILE="+file)
	taken := func() {
		t.Helper()
		soon(t, "the model proxy answers", func() bool { return s.asksProxy("I like "+first+" and "+second+".") == nil })
		sent := e.heard()
		if strings.Contains(sent, second) || strings.Contains(sent, first) || strings.Count(sent, "[SECRET:crm.api_key") != 2 {
			t.Errorf("the model got %s", sent)
		}
	}
	s.says(0, "version 1 there", "secrets", "source", "--state", s.state, "crm.api_key", "apps/crm#key")
	kv.Put("apps/crm", map[string]any{"key": second})
	s.says(0, "version 2 there", "secrets", "refresh", "--state", s.state)
	taken()
	s.kill()
	kv.Seal(true)
	s.back()
	taken()
}
