// Package i18n holds every word of the interface: one catalogue of typed keys, with plurals, in one language for now,
// and a pseudo-locale that finds texts which are cut off or were written past the catalogue.
//
// The catalogue is one, but lies in a file per area so that authors do not stand in each other's way: en/ui.json,
// en/portal.json, en/public.json, en/admin.json, en/inbox.json, en/mail.json and so on, merged when the program
// starts; a key that stands in two files is an error. A value is a text, or {"one": …, "other": …} chosen by the
// argument n. A text takes its arguments by name, "expires {at}", and they are given in pairs:
//
//	i18n.T(ctx, "approval.expires", "at", p.Expires)
//
// What agents and people write is content, not interface: it never comes from here.
//
// Change here: how words are found and filled in. Not here: numbers and times (views/ui).
// May import: the standard library, golang.org/x/text. Used by: views, app/web. Proof: go test ./views/i18n
package i18n
