// Package i18n holds every word of the interface: a catalogue of typed keys, with plurals, for each language, and a
// pseudo-locale that finds texts which are cut off or were written past the catalogue.
//
// A catalogue lies in a file per area so that authors do not stand in each other's way: en/ui.json, de/ui.json,
// en/portal.json and so on, merged when the program starts; a key that stands in two files is an error, and so is one
// that a language lacks. A value is a text, or {"one": …, "other": …} chosen by the
// argument n. A text takes its arguments by name, "expires {at}", and they are given in pairs:
//
//	i18n.T(ctx, "approval.expires", "at", p.Expires)
//
// Programs that know no pages (faults, answers of a server, steps of an order) say a whole English sentence; said/de.json has it
// in German, and Say puts it there. A test reads the code of the programs for such sentences: a new one belongs in the book.
//
// What agents and people write is content, not interface: it never comes from here.
//
// Change here: how words, numbers and dates are found and filled in. Not here: spans and sizes (views/ui).
// May import: the standard library, golang.org/x/text, agentd/phrase. Used by: views, app/web, cmd/hub. Proof: go test ./views/i18n
package i18n
