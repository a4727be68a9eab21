package account

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	minPassword = 12  // characters
	maxPassword = 256 // characters: more is no safer and costs us work
)

// commonText lists passwords that are tried first by everyone who guesses, one a line, lower case; lines that begin
// with "# " are remarks.
//
//go:embed common_passwords.txt
var commonText string

var common = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(commonText) {
		if !strings.HasPrefix(line, "# ") {
			set[strings.TrimSpace(line)] = true
		}
	}
	return set
})

// CheckPassword says in words what is wrong with a new password, or nothing. About are words that a password must not
// merely repeat: the person's address and names.
func CheckPassword(password string, about ...string) string {
	switch lower := strings.ToLower(password); {
	case utf8.RuneCountInString(password) < minPassword:
		return "Use 12 or more characters."
	case utf8.RuneCountInString(password) > maxPassword:
		return "Use at most 256 characters."
	case common()[lower] || common()[strings.Trim(lower, "0123456789!?.#*-_ ")] || monotonous(lower):
		return "This is one of the passwords that are guessed first. Take another one; four random words are good."
	case repeats(lower, about):
		return "Take something other than your own name or address."
	}
	return ""
}

// monotonous says whether s is made of one piece of up to four characters over and over.
func monotonous(s string) bool {
	for n := 1; n <= 4; n++ {
		if len(s) > n && strings.Repeat(s[:n], len(s)/n+1)[:len(s)] == s {
			return true
		}
	}
	return false
}

func repeats(lower string, about []string) bool {
	core := strings.Trim(lower, "0123456789!?.#*-_ ")
	for _, a := range about {
		a = strings.ToLower(a)
		local, _, _ := strings.Cut(a, "@")
		if core != "" && (core == a || core == local || core == strings.ReplaceAll(a, " ", "")) {
			return true
		}
	}
	return false
}
