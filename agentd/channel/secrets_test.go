package channel_test

import (
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// TestSecrets: a kind with several secrets takes an object of them. What is left empty stays as it was, as long as the account does; one
// that is missing, or that nobody knows, is refused and changes nothing.
func TestSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := newPost(dir)
	p.secrets = []string{"bot_token", "app_token"}
	w := startIn(t, dir, p)
	kept := func() map[string]secret.Value {
		t.Helper()
		v, err := keys{w}.Key(t.Context(), wire.ChannelSecretName(wire.ChannelEmail))
		if err != nil {
			t.Fatal(err)
		}
		return channel.Fields(v)
	}
	put := func(box, account string, version int64) error {
		t.Helper()
		a := putting(wire.ChannelPairing)
		a.Chat.Account, a.Version = account, version
		w.box = box
		_, err := w.act(a)
		return err
	}
	for what, box := range map[string]string{
		"one alone": `{"bot_token":"first-bot","app_token":" "}`, "no object": "first-bot", "a text in its place": `{"bot_token":1,"app_token":"x"}`,
		"one more": `{"bot_token":"first-bot","app_token":"first-app","other":"x"}`,
	} {
		if err := put(box, "A1", 0); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
	if err := put(`{"bot_token":"first-bot","app_token":"first-app"}`, "A1", 0); err != nil {
		t.Fatal(err)
	}
	if err := put(`{"bot_token":"second-bot","app_token":""}`, "A1", 1); err != nil {
		t.Fatal(err)
	}
	if got := kept(); got["bot_token"].Reveal() != "second-bot" || got["app_token"].Reveal() != "first-app" {
		t.Errorf("%d fields are kept, and not the new one with the former", len(got))
	}
	if err := put(`{"bot_token":"other-bot","app_token":""}`, "A2", 2); err == nil {
		t.Error("a secret of another account goes on with the new one")
	}
	if got := kept(); got["bot_token"].Reveal() != "second-bot" {
		t.Error("a refusal changed what is kept")
	}
}
