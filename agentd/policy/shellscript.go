package policy

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// sed prints lines; a script that it is given may only print, delete from what is printed, or substitute in it.
func (j *judge) sed(args []arg) {
	given := false // a script stands behind -e
	for _, a := range args {
		given = given || strings.HasPrefix(a.text, "-e") || strings.HasPrefix(a.text, "--expression")
	}
	first, inPlace := true, anyWord(args, func(w string) bool { return strings.HasPrefix(w, "--in") || strings.HasPrefix(w, "-") && sedInPlace(w) })
	for i, a := range args {
		switch {
		case strings.HasPrefix(a.text, "--in") || shortFlag(a.text, "i"):
			j.raise(Red, "It changes files in place.")
		case strings.HasPrefix(a.text, "--expression="):
			j.sedScript(a, strings.TrimPrefix(a.text, "--expression="))
		case len(a.text) > 1 && a.text[0] == '-':
			j.sedFlag(a)
		case first && !given, i > 0 && (args[i-1].text == "-e" || args[i-1].text == "--expression" || args[i-1].text == "-ne"):
			j.sedScript(a, a.text)
			first = false
		default:
			j.scriptFile(a)
			if inPlace {
				j.path(a, true, nil)
			}
		}
	}
}

// sedInPlace says whether short flags hold -i before one that takes the rest as its value.
func sedInPlace(w string) bool {
	for _, r := range w[1:] {
		if r == 'i' {
			return true
		}
		if strings.ContainsRune("efl-", r) {
			return false
		}
	}
	return false
}

// programLike are names of files that rather look like a program: a word before them could make them one.
var programLike = lazyre.MustCompile(`[{}();|"'\s]|^(.*[0-9$/])?[sy](/|\||#|,|:|!|@|%|~|\+).*(/|\||#|,|:|!|@|%|~|\+)`)

// scriptFile judges a file that a program of sed or awk works on.
func (j *judge) scriptFile(a arg) {
	if programLike.MatchString(a.text) || !a.fixed && !a.one && a.origin > plain {
		j.raise(Red, "The gate cannot tell "+visible(a.text)+" from a program.")
	}
	j.path(a, false, nil)
}

func (j *judge) sedFlag(a arg) {
	switch a.text {
	case "-n", "-E", "-r", "-s", "-u", "-z", "-e", "-ne", "-nE", "-nr", "-En", "--expression", "--quiet", "--silent", "--regexp-extended", "--separate", "--null-data", "--version", "--help":
	default:
		j.raise(Red, "The gate does not understand the flag "+visible(a.text)+" here.")
	}
}

func shortFlag(word, letter string) bool {
	return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.Contains(word, letter)
}

const sedAddress = `(?:[0-9]+(?:~[0-9]+)?|\$|/(?:[^/\\\n]|\\.)*/)`

// sedCommand is one command of sed that reads only: no w, r, e, and no flag w or e of s.
var sedCommand = lazyre.MustCompile(`^[\s;]*(?:` + sedAddress + `(?:,\+?` + sedAddress + `)?\s*!?\s*)?(?:[pdPDnNhHgGxl=]|q[0-9]*|s/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/[gpiI0-9]*|s\|(?:[^|\\\n]|\\.)*\|(?:[^|\\\n]|\\.)*\|[gpiI0-9]*|s#(?:[^#\\\n]|\\.)*#(?:[^#\\\n]|\\.)*#[gpiI0-9]*|s:(?:[^:\\\n]|\\.)*:(?:[^:\\\n]|\\.)*:[gpiI0-9]*|s@(?:[^@\\\n]|\\.)*@(?:[^@\\\n]|\\.)*@[gpiI0-9]*|s!(?:[^!\\\n]|\\.)*!(?:[^!\\\n]|\\.)*![gpiI0-9]*|s~(?:[^~\\\n]|\\.)*~(?:[^~\\\n]|\\.)*~[gpiI0-9]*|s%(?:[^%\\\n]|\\.)*%(?:[^%\\\n]|\\.)*%[gpiI0-9]*|s,(?:[^,\\\n]|\\.)*,(?:[^,\\\n]|\\.)*,[gpiI0-9]*|y/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/)\s*(?:;|\n|\}|$)`)

func (j *judge) sedScript(a arg, script string) {
	if script == "" {
		j.raise(Red, "A script that does nothing makes the next word look like a file.")
	}
	if !a.fixed || a.glob || !sedReads(script) {
		j.raise(Red, "The gate does not understand this script of sed.")
	}
}

var (
	sedOpens  = lazyre.MustCompile(`^[\s;]*(?:` + sedAddress + `(?:,\+?` + sedAddress + `)?\s*!?\s*)?\{`)
	sedCloses = lazyre.MustCompile(`^[\s;]*\}`)
)

// sedReads says whether a script is made of commands that read only, alone or between braces.
func sedReads(script string) bool {
	depth := 0
	for strings.Trim(script, " ;\t\n") != "" {
		open, end, m := sedOpens.FindString(script), sedCloses.FindString(script), sedCommand.FindString(script)
		switch {
		case open != "":
			script = script[len(open):]
			depth++
		case end != "" && depth > 0:
			script = script[len(end):]
			depth--
		case m != "":
			script = script[len(strings.TrimSuffix(m, "}")):]
		default:
			return false
		}
	}
	return depth == 0
}

// awk prints what a program computes; the program may only compute and print.
func (j *judge) awk(args []arg) {
	first, before := true, ""
	for _, a := range args {
		switch {
		case before != "":
			j.awkValue(a, before == "-v")
			before = ""
		case a.text == "-F" || a.text == "-v":
			before = a.text
		case len(a.text) > 1 && a.text[0] == '-':
			if !strings.HasPrefix(a.text, "-F") || !a.fixed && !a.one {
				j.raise(Red, "The gate does not understand the flag "+visible(a.text)+" here.")
			}
		case first:
			first = false
			j.awkProgram(a)
		default:
			j.scriptFile(a)
		}
	}
}

// awkValue is a separator, which must not look like a file or a program, or an assignment, whose value is data: the
// program only computes with it.
func (j *judge) awkValue(a arg, assigns bool) {
	if name, _, ok := strings.Cut(a.text, "="); assigns && (a.fixed || a.one) && ok && variable.MatchString(name) {
		return
	}
	if !a.fixed || len(a.text) > 64 || strings.ContainsAny(a.text, "{}()`") || len(a.text) > 1 && strings.Contains(a.text, "/") {
		j.raise(Red, "The gate does not understand this value.")
	}
}

func (j *judge) awkProgram(a arg) {
	if !a.fixed || a.glob || a.text == "" || !awkReads(a.text) {
		j.raise(Red, "The gate does not understand this program of awk.")
	}
}
