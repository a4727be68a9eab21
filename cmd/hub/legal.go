package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"os"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/app/legal"
	"gatehouse/views/i18n"
)

// phoneShape is how people write a telephone number.
var phoneShape = regexp.MustCompile(`^\+?[0-9][0-9 ()/.-]{4,30}$`)

// maxContactText is how long the line beside the address may be, in characters.
const maxContactText = 200

// contactFaults says what is wrong with how the operator is reached.
func (c *config) contactFaults() []error {
	var bad []error
	if a, err := mail.ParseAddress(c.ContactEmail); c.ContactEmail != "" && (err != nil || a.Address != c.ContactEmail) {
		bad = append(bad, fmt.Errorf("HUB_CONTACT_EMAIL: %q is no address like help@example.com", c.ContactEmail))
	}
	if c.ContactPhone != "" && !phoneShape.MatchString(c.ContactPhone) {
		bad = append(bad, fmt.Errorf("HUB_CONTACT_PHONE: %q is no number like +43 1 234 56 78", c.ContactPhone))
	}
	odd := strings.ContainsFunc(c.ContactText, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
	if odd || utf8.RuneCountInString(c.ContactText) > maxContactText {
		bad = append(bad, fmt.Errorf("HUB_CONTACT_TEXT: one line of at most %d characters", maxContactText))
	}
	if c.ContactText != "" && c.ContactEmail == "" && c.ContactPhone == "" {
		bad = append(bad, errors.New("HUB_CONTACT_TEXT: it stands beside HUB_CONTACT_EMAIL or HUB_CONTACT_PHONE: set one of them"))
	}
	return bad
}

// readLegal reads the operator's own pages. Without a folder there are none.
func (c *config) readLegal() (legal.Pages, error) {
	if c.LegalDir == "" {
		return legal.Pages{}, nil
	}
	var locales []string
	for _, l := range i18n.Languages {
		locales = append(locales, l.Locale)
	}
	pages, err := legal.Read(os.DirFS(c.LegalDir), locales)
	if err != nil {
		return legal.Pages{}, fmt.Errorf("HUB_LEGAL_DIR %s: %w", c.LegalDir, err)
	}
	return pages, nil
}

// warnMissing tells the operator once, at start, what the pages of a hub for others lack.
func warnMissing(ctx context.Context, log *slog.Logger, c config, pages legal.Pages) {
	var missing []string
	for _, name := range pages.Missing() {
		missing = append(missing, name+".md")
	}
	if c.ContactEmail == "" {
		missing = append(missing, "HUB_CONTACT_EMAIL")
	}
	if len(missing) > 0 {
		log.WarnContext(ctx, "pages that customers look for are missing", "missing", strings.Join(missing, ", "),
			"do", "write the files as Markdown into a folder, name it in HUB_LEGAL_DIR and your address in HUB_CONTACT_EMAIL, and restart")
	}
}
