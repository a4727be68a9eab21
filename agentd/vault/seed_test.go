package vault_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/wire"
)

// credentials is what provisioning leaves: one for every tool, some of it awkward.
func credentials(n int) (text string, values map[string]string) {
	var b strings.Builder
	b.WriteString("# made by provisioning\n\n")
	values = map[string]string{}
	for i := range n {
		v := canary(fmt.Sprint("seed", i))
		fmt.Fprintf(&b, "TOOL%d_ADMIN_PASSWORD=%s\n", i, v)
		values[fmt.Sprintf("tool%d.admin_password", i)] = v
	}
	b.WriteString(`QUOTED_ONE='it has $ and "quotes" and # too'` + "\n" + `QUOTED_TWO="two\nlines \"and\" \$HOME \\"` + "\r\n" + "ghost.admin-key=a=b==\n")
	values["quoted.one"], values["quoted.two"], values["ghost.admin-key"] = `it has $ and "quotes" and # too`, "two\nlines \"and\" $HOME \\", "a=b=="
	return b.String(), values
}

func (w *world) leave(text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, vault.SeedFile), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) left() []string {
	w.t.Helper()
	all, err := filepath.Glob(filepath.Join(w.dir, vault.SeedFile+"*"))
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func TestSeed(t *testing.T) {
	t.Parallel()
	w := open(t)
	text, values := credentials(60)
	w.leave(text)
	n, err := w.Seed(t.Context())
	if err != nil || n.New != len(values) || len(w.left()) > 0 {
		t.Fatalf("%d of %d, %v, %v", n.New, len(values), err, w.left())
	}
	if want := []string{"ghost.admin-key"}; !slices.Equal(n.Short, want) {
		t.Errorf("short are %v, want %v", n.Short, want)
	}
	known, err := w.Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range values {
		if i, err := w.Info(t.Context(), name); err != nil || i.Source != vault.FromProvisioning || len(i.Bindings) > 0 {
			t.Errorf("%+v, %v", i, err)
		}
		if !has(known, v) {
			t.Errorf("%s is not what stood in the file", name)
		}
	}
	w.put("tool0.admin_password", canary("rotated"))
	w.leave(text)
	if n, err := w.Seed(t.Context()); err != nil || n.New != 0 || len(w.left()) > 0 {
		t.Errorf("a second time: %d, %v", n.New, err)
	}
	if i, err := w.Info(t.Context(), "tool0.admin_password"); err != nil || i.Version != 2 {
		t.Errorf("an old file has put an old value back: %+v, %v", i, err)
	}
	if n, err := w.Seed(t.Context()); err != nil || n.New != 0 {
		t.Errorf("without a file: %d, %v", n.New, err)
	}
}

// TestSeed_external: a value that provisioning leaves for a secret which comes from the external vault is known to
// redaction and nobody's to use. It keeps agentd from starting as little as it keeps the other values out.
func TestSeed_external(t *testing.T) {
	t.Parallel()
	w := open(t)
	const name = "crm.api_key"
	w.external(name)
	fetched, left := canary("fetched"), canary("left")
	w.see(sighting(name, 1, fetched, ""))
	text, values := credentials(2)
	w.leave(text + "CRM_API_KEY=" + left + "\n")
	if n, err := w.Seed(t.Context()); err != nil || n.New != len(values) || len(w.left()) > 0 {
		t.Fatalf("%d of %d, %v, %v", n.New, len(values), err, w.left())
	}
	if got, err := w.Own(t.Context(), name, "test"); err != nil || got.Reveal() != fetched {
		t.Errorf("another value, or %v", err)
	}
	if known, err := w.Known(t.Context()); err != nil || !has(known, left) {
		t.Errorf("redaction does not know what was left, %v", err)
	}
	audit, err := w.Audit(t.Context(), wire.SecretAuditParams{Name: name, Limit: 50})
	if err != nil || !slices.ContainsFunc(audit.Items, func(i wire.SecretAuditItem) bool { return i.Act == "refuse" }) {
		t.Errorf("%+v, %v", audit, err)
	}
	w.leave(text + "CRM_API_KEY=" + left + "\n")
	if n, err := w.Seed(t.Context()); err != nil || n.New != 0 || len(w.left()) > 0 {
		t.Errorf("a second time: %d, %v", n.New, err)
	}
	if _, err := w.Import(t.Context(), []byte("CRM_API_KEY="+canary("typed")+"\n"), vault.FromOwner, "operator", "import"); !errors.Is(err, vault.ErrElsewhere) {
		t.Errorf("an operator's file: %v", err)
	}
}

// TestSeed_refusals: one bad line, and nothing is taken; the error names the line and nothing of it.
func TestSeed_refusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	secretly := canary("hidden")
	for what, line := range map[string]string{
		"no equals sign": secretly, "lower case": "ghost_key=" + secretly, "export": "export A_B=" + secretly, "no tool": "PASSWORD=" + secretly,
		"a space": "A_B=x " + secretly, "open quote": "A_B='" + secretly, "open double quote": `A_B="` + secretly, "a variable": "A_B=$" + secretly,
		"a command": "A_B=`" + secretly + "`", "nothing": "A_B=", "twice": "GOOD_ONE=" + secretly, "rubbish behind": `A_B="x" ` + secretly,
		"unknown escape": `A_B="\x` + secretly + `"`, "not UTF-8": "A_B=\xff" + secretly, "NUL": "A_B=\x00" + secretly,
	} {
		w.leave("GOOD_ONE=fine\n" + line + "\n")
		n, err := w.Seed(t.Context())
		if !errors.Is(err, vault.ErrInvalid) || n.New != 0 || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %d, %v", what, n.New, err)
		}
		if len(w.left()) != 1 {
			t.Errorf("%s: the file is gone", what)
		}
	}
	if all, err := w.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestSeed_modes(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.leave("A_B=x\n")
	path := filepath.Join(w.dir, vault.SeedFile)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Seed(t.Context()); !errors.Is(err, vault.ErrModes) {
		t.Errorf("others may read it: %v", err)
	}
	if err := errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Seed(t.Context()); err == nil {
		t.Error("a link was followed")
	}
}
