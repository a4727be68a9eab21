package support

import (
	"context"
	"net/url"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// OnePath is one window, with what was looked at through it.
func OnePath(id string) string { return portal.Support + "/" + url.PathEscape(id) }

// ActPath takes an act on a window: open, refuse, close.
func ActPath(id, act string) string { return OnePath(id) + "/" + act }

// Props is the page of all windows.
type Props struct {
	Server  string // id, part of what is signed
	Version int64  // of the configuration that is signed for
	Problem string
	Waiting []Window
	Open    []Window
	Past    []Window
	Older   string // address of the next page
}

// Window is one support window.
type Window struct {
	ID, Staff, Purpose string
	Hours              int
	What               []string
	State              string
	Asked              time.Time
	Opened             time.Time // zero until it was opened
	Until              time.Time
	Ended              time.Time
	Why, EndedBy       string
	Words, Fingerprint string // of the key of the member of staff
	Body               string // JSON of what is signed to open it
}

// One is the page of one window.
type One struct {
	Window
	Looks []Look
	Away  bool // the server could not be asked what exactly was looked at
}

// Look is one look through a window.
type Look struct {
	Staff, See, Name string
	At               time.Time
	Refused          string
}

var whatWords = map[string]i18n.Key{
	"logs": "support.what_logs", "inspect": "support.what_inspect", "files": "support.what_files",
	"conversations": "support.what_conversations", "machine": "support.what_machine",
}

// WhatWord names a kind of content.
func WhatWord(ctx context.Context, kind string) string { return word(ctx, whatWords, kind) }

// what are the kinds of content of a window, in words.
func (w Window) what(ctx context.Context) string {
	var all []string
	for _, k := range w.What {
		all = append(all, WhatWord(ctx, k))
	}
	return strings.Join(all, " · ")
}

var seeWords = map[string]i18n.Key{
	"containers": "support.see_containers", "logs": "support.see_logs", "inspect": "support.see_inspect", "files": "support.see_files",
	"file": "support.see_file", "conversations": "support.see_conversations", "conversation": "support.see_conversation",
}

// SeeWord says what a look showed.
func SeeWord(ctx context.Context, see string) string { return word(ctx, seeWords, see) }

func word(ctx context.Context, words map[string]i18n.Key, name string) string {
	if key, ok := words[name]; ok {
		return i18n.T(ctx, key)
	}
	return name
}

var stateWords = map[string]i18n.Key{
	"asked": "support.state_asked", "open": "support.state_open", "closed": "support.state_closed", "ran_out": "support.state_ran_out",
	"refused": "support.state_refused", "withdrawn": "support.state_withdrawn", "lapsed": "support.state_lapsed",
}

// StateWord says how a window stands; why says how one that was open has ended.
func StateWord(ctx context.Context, state, why string) string {
	if state == "ended" {
		state = why
	}
	return word(ctx, stateWords, state)
}

// StateKind is the look of a state.
func StateKind(state string) string {
	return map[string]string{"asked": "warn", "open": "busy", "ended": "ok"}[state]
}

func (w Window) facts(ctx context.Context) []ui.Pair {
	pairs := []ui.Pair{
		{Name: i18n.T(ctx, "support.who"), Value: w.Staff},
		{Name: i18n.T(ctx, "support.what"), Value: w.what(ctx)},
		{Name: i18n.T(ctx, "support.how_long"), Value: i18n.T(ctx, "support.hours", "n", w.Hours)},
		{Name: i18n.T(ctx, "support.asked"), View: ui.At(w.Asked)},
	}
	if !w.Opened.IsZero() {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "support.opened"), View: ui.At(w.Opened)})
	}
	if w.State == "open" {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "support.until"), View: ui.At(w.Until)})
	}
	if !w.Ended.IsZero() {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "support.ended"), View: ui.At(w.Ended)})
	}
	if w.EndedBy != "" {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "support.ended_by"), Value: w.EndedBy})
	}
	return pairs
}
