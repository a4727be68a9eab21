package redact

import (
	"net/url"
	"strings"
	"testing"
)

// TestScan_spelt: a known value is found as templates, documents, mails and programs of another character set write it.
func TestScan_spelt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, value, text string }{
		{"Markdown", "Tulip.Meadow_Harbor*7", `Tulip\.Meadow\_Harbor\*7`},
		{"LaTeX", "Tulip.Meadow_Harbor7", `Tulip.Meadow\_Harbor7`},
		{"compose", "Tulip$Meadow$Harbor7", "Tulip$$Meadow$$Harbor7"},
		{"ini", "Tulip%Meadow%Harbor7", "Tulip%%Meadow%%Harbor7"},
		{"format", "Tulip{Meadow}Harbor7", "Tulip{{Meadow}}Harbor7"},
		{"mail in Latin-1", "Käsebrötchen-für-Jörg", "K=E4sebr=F6tchen-f=FCr-J=F6rg"},
		{"head of a mail in Latin-1", "Käsebrötchen-für-Jörg", "=?ISO-8859-1?Q?K=E4sebr=F6tchen-f=FCr-J=F6rg?="},
		{"Latin-1 taken for UTF-8", "Käsebrötchen-für-Jörg", "K\uFFFDsebr\uFFFDtchen-f\uFFFDr-J\uFFFDrg"},
		{"UTF-8 taken for Latin-1", "Käsebrötchen-für-Jörg", "K\u00c3\u00a4sebr\u00c3\u00b6tchen-f\u00c3\u00bcr-J\u00c3\u00b6rg"},
		{"sharp s taken for Latin-1", "Größe-Schlüssel9", "Gr\u00c3\u00b6\u00c3\u009fe-Schl\u00c3\u00bcssel9"},
		{"sharp s taken for Windows-1252", "Größe-Schlüssel9", "Gr\u00c3\u00b6\u00c3\u0178e-Schl\u00c3\u00bcssel9"},
		{"capitals taken for Windows-1252", "Ärger-Über-Öltank", "\u00c3\u201erger-\u00c3\u0153ber-\u00c3\u2013ltank"},
		{"signs of many forms", "Çətin-şifrə-Åre-42", "\u00c3\u2021\u00c9\u2122tin-\u00c5\u0178ifr\u00c9\u2122-\u00c3\u2026re-42"},
	} {
		e := NewWith([]Known{{"shop.key", c.value}})
		if got := e.Text("it says " + c.text + " there"); !strings.Contains(got, "[SECRET:shop.key]") {
			t.Errorf("%s: %q", c.what, got)
		}
	}
}

