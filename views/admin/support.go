package admin

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/portal/support"
	"gatehouse/views/ui"
)

// SupportPath is the page of the support windows of a server.
func SupportPath(server string) string { return ServerPath(server) + "/support" }

// SupportLinesPath is that page with what was looked at through a window.
func SupportLinesPath(server, window string) string {
	return SupportPath(server) + "?" + url.Values{"window": {window}}.Encode() + "#lines"
}

// SupportLookPath takes the looks through a window, which the script signs.
func SupportLookPath(server, window string) string {
	return SupportPath(server) + "/" + url.PathEscape(window) + "/look"
}

// SupportLeavePath takes back what was asked for, or closes the window.
func SupportLeavePath(server, window string) string {
	return SupportPath(server) + "/" + url.PathEscape(window) + "/leave"
}

// Support is the page of the support windows of a server.
type Support struct {
	Server, Slug, Customer string
	Open, Waiting          *Window // those of the reader; nil when there is none
	Past                   []Window
	Older                  string // address of the next page
	Lines                  *Window
	Looks                  []support.Look // through Lines
	Typed                  map[string]string
	Problems               map[string]string
}

// Window is one support window in the console.
type Window struct {
	ID, Staff, Purpose string
	Hours              int
	What               []string
	State, Why         string
	Asked, Until       time.Time
	KeyID              string
	Words, Fingerprint string
}

// kinds are the kinds of content, in the order in which they are offered.
var kinds = []string{"logs", "inspect", "files", "conversations", "machine"}

func (p Support) problems() []ui.Problem {
	var all []ui.Problem
	for _, name := range []string{"purpose", "hours", "what", ""} {
		if text := p.Problems[name]; text != "" {
			all = append(all, ui.Problem{Field: map[string]string{"what": "what_logs"}[name], Text: text})
			if name != "what" {
				all[len(all)-1].Field = name
			}
		}
	}
	return all
}

// offers says whether a window is for one of these kinds of content.
func (w Window) offers(any ...string) bool {
	return slices.ContainsFunc(any, func(k string) bool { return slices.Contains(w.What, k) })
}

func (w Window) kinds(ctx context.Context) string {
	var all []string
	for _, k := range w.What {
		all = append(all, support.WhatWord(ctx, k))
	}
	return strings.Join(all, " · ")
}

func hourOptions(ctx context.Context) []ui.Option {
	var all []ui.Option
	for _, n := range []int{1, 2, 4, 8, 12, 24} {
		all = append(all, ui.Option{Value: strconv.Itoa(n), Label: i18n.T(ctx, "support.hours", "n", n)})
	}
	return all
}

// firstOnly is an error that stands at the first of several fields.
func firstOnly(i int, text string) string {
	if i > 0 {
		return ""
	}
	return text
}
