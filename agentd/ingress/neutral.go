package ingress

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

// neutral rewrites everything that could pose as a mark of ours or of a model's chat format. The words stay readable;
// the signs that give them power are replaced by others.
func neutral(s string) string {
	s = ownMarks(s)
	for _, t := range tokens {
		s = t.find.ReplaceAllStringFunc(s, t.tame)
	}
	return roleLine.ReplaceAllString(s, "$1‹$2›$3")
}

// token is one shape of chat formats, and what it becomes.
type token struct {
	find *lazyre.Regexp
	tame func(string) string
}

var tokens = []token{
	{lazyre.MustCompile(`[<＜﹤]\s*[|｜∣ǀ│]+|[|｜∣ǀ│]+\s*[>＞﹥]`), swapper},
	{lazyre.MustCompile(`(?i)[\[［]\s*/?\s*(?:INST|SYS|SYSTEM|USER|ASSISTANT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\s*[\]］]`), swapper},
	{lazyre.MustCompile(`(?i)[<＜]{1,2}\s*/?\s*(?:SYS|s|bos|eos|system|user|human|assistant|developer|tool|instructions?|` +
		`start_of_turn|end_of_turn|think|thinking|tool_call|tool_calls|tool_response|tool_result|function_calls|function_results|` +
		`invoke|parameter|[a-z]+:(?:function_calls|invoke|parameter))\b[^<>\n]{0,80}[>＞]{1,2}`), swapper},
}

var swaps = strings.NewReplacer("<", "‹", ">", "›", "＜", "‹", "＞", "›", "﹤", "‹", "﹥", "›", "[", "⟦", "]", "⟧", "［", "⟦", "］", "⟧")

func swapper(s string) string { return swaps.Replace(s) }

// roleLine is a line that begins as the turn of someone else.
var roleLine = lazyre.MustCompile(`(?mi)^([ \t#>*_=-]*)(system|assistant|user|human|developer|tool|function|observation)([*_ \t]{0,3}[:：])`)

// markName is the name in our marks, without signs and in lower case.
const markName = "externalcontent"

// ownMarks replaces anything that reads as the name in our marks behind a bracket or a slash, however it is spelled:
// case, width, look-alikes, accents, invisible notes, spaces and other signs between the letters.
func ownMarks(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := markAt(s[i:])
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
		} else {
			b.WriteString(tamed(s[i : i+n]))
		}
		i += n
	}
	return b.String()
}

func tamed(mark string) string {
	if strings.ContainsAny(mark, "/⁄∕／\\") {
		return "⟦/external-content⟧"
	}
	return "⟦external-content⟧"
}

// markAt gives how many bytes at the start of s are a mark or its look-alike, or 0.
func markAt(s string) int {
	if r, _ := utf8.DecodeRuneInString(s); !opens(r) {
		return 0
	}
	got, i := 0, 0
	for i < len(s) && got < len(markName) && i < 512 {
		if n := noteAt(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch f := foldRune(r); {
		case f == rune(markName[got]):
			got++
		case f == 0 || got == 0 && (opens(r) || joins(r)) || got > 0 && joins(r):
		default:
			return 0
		}
	}
	if got < len(markName) {
		return 0
	}
	return i + bracketAfter(s[i:])
}

// noteAt is the length of a note of visible at the start of s, or 0.
func noteAt(s string) int {
	if !strings.HasPrefix(s, "‹U+") {
		return 0
	}
	end := strings.Index(s, "›")
	if end < 0 || end > 24 {
		return 0
	}
	return end + len("›")
}

// bracketAfter takes a closing bracket that follows at once into the mark.
func bracketAfter(s string) int {
	trimmed := strings.TrimLeft(s, " \t")
	r, n := utf8.DecodeRuneInString(trimmed)
	if unicode.In(r, unicode.Pe, unicode.Pf) || r == '>' {
		return len(s) - len(trimmed) + n
	}
	return 0
}

func opens(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.ContainsRune("([{</\\", r)
	}
	return unicode.In(r, unicode.Ps, unicode.Pi) || r == '<' || r == '/' || r == '\\'
}

// joins says whether a rune may stand between the letters of a mark without hiding it from a reader.
func joins(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r) || unicode.IsMark(r)
}
