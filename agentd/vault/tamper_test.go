package vault_test

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"gatehouse/agentd/store"
	"gatehouse/agentd/vault"
)

// exec changes the rows behind the vault's back.
func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	err := w.db.Write(w.t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(w.t.Context(), query, args...)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// blob reads one value of one row.
func (w *world) blob(query string) []byte {
	w.t.Helper()
	var b []byte
	if err := w.db.Read().QueryRowContext(w.t.Context(), query).Scan(&b); err != nil {
		w.t.Fatal(err)
	}
	return b
}

// tampered fails unless the vault refuses to open and to be changed, as a hard fault.
func (w *world) tampered(what string) {
	w.t.Helper()
	if _, err := w.Put(w.t.Context(), newValue("z.z")); !errors.Is(err, vault.ErrTampered) {
		w.t.Errorf("%s: a running vault takes changes: %v", what, err)
	}
	if err := w.again(); !errors.Is(err, vault.ErrTampered) || !store.Hard(err) {
		w.t.Errorf("%s: opens with %v", what, err)
	}
}

// TestTamper_swap, roll back, add, remove: each is an error, not another secret.
func TestTamper(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]func(w *world){
		"two values swapped": func(w *world) {
			w.exec("UPDATE vault_versions SET sealed = (SELECT v.sealed FROM vault_versions v WHERE v.secret_id <> vault_versions.secret_id AND v.n = 1), dek = (SELECT v.dek FROM vault_versions v WHERE v.secret_id <> vault_versions.secret_id AND v.n = 1) WHERE n = 1")
		},
		"two names swapped": func(w *world) {
			w.exec("UPDATE vault_secrets SET name = 'x' WHERE name = 'a.a'")
			w.exec("UPDATE vault_secrets SET name = 'a.a' WHERE name = 'b.b'")
			w.exec("UPDATE vault_secrets SET name = 'b.b' WHERE name = 'x'")
		},
		"two versions swapped": func(w *world) {
			w.exec("UPDATE vault_versions SET n = 9 WHERE n = 1 AND secret_id = (SELECT id FROM vault_secrets WHERE name = 'a.a')")
			w.exec("UPDATE vault_versions SET n = 1 WHERE n = 2 AND secret_id = (SELECT id FROM vault_secrets WHERE name = 'a.a')")
			w.exec("UPDATE vault_versions SET n = 2 WHERE n = 9")
		},
		"a secret deleted":  func(w *world) { w.exec("DELETE FROM vault_secrets WHERE name = 'b.b'") },
		"a version deleted": func(w *world) { w.exec("DELETE FROM vault_versions WHERE n = 2") },
		"all deleted":       func(w *world) { w.exec("DELETE FROM vault_secrets") },
		"the state deleted": func(w *world) { w.exec("DELETE FROM vault_state") },
		"bound elsewhere": func(w *world) {
			w.exec(`UPDATE vault_secrets SET meta = json_set(meta, '$.bindings', json('[{"tool":"http_request","scheme":"https","host":"evil.test","port":443,"header":"Authorization"}]')) WHERE name = 'a.a'`)
		},
		"another version current": func(w *world) {
			w.exec("UPDATE vault_secrets SET meta = json_set(meta, '$.current', 1) WHERE name = 'a.a'")
		},
		"the version counted up": func(w *world) { w.exec("UPDATE vault_state SET version = version + 1") },
		"the root replaced":      func(w *world) { w.exec("UPDATE vault_state SET root = zeroblob(32)") },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := three(t)
			spoil(w)
			if what == "the state deleted" {
				if err := w.again(); err == nil {
					t.Error("opens as an empty vault")
				}
				return
			}
			w.tampered(what)
		})
	}
}

// three is a vault with two secrets, one of them in two versions.
func three(t *testing.T) *world {
	t.Helper()
	w := open(t)
	w.put("a.a", canary("one"))
	w.put("a.a", canary("two"))
	w.put("b.b", canary("three"))
	return w
}

// TestTamper_oneRowBack puts one secret back to exactly what it was, meta and versions: an older password that has
// leaked would work again.
func TestTamper_oneRowBack(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put("a.a", canary("one"))
	w.put("b.b", canary("other"))
	meta := w.blob("SELECT meta FROM vault_secrets WHERE name = 'a.a'")
	w.put("a.a", canary("two"))
	w.exec("UPDATE vault_secrets SET meta = ? WHERE name = 'a.a'", string(meta))
	w.exec("DELETE FROM vault_versions WHERE n = 2")
	w.tampered("one row back")
}

// TestTamper_wholeVaultBack: a running agentd does not go back either, though every row fits.
func TestTamper_wholeVaultBack(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put("a.a", canary("one"))
	meta := w.blob("SELECT meta FROM vault_secrets")
	var version int64
	if err := w.db.Read().QueryRowContext(t.Context(), "SELECT version FROM vault_state").Scan(&version); err != nil {
		t.Fatal(err)
	}
	root := w.blob("SELECT root FROM vault_state")
	w.put("a.a", canary("two"))
	w.exec("DELETE FROM vault_versions WHERE n = 2")
	w.exec("UPDATE vault_secrets SET meta = ?", string(meta))
	w.exec("UPDATE vault_state SET root = ?, version = ?", root, version)
	if _, err := w.List(t.Context()); !errors.Is(err, vault.ErrTampered) {
		t.Errorf("goes back: %v", err)
	}
}

// TestTamper_bits flips a bit in every byte of a value, its data key, the root and the key for boxes.
func TestTamper_bits(t *testing.T) {
	t.Parallel()
	put := func(w *world) error { _, err := w.Put(t.Context(), newValue("z.z")); return err }
	box := func(w *world) error { _, _, err := w.BoxKey(t.Context()); return err }
	for _, c := range []struct {
		table, column string
		try           func(*world) error
	}{
		{"vault_versions", "sealed", put},
		{"vault_versions", "dek", put},
		{"vault_state", "root", put},
		{"vault_box_key", "sealed", box},
		{"vault_box_key", "dek", box},
	} {
		w := open(t)
		w.put("a.a", canary("one"))
		if err := box(w); err != nil {
			t.Fatal(err)
		}
		w.bits(c.table, c.column, c.try)
	}
}

func (w *world) bits(table, column string, try func(*world) error) {
	w.t.Helper()
	good := w.blob(fmt.Sprintf("SELECT %s FROM %s", column, table))
	for i := range good {
		bad := append([]byte{}, good...)
		bad[i] ^= 1 << (i % 8)
		w.exec(fmt.Sprintf("UPDATE %s SET %s = ?", table, column), bad)
		if err := try(w); !errors.Is(err, vault.ErrTampered) {
			w.t.Fatalf("%s.%s, byte %d: %v", table, column, i, err)
		}
	}
	w.exec(fmt.Sprintf("UPDATE %s SET %s = ?", table, column), good)
	if err := try(w); err != nil {
		w.t.Fatalf("%s as it was: %v", table, err)
	}
}

// TestAudit_isKept: what was noted can be neither changed nor removed.
func TestAudit_isKept(t *testing.T) {
	t.Parallel()
	w := three(t)
	for _, q := range []string{"UPDATE vault_audit SET by = 'nobody'", "DELETE FROM vault_audit"} {
		err := w.db.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), q)
			return err
		})
		if err == nil {
			t.Errorf("%s: done", q)
		}
	}
}
