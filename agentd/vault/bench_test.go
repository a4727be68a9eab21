package vault_test

import (
	"database/sql"
	"fmt"
	"os"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/store"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// filled is a vault with 500 secrets, one of them bound.
func filled(b *testing.B) (*store.DB, *vault.Vault, gate.Use) {
	b.Helper()
	dir := b.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	db, err := store.Open(dir, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	v, err := vault.Open(b.Context(), db, vault.Keys{Dir: dir}, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	var lines []byte
	for i := range 500 {
		lines = fmt.Appendf(lines, "TOOL%d_KEY=%s\n", i, canary(fmt.Sprint(i)))
	}
	if _, err := v.Import(b.Context(), lines, vault.FromOwner, "bench", ""); err != nil {
		b.Fatal(err)
	}
	to := wire.SecretBinding{Tool: "http_request", Scheme: "https", Host: "crm.example.com", Port: 443, Header: "X-Key"}
	if _, err := v.Bind(b.Context(), "tool7.key", []wire.SecretBinding{to}, "", "bench"); err != nil {
		b.Fatal(err)
	}
	return db, v, gate.Use{Name: "tool7.key", Tool: to.Tool, Scheme: to.Scheme, Host: to.Host, Port: to.Port, Header: to.Header}
}

// BenchmarkLease is what a call with one secret costs: checked, granted and used, each durable.
func BenchmarkLease(b *testing.B) {
	db, v, u := filled(b)
	for i := range b.N {
		if err := v.Check(b.Context(), []gate.Use{u}); err != nil {
			b.Fatal(err)
		}
		id := fmt.Sprint("call-", i)
		var got []gate.Lease
		err := db.Write(b.Context(), func(tx *sql.Tx) (err error) {
			got, err = v.Grant(b.Context(), tx, gate.Call{ID: id}, []gate.Use{u})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		if val, err := v.Value(b.Context(), id, got[0]); err != nil || val.Empty() {
			b.Fatal(err)
		}
	}
}

// BenchmarkPut is a new version in a vault of 500.
func BenchmarkPut(b *testing.B) {
	_, v, _ := filled(b)
	for i := range b.N {
		if _, err := v.Put(b.Context(), vault.New{Name: "tool9.key", Value: secret.New(canary(fmt.Sprint("n", i))), By: "bench"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRekey wraps 500 data keys anew.
func BenchmarkRekey(b *testing.B) {
	_, v, _ := filled(b)
	for range b.N {
		if err := v.Rekey(b.Context(), nil, "bench"); err != nil {
			b.Fatal(err)
		}
	}
}
