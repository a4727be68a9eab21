package counter_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// TestDelete: nobody but the owner takes a secret out of use, and only the one that was signed for. Then it is in no list, and
// nobody gets its value; texts stay clean of it.
func TestDelete(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, name := range []string{"db.password", "shop.api_key"} {
		w.Set(name, value)
	}
	deletion := func(name, signed string) wire.SecretDelete {
		body, err := wire.SecretDeleteBody(wire.SecretDelete{Name: signed})
		if err != nil {
			t.Fatal(err)
		}
		d := wire.SecretDelete{Name: name, By: owner}
		if signed != "" {
			d.Signature = w.sign(wire.ChangeSecretDelete, body)
		}
		return d
	}
	for what, d := range map[string]wire.SecretDelete{
		"unsigned": deletion("db.password", ""), "signed for another": deletion("db.password", "shop.api_key"),
	} {
		if _, err := ask[wire.SecretDeleted](w, wire.MethodSecretsDelete, d); code(err) != "signature_required" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := ask[wire.SecretDeleted](w, wire.MethodSecretsDelete, deletion("db.password", "db.password")); err != nil {
		t.Fatal(err)
	}
	all, err := ask[wire.SecretsResult](w, wire.MethodSecretsList, nil)
	if err != nil || len(all.Items) != 1 || all.Items[0].Name != "shop.api_key" {
		t.Errorf("%+v, %v", all.Items, err)
	}
	if _, err := w.reveal("db.password", func(*wire.SecretReveal) {}); code(err) != "not_found" {
		t.Errorf("revealed after that: %v", err)
	}
	if _, err := ask[wire.SecretDeleted](w, wire.MethodSecretsDelete, deletion("db.password", "db.password")); code(err) != "not_found" {
		t.Errorf("deleted twice: %v", err)
	}
	w.kinds(t, "secret.deleted")
	known, err := w.Vault.Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text := redact.NewWith(known).Text("it was " + value); strings.Contains(text, value) {
		t.Error("the value is no longer taken out of texts")
	}
}
