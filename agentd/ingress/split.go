package ingress

import (
	"net/url"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

var (
	longLink   = lazyre.MustCompile(`(?i)\bhttps?://[^\s"'<>)\]]{12,1000}`)
	linkJoints = strings.NewReplacer("+", " ", "_", " ", "-", " ", "&", " . ", "=", " ", "/", " ", "?", " . ", "#", " . ")
	anyTag     = lazyre.MustCompile(`</?[a-zA-Z][^<>]{0,300}>`)
	tagInWord  = lazyre.MustCompile(`(\pL)(?:</?[a-zA-Z][^<>]{0,300}>)+(\pL)`)
)

// linked reads what the path and the query of a link say.
func linked(s string) (found []string) {
	if !strings.Contains(s, "://") {
		return nil
	}
	for _, l := range longLink.FindAllString(s, 50) {
		_, rest, _ := strings.Cut(l[strings.Index(l, "://")+3:], "/")
		if !strings.ContainsAny(rest, "+%_-") {
			continue
		}
		if text, err := url.PathUnescape(linkJoints.Replace(rest)); err == nil {
			found = append(found, text)
		}
	}
	return found
}

// untagged joins words that tags of a page take apart.
func untagged(s string) []string {
	if !strings.Contains(s, "<") || !tagInWord.MatchString(s) {
		return nil
	}
	for range 2 { // a letter alone between two tags belongs to both
		s = tagInWord.ReplaceAllString(s, "$1$2")
	}
	return []string{anyTag.ReplaceAllString(s, " ")}
}

// hyphenated is a word that hyphens take apart.
var hyphenated = lazyre.MustCompile(`\pL{1,12}(?:[-‐‑·][\pL]{1,12}){1,5}`)

// unhyphened joins words that hyphens take apart though no line ends there. A compound is made of words that mean
// something by themselves, so only a word with a part that means nothing is joined; one proves nothing, so two are asked
// for.
func unhyphened(s string) []string {
	if strings.Count(s, "-")+strings.Count(s, "‐")+strings.Count(s, "‑")+strings.Count(s, "·") < 2 {
		return nil
	}
	n := 0
	t := hyphenated.ReplaceAllStringFunc(s, func(m string) string {
		whole := strings.ToLower(fold(hyphens.Replace(m)))
		if meaning(whole) == 0 || !slices.ContainsFunc(strings.FieldsFunc(m, isHyphen), meaningless) {
			return m
		}
		n++
		return whole
	})
	if n < 2 {
		return nil
	}
	return []string{t}
}

var hyphens = strings.NewReplacer("-", "", "‐", "", "‑", "", "·", "")

func isHyphen(r rune) bool { return strings.ContainsRune("-‐‑·", r) }

// meaningless says whether a part of a word is no word that is known.
func meaningless(part string) bool { return meaning(strings.ToLower(fold(part))) == 0 }