// TestScan_garbled: a text that a program could not read hides no secret of other letters: it looks like every other one.
func TestScan_garbled(t *testing.T) {
	t.Parallel()
	const lost = "\uFFFD"
	e := NewWith([]Known{{"shop.word", "пароль"}, {"shop.door", "мой дом 12345"}, {"shop.key", "密码-1234"}, {"shop.long", "ключ-123456"}})
	for _, text := range []string{
		"the file is binary: " + strings.Repeat(lost, 8), "rows of " + strings.Repeat(lost+" ", 9) + "and no more",
		"it says " + strings.Repeat(lost, 3) + " " + strings.Repeat(lost, 3) + " 12345", "page " + strings.Repeat(lost, 2) + "-1234 of many",
	} {
		if got := e.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := e.Text("it says " + strings.Repeat(lost, 4) + "-123456 there"); !strings.Contains(got, "[SECRET:shop.long]") {
		t.Errorf("%q", got)
	}
}

// TestScan_parts: what gives a secret away alone is one: the password of an address, a line of a key. Other parts are not.
func TestScan_parts(t *testing.T) {
	t.Parallel()
	const line = "MC4CAQAwBQYDK2VwBCIEIK8vT2mWx91qzR8pLk3jHgFdSaQwErTyUiOpZxCvBnM"
	key := "-----BEGIN PRI" + "VATE KEY-----\n" + line + "\n1234567890abcdefGHIJKLmnopqrSTUVWX==\n-----END PRI" + "VATE KEY-----\n"
	e := NewWith([]Known{
		{"shop.dsn", "postgres://app:Tulip-Meadow-9@db:5432/shop"},
		{"shop.plain", "postgres://app:postgres@db:5432/shop"},
		{"shop.pem", key},
		{"mail.word", "smtp://me:Password@mail:587"},
		{"mail.wort", "smtp://me:PASSWORT@mail:587"},
		{"mail.far", "smtp://" + url.PathEscape("me:Пароль") + "@mail:587"},
		{"mail.key", "smtp://" + url.PathEscape("me:Schlüssel") + "@mail:587"},
		{"web.day", "https://x:20241122@h/"},
		{"mail.role", "smtp://me:administrator@mail:587"},
		{"web.time", "https://x:20241122093000@h/"},
		{"web.date", "https://x:2024-11-22@h/"},
		{"web.small", "https://x:tulip4711@h/"},
		{"web.signs", "https://x:4711%230815@h/"},
		{"web.long", "https://x:Tulipmeadowharbor@h/"},
		{"web.two", "https://x:TulipMeadow@h/"},
		{"web.random", "https://x:hGtRwQzL@h/"},
		{"web.number", "https://x:831947265018@h/"},
		{"web.groups", "https://x:48-15-16-23-42@h/"},
		{"web.euro", "https://x:22.11.2024@h/"},
	})
	for text, mark := range map[string]string{
		"no entry for app with Tulip-Meadow-9, they say": "[SECRET:shop.dsn]",
		"@@ -2,2 +2,2 @@\n " + line + "\n":               "[SECRET:shop.pem]",
		"it says tulip4711 there":                        "[SECRET:web.small]",
		"it says 4711#0815 there":                        "[SECRET:web.signs]",
		"it says TulipMeadowHarbor there":                "[SECRET:web.long]",
		"it says hGtRwQzL there":                         "[SECRET:web.random]",
		"it says 831947265018 there":                     "[SECRET:web.number]",
		"it says 48-15-16-23-42 there":                   "[SECRET:web.groups]",
	} {
		if got := e.Text(text); !strings.Contains(got, mark) {
			t.Errorf("%q", got)
		}
	}
	for _, text := range []string{
		"the app asks postgres on db:5432 for shop", "a block ends with -----END PRI" + "VATE KEY-----",
		"the password stays, and so does the Password", "das Passwort bleibt", "Пароль остаётся", "der Schlüssel bleibt", "file 20241122 is of 2024-11-22", "am 22.11.2024 im TulipMeadow", "ask the administrator for 20241122093000.log",
	} {
		if got := e.Text(text); got != text {
			t.Errorf("%q", got)
		}
	}
}

// TestScan_fields: of several secrets that are kept as one object each is a secret, also the lines of a key in it; its other fields are not.
func TestScan_fields(t *testing.T) {
	t.Parallel()
	const line = "MC4CAQAwBQYDK2VwBCIEIK8vT2mWx91qzR8pLk3jHgFdSaQwErTyUiOpZxCvBnM"
	e := NewWith([]Known{
		{"channel.chat", `{"bot_token":"Tulip-Meadow-9","app_secret":"Harbor-Lantern-7","verify_token":"short"}`},
		{"channel.rooms", `{"client_email":"team@project.example","token_uri":"https://oauth2.example/token","private_key":"-----BEGIN PRI` +
			`VATE KEY-----\n` + line + `\n-----END PRI` + `VATE KEY-----\n"}`},
	})
	for _, secret := range []string{"Tulip-Meadow-9", "Harbor-Lantern-7", line} {
		if got := e.Text("it says " + secret + " there"); strings.Contains(got, secret) {
			t.Errorf("%q", got)
		}
	}
	for _, text := range []string{"write to team@project.example", "ask https://oauth2.example/token", "a short text"} {
		if got := e.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
