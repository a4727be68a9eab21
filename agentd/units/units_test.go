package units

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// analyze runs systemd-analyze. Without it the test fails: that a unit was never checked must not look like a good one.
func analyze(t *testing.T, args ...string) (string, error) {
	t.Helper()
	bin, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Fatal("systemd-analyze is missing, so the shipped units were not checked: install the package systemd")
	}
	out, err := exec.Command(bin, args...).CombinedOutput()
	return string(out), err
}

// limits are the exposure levels that the units must stay below, in tenths: the proxy needs a network and nothing else;
// agentd makes namespaces for the programs that it confines; the firewall's is root, with no right but that over rules; the one that
// wipes is root over all files, and reaches nobody.
var limits = map[string]string{
	"agentd-llm-proxy.service": "15", "agentd.service": "27", "agentd-firewall.service": "20",
	"agentd-containers.service": "15", "agentd-certificate.service": "15",
	"agentd-wipe.service": "50",
}

func TestUnits_security(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	for name, limit := range limits {
		out, err := analyze(t, "security", "--offline=true", "--no-pager", "--threshold="+limit, filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		said := out[max(strings.LastIndex(out, "→"), 0):]
		t.Logf("%s", strings.TrimSpace(said))
	}
	loose := filepath.Join(dir, "loose.service")
	if err := os.WriteFile(loose, []byte("[Service]\nExecStart=/bin/true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := analyze(t, "security", "--offline=true", "--no-pager", "--threshold=27", loose); err == nil {
		t.Errorf("a unit without any protection passes: %s", out)
	}
}

func TestUnits_apart(t *testing.T) {
	t.Parallel()
	agentd, err1 := Text("agentd.service")
	proxy, err2 := Text("agentd-llm-proxy.service")
	firewall, err3 := Text("agentd-firewall.service")
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string]bool{
		"agentd is given the provider's key":      strings.Contains(agentd, "LoadCredential=model.key"),
		"the proxy is given the vault's key":      strings.Contains(proxy, "LoadCredential=vault.key"),
		"both have one user":                      !strings.Contains(agentd, "User=agentd\n") || !strings.Contains(proxy, "User=agentd-llm-proxy\n"),
		"the proxy sees agentd's state":           !strings.Contains(proxy, "InaccessiblePaths=-/var/lib/agentd "),
		"agentd sees the proxy's state":           !strings.Contains(agentd, "InaccessiblePaths=-/var/lib/agentd-llm-proxy"),
		"a hard fault is started again (agentd)":  !strings.Contains(agentd, "RestartPreventExitStatus=78"),
		"a hard fault is started again (proxy)":   !strings.Contains(proxy, "RestartPreventExitStatus=78"),
		"core files are written":                  !strings.Contains(agentd, "LimitCORE=0") || !strings.Contains(proxy, "LimitCORE=0"),
		"agentd could do without the proxy":       !strings.Contains(agentd, "AGENTD_PROXY_SOCKET=") || !strings.Contains(proxy, "AGENTD_PROXY_SOCKET="),
		"the metadata address can be reached":     !strings.Contains(agentd, "169.254.169.254") || !strings.Contains(proxy, "169.254.0.0/16"),
		"agentd starts before the rules":          !strings.Contains(agentd, "\nWants=network-online.target agentd-llm-proxy.service agentd-firewall.service\n"),
		"the proxy starts before the rules":       !strings.Contains(proxy, "\nWants=network-online.target agentd-firewall.service\n"),
		"the rules come after their users":        !strings.Contains(firewall, "\nBefore=agentd.service agentd-llm-proxy.service\n"),
		"the proxy may listen without being told": !strings.Contains(proxy, "SocketBindDeny=any"),
	} {
		if bad {
			t.Error(what)
		}
	}
}

func TestWrite_keepsWhatAnOperatorChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	changed := filepath.Join(dir, "agentd.service")
	if err := os.WriteFile(changed, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir); err == nil || !strings.Contains(err.Error(), "agentd.service is there and differs") {
		t.Errorf("%v", err)
	}
	if b, err := os.ReadFile(changed); err != nil || string(b) != "mine" {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "agentd-llm-proxy.service")); err != nil || len(b) == 0 {
		t.Errorf("the others were not written: %v", err)
	}
}
