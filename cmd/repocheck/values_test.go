package repocheck

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// inClear is what hub code may hold in clear although it has the name of a secret. None of it is a value that an owner
// keeps in the vault: such a value passes the hub as a wire.SecretBox and as nothing else.
var inClear = map[string]string{ // folder and name → what it is
	"app/account Password":                  "the same, of somebody who signs up",
	"app/account PasswordHash":              "a hash",
	"app/account password":                  "what a person signs in with, on its way to the hash",
	"app/account secret":                    "an API token, on its way to the hash",
	"app/approver Credential":               "the public id of a passkey",
	"app/credential password":               "what a person signs in with, asked anew",
	"app/modelkey Secret":                   "a key of the operator's at the model provider, which db keeps sealed",
	"app/provider/openaiorg/orgtest Secret": "a key of a provider in tests",
	"app/provider/mailer Password":          "the operator's sign-in at the mail server",
	"app/provider/vpshost/local secret":     "the one-time token that registers a server, and the operator's model key",
	"app/second Secret":                     "the second factor of somebody, which db keeps sealed",
	"app/second secret":                     "the second factor, to check a code",
	"app/signin secret":                     "the session of a browser, on its way to the hash",
	"app/staff Password":                    "what a new member of the staff will sign in with",
	"app/staff password":                    "what our staff sign in with",
	"app/staff passwordHash":                "a hash",
	"app/web/admin credential":              "the public id of a passkey",
	"app/web/api Credential":                "the public id of a passkey",
	"app/web/inbox password":                "what a person signs in with, asked anew",
	"app/web/portal/account credential":     "the public id of a passkey",
	"app/web/portal/credential password":    "what a person signs in with, asked again",
	"app/web/public password":               "the same, on the pages that sign in",
	"app/web/session secret":                "the session of a browser",
	"cmd/hub SMTPPassword":                  "the operator's sign-in at the mail server",
	"cmd/hub/dev Password":                  "sign-ins of the demo",
	"cmd/hub/devmail Password":              "of the demo's own mailbox, on loopback",
	"cmd/hub/devmail password":              "the same",
	"cmd/hub/dev TOTPSecret":                "the second factor of the demo",
	"db Credential":                         "the public id of a passkey",
	"db PasswordHash":                       "a hash",
	"db TOTPSecret":                         "sealed with the hub's own key",
	"db plain":                              "what the hub's own key seals: the second factor of our staff",
	"db secret":                             "the second factor, sealed and opened here",
	"migrations credential":                 "the public id of a passkey",
	"migrations password_hash":              "a hash",
	"migrations totp_secret":                "sealed with the hub's own key",
	"migrations value":                      "a setting of the hub: a number of minutes",
	"views/admin Secret":                    "a new API token of our staff, shown once to who asked for it",
	"views/portal/account Secret":           "a new API token, shown once to who asked for it",
	"views/ui secret":                       "a new API token, shown once to who asked for it",
}

// demoMailbox gives the demo's server the password of the demo's own mailbox, as its owner's browser would.
const demoMailbox = "cmd/hub/dev_mailbox.go"

// TestValues: hub code has no place for an owner's secret in clear. No field, parameter, type, form field or column is
// named like one and holds text, but for what is listed; and nothing there opens or closes a box.
func TestValues(t *testing.T) {
	t.Parallel()
	seen := map[string]string{} // folder and name → where
	for _, s := range allSources(t) {
		if !inHub(s.path) {
			continue
		}
		for _, name := range s.secretTexts() {
			seen[path.Dir(s.path)+" "+name] = s.path
		}
		for _, u := range s.uses(false) {
			if s.path == demoMailbox {
				continue
			}
			if u == "gatehouse/agentd/wire.OpenSecret" || u == "gatehouse/agentd/wire.SealSecret" {
				t.Errorf("%s uses %s: values are sealed and opened in browsers and on servers", s.path, u)
			}
		}
	}
	for name, where := range secretColumns(t) {
		seen["migrations "+name] = where
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if inClear[name] == "" {
			t.Errorf("%s: %s holds a secret in clear", seen[name], name)
		}
	}
	for name := range inClear {
		if seen[name] == "" {
			t.Errorf("there is no %s any more: take it off the list", name)
		}
	}
}

// inHub says whether a file is part of the hub, or says what passes it between browsers and vaults.
func inHub(file string) bool {
	return file == "agentd/wire/secret.go" || slices.ContainsFunc([]string{"app/", "db/", "jobs/", "views/", "cmd/hub/"}, func(dir string) bool { return strings.HasPrefix(file, dir) })
}

// TestValues_areSeen: the check sees a secret wherever a name can stand, and no box, flag or count.
func TestValues_areSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`type give struct{ Secret string }`:                            "Secret",
		`type give struct{ Name, Plaintext []byte }`:                   "Plaintext",
		`type give struct{ Secrets map[string]string }`:                "Secrets",
		`type give struct{ Value *string }`:                            "Value",
		`type SecretText string`:                                       "SecretText",
		`func keep(name, password string) {}`:                          "password",
		`func made() (secretValue any)                 `:               "secretValue",
		`var keep = func(plain ...byte) {}`:                            "plain",
		`type store interface{ Put(value json.RawMessage) }`:           "value",
		`func give(c echo.Context) { use(c.FormValue("new_secret")) }`: "new_secret",
		`type give struct{ Secret wire.SecretBox; Secrets int }`:       "",
		`func keep(box wire.SecretBox, secrets *Service) {}`:           "",
	} {
		s, err := parseSource("app/x/credential.go", "package x\n"+text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		s.path = "app/x/credential.go"
		if got := strings.Join(s.secretTexts(), ", "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
