package account_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
)

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		situation, password string
		good                bool
	}{
		{"four random words", "correct staple battery", true},
		{"eleven characters", "abcXYZ789!?", false},
		{"twelve characters", "abcXYZ789!?$", true},
		{"twelve letters of two bytes each", "äöüßéèêñçåøæ", true},
		{"on the list", "qwertyuiop123", false},
		{"on the list, shouted", "PASSWORDPASSWORD", false},
		{"a common word with figures", "password!2026", false},
		{"figures around a common word", "99princess9999", false},
		{"one character", "aaaaaaaaaaaaaaa", false},
		{"three over and over", "abcabcabcabcabc", false},
		{"own address", "someone.else@example.com", false},
		{"own name", "Some Body 12345", false},
		{"own name run together", "somebody1234!", false},
		{"too long", strings.Repeat("long and ", 40), false},
		{"256 characters, more bytes", strings.Repeat("äöüßéèêñ", 32), true},
		{"257 characters", strings.Repeat("äöüßéèêñ", 32) + "x", false},
	} {
		msg := account.CheckPassword(c.password, "someone.else@example.com", "Some Body")
		if (msg == "") != c.good {
			t.Errorf("%s: %q", c.situation, msg)
		}
	}
}

func TestCheckEmail(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"someone@example.com", "some.one+tag@sub.example.co.uk", "grüße@example.com"} {
		if msg := account.CheckEmail(good); msg != "" {
			t.Errorf("%q: %s", good, msg)
		}
	}
	for _, bad := range []string{
		"", "someone", "@example.com", "someone@", "a@b, c@d", "Some One <someone@example.com>", "someone@example.com\r\nBcc: x@example.com",
		"some one@example.com", "someone@.com", "someone@example.", `"x y"@example.com`, strings.Repeat("x", 250) + "@example.com",
	} {
		if msg := account.CheckEmail(bad); msg == "" {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" Someone@Example.COM ": "someone@example.com", "STRASSE@example.com": "strasse@example.com", "Straße@example.com": "strasse@example.com",
		"ｓomeone@example.com": "someone@example.com",
	} {
		if got := account.Fold(in); got != want {
			t.Errorf("%q folds to %q, want %q", in, got, want)
		}
	}
}

func TestService_Prepare(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := &account.Service{Hasher: account.NewHasher(), Now: func() time.Time { return now }}
	n, err := s.Prepare(t.Context(), account.SignUp{
		Name: "  Some   Body ", Email: " someone@example.com", Password: "correct staple battery", TimeZone: "Mars/Olympus",
	})
	if err != nil {
		t.Fatal(err)
	}
	if n.Customer.Name != "Some Body" || n.Customer.TimeZone != "UTC" || n.Owner.Email != "someone@example.com" || n.Owner.Role != account.Owner ||
		n.Owner.CustomerID != n.Customer.ID || n.Owner.Verified() || !n.Customer.CreatedAt.Equal(now) || len(n.Work) != 1 {
		t.Errorf("prepared %+v", n)
	}
	if err := s.Hasher.Check(t.Context(), "correct staple battery", n.PasswordHash); err != nil {
		t.Errorf("the password does not fit its hash: %v", err)
	}
	_, err = s.Prepare(t.Context(), account.SignUp{Name: "x\x00y", Business: strings.Repeat("x", 101), Email: "no", Password: "short"})
	f := fault.Of(err)
	if f.Kind != fault.Invalid || len(f.Fields) != 4 {
		t.Errorf("faults %+v", f.Fields)
	}
}
