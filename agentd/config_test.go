package agentd_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd"
	"gatehouse/agentd/link"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
)

func good() agentd.Config {
	return agentd.Config{State: "/s", Data: "/d", Hub: "http://localhost:8080", SMTPAddr: "127.0.0.1:25", MailFrom: "team@example.com", MetricsAddr: "127.0.0.1:0"}
}

func TestConfig_Check(t *testing.T) {
	t.Parallel()
	if err := good().Check(); err != nil {
		t.Fatalf("a good one: %v", err)
	}
	for name, tc := range map[string]struct {
		change func(*agentd.Config)
		says   string
	}{
		"relative state":         {func(c *agentd.Config) { c.State = "s" }, "AGENTD_STATE"},
		"relative data":          {func(c *agentd.Config) { c.Data = "" }, "AGENTD_DATA"},
		"hub without scheme":     {func(c *agentd.Config) { c.Hub = "localhost:8080" }, "AGENTD_HUB"},
		"mail without port":      {func(c *agentd.Config) { c.SMTPAddr = "localhost" }, "AGENTD_SMTP_ADDR"},
		"mail without sender":    {func(c *agentd.Config) { c.MailFrom = "" }, "AGENTD_MAIL_FROM"},
		"sender no address":      {func(c *agentd.Config) { c.MailFrom = "team" }, "AGENTD_MAIL_FROM"},
		"endpoint without model": {func(c *agentd.Config) { c.ModelBaseURL = "http://m/v1" }, "MODEL_NAME"},
		"model without endpoint": {func(c *agentd.Config) { c.ModelName = "m" }, "MODEL_BASE_URL"},
		"endpoint no URL":        {func(c *agentd.Config) { c.ModelBaseURL, c.ModelName = "m", "m" }, "MODEL_BASE_URL"},
		"too many sub-agents":    {func(c *agentd.Config) { c.Subagents = 65 }, "AGENTD_SUBAGENTS"},
		"metrics for all":        {func(c *agentd.Config) { c.MetricsAddr = ":9090" }, "AGENTD_METRICS_ADDR"},
		"metrics for others":     {func(c *agentd.Config) { c.MetricsAddr = "10.0.0.1:9090" }, "AGENTD_METRICS_ADDR"},
		"values for all":         {func(c *agentd.Config) { c.KV.Address = "http://10.0.0.1:8200" }, "AGENTD_KV_ADDR"},
		"a token for all tools":  {func(c *agentd.Config) { c.KV.TokenFile = "/d/kv.token" }, "AGENTD_KV_TOKEN_FILE is \"/d/kv.token\"; it must not lie in the data folder"},
		"a secret id for tools":  {func(c *agentd.Config) { c.KV.SecretIDFile = "/d/a/../id" }, "AGENTD_KV_SECRET_ID_FILE"},
		"a CA that tools make":   {func(c *agentd.Config) { c.KV.CAFile = "/d/ca.pem" }, "AGENTD_KV_CA_FILE"},
		"all is data":            {func(c *agentd.Config) { c.Data, c.KV.TokenFile = "/", "/run/token" }, "data folder"},
	} {
		c := good()
		tc.change(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestConfig_Check_links: a credential lies in the data folder however one gets there.
func TestConfig_Check_links(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, beside := filepath.Join(dir, "data"), filepath.Join(dir, "data-beside")
	for _, err := range []error{
		os.Mkdir(data, 0o700), os.Mkdir(beside, 0o700), os.Symlink(data, filepath.Join(dir, "link")), os.Symlink(beside, filepath.Join(dir, "other")),
		os.WriteFile(filepath.Join(data, "laid"), nil, 0o600), os.Symlink(filepath.Join(data, "laid"), filepath.Join(beside, "led")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for file, fine := range map[string]bool{"data/laid": false, "link/laid": false, "link/later": false, "other/led": false, "other/later": true, "data-beside/x": true, "data/../x": true} {
		for _, root := range []string{"data", "link"} {
			c := good()
			c.Data, c.KV.TokenFile = filepath.Join(dir, root), dir+"/"+file
			if err := c.Check(); (err == nil) != fine {
				t.Errorf("%s beside %s: %v", file, root, err)
			}
		}
	}
}

func TestHard(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		store.ErrCorrupt: true, store.ErrNewer: true, store.ErrModes: true, &receipt.Broken{Seq: 1}: true, &link.RefusedError{Status: 401}: true, link.ErrNotRegistered: true,
		store.ErrFull: false, store.ErrInUse: false, errors.New("any"): false,
	} {
		if got := agentd.Hard(fmt.Errorf("wrapped: %w", err)); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// TestDefinitions: what explain shows is what a server has.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range agentd.Definitions() {
		if d.Name == "" || d.Doc == "" || len(d.Args) == 0 || seen[d.Name] {
			t.Errorf("definition %+v", d)
		}
		seen[d.Name] = true
	}
	for _, name := range []string{"shell", "file_read", "file_list", "file_write", "file_delete", "message", "agent_dispatch"} {
		if !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
}
