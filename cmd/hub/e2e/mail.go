package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/cmd/hub/devmail"
)

// Mails are what the catcher has got for an address.
func (h *Hub) Mails(t *testing.T, to string) (found []devmail.Mail) {
	t.Helper()
	store, err := devmail.OpenStore(filepath.Join(h.Dir, "mail"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := store.IDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if m, err := store.Get(id); err == nil && m.To == to {
			found = append(found, m)
		}
	}
	return found
}

// AwaitMail waits for the mail that an address gets with these words in its subject.
func (h *Hub) AwaitMail(t *testing.T, to, about string) (found devmail.Mail) {
	t.Helper()
	Until(t, "a mail to "+to+" about "+about, func() bool {
		for _, m := range h.Mails(t, to) {
			if strings.Contains(m.Subject, about) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// MailedLink is the path of the link to the hub in the mail that an address gets with these words in its subject.
func (h *Hub) MailedLink(t *testing.T, to, about string) string {
	t.Helper()
	mail := h.AwaitMail(t, to, about)
	_, link, ok := strings.Cut(mail.Text, h.URL(""))
	if !ok {
		t.Fatalf("mailed was %q", mail.Text)
	}
	return strings.Fields(link)[0]
}
