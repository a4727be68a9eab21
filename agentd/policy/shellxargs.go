package policy

import (
	"slices"
	"strconv"
	"strings"

	"gatehouse/agentd/lazyre"
)

// Xargs is how the command xargs is called.
type Xargs struct {
	Null    bool     // -0: words end with a NUL
	Lines   bool     // -L: each line is one word
	Mark    string   // -d: what ends a word, when it is not empty
	Replace string   // -I: what stands for one line in the command
	File    string   // -a: where the words stand, when not in the input
	Max     int      // -n, -L: words of one command, 0 for many
	Skip    bool     // -r: without a word, no command
	Tell    bool     // -t: say each command
	Command []string // what is run, echo when it is not named
}

var (
	// replaceMark and wordEnd are what -I and -d may be.
	replaceMark = lazyre.MustCompile(`^[A-Za-z{}%@#_+,:]{1,16}$`)
	wordEnd     = lazyre.MustCompile(`^(?:\\[nt0]|[^A-Za-z0-9_\[.\\])$`)
)

// xargsLong are the long flags of xargs as the short ones that they are. Those whose value may be left out are not here.
var xargsLong = map[string]string{
	"--null": "0", "--no-run-if-empty": "r", "--verbose": "t", "--exit": "x", "--arg-file": "a", "--delimiter": "d",
	"--max-args": "n", "--max-procs": "P", "--max-chars": "s",
}

// XargsWords reads the words of xargs, up to its command; ok is false when they hold a flag that this shell does not
// know. The runner reads them with it too, so both mean the same.
func XargsWords(words []string) (x Xargs, ok bool) {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") && words[0] != "-" {
		flag := words[0]
		words = words[1:]
		if flag == "--" {
			break
		}
		letters := flag[1:]
		if name, value, has := strings.Cut(flag, "="); strings.HasPrefix(flag, "--") {
			short := xargsLong[name]
			if short == "" || has && (value == "" || !strings.Contains(xargsValues, short)) {
				return x, false
			}
			letters = short + value
		}
		if words, ok = x.letters(letters, words); !ok {
			return x, false
		}
	}
	x.Command = words
	return x, true
}

// xargsValues are the flags that take a value.
const xargsValues = "aIdnLPs"

// letters reads flags of one letter that stand in one word; the last one may take the rest, or the next word.
func (x *Xargs) letters(flags string, words []string) (rest []string, ok bool) {
	for i, f := range flags {
		if !strings.ContainsRune(xargsValues, f) {
			if !x.flag(f) {
				return nil, false
			}
			continue
		}
		value := flags[i+1:]
		if value == "" {
			if len(words) == 0 {
				return nil, false
			}
			value, words = words[0], words[1:]
		}
		return words, x.value(f, value)
	}
	return words, flags != ""
}

func (x *Xargs) flag(f rune) bool {
	switch f {
	case '0':
		x.Null = true
	case 'r':
		x.Skip = true
	case 't':
		x.Tell = true
	case 'x': // what does not fit ends it
	default:
		return false
	}
	return true
}

func (x *Xargs) value(f rune, v string) bool {
	n, err := strconv.Atoi(v)
	switch f {
	case 'a':
		x.File = v
		return v != "" && x.File != "-"
	case 'I':
		x.Replace = v
		return replaceMark.MatchString(v)
	case 'd':
		x.Mark = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00").Replace(v)
		return wordEnd.MatchString(v)
	case 'n':
		x.Max = n
	case 'L':
		x.Max, x.Lines = n, true
	}
	return err == nil && n > 0 || err == nil && f == 'P' && n == 0
}

// xargs is judged as its command with one more word. The runner does its work and looks at each real command again;
// still, words that the command made up itself are only known when it runs.
func (j *judge) xargs(args []arg) {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.text
	}
	x, ok := XargsWords(texts)
	flags := args[:len(args)-len(x.Command)]
	if !ok || slices.ContainsFunc(flags, func(a arg) bool { return !a.fixed || a.glob }) {
		j.cannot("this form of xargs")
		j.behind(args)
		return
	}
	inner := slices.Clone(args[len(flags):])
	if len(inner) == 0 {
		inner = []arg{{text: "echo", fixed: true}}
	}
	input := j.input
	if x.File != "" {
		j.path(arg{text: x.File, fixed: true}, false, nil)
		input = found
	}
	if strings.Trim(x.Mark, " \t\n\x00") != "" {
		input = input.cut()
	}
	more := arg{text: "./file", fixed: true}
	if input >= found {
		more = arg{origin: input, one: true}
	}
	if x.Replace != "" {
		for i, a := range inner {
			if strings.Contains(a.text, x.Replace) {
				inner[i] = arg{text: strings.ReplaceAll(a.text, x.Replace, ""), sketch: strings.ReplaceAll(a.text, x.Replace, "*"), origin: max(input, existing), one: true, led: a.text != "" && !strings.HasPrefix(a.text, x.Replace) && a.text[0] != '-'}
			}
		}
	}
	inner = append(inner, more)
	if x.Replace == "" && (x.Max != 1 || x.Lines) {
		inner = append(inner, more) // many words at once: the second one may be what is written to
	}
	writes := len(j.writes)
	j.wrapped(inner)
	if len(j.writes) > writes {
		j.raise(Red, "What it replaces is only known when it runs.")
	}
}
